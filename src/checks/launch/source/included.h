/* SPDX-License-Identifier: MIT
 *
 * The headers that a file of the user includes. They are found as compilers do, by the folders of
 * the including files and of the flags, but in the text that is not preprocessed. Headers in the
 * compilers' own folders are not read.
 */
#ifndef SIMTCHECK_CHECKS_INCLUDED_H
#define SIMTCHECK_CHECKS_INCLUDED_H

#include "json_model.h"

/* Calls visit() with the text of each header that the file `path` includes, in the order of the
 * inclusions. `text` is that of the file. Headers in `seen` are left out, and visited ones are added
 * to it. Its items are paths in `memory`. */
void included_each(const char *path, const char *text, const char *const *flags, size_t flag_count,
                   struct list *seen, struct memory *memory,
                   void (*visit)(void *context, const char *text), void *context);

#endif
