/* SPDX-License-Identifier: MIT
 *
 * The headers that a file of the user includes. They are found as compilers do, by the folders of
 * the including files and of the flags, but in the text that is not preprocessed. Headers in the
 * compilers' own folders are not read.
 */
#ifndef SIMTCHECK_CHECKS_INCLUDED_H
#define SIMTCHECK_CHECKS_INCLUDED_H

#include "json_model.h"

/* Calls visit() once with the text of each header that is not in `seen`, in the order of the
 * inclusions, and adds its path to `seen`, whose items are texts in `memory`. The text is that of
 * the file `path`. */
void included_each(const char *path, const char *text, const char *const *flags, size_t flag_count,
                   struct list *seen, struct memory *memory,
                   void (*visit)(void *context, const char *text), void *context);

#endif
