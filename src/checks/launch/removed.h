/* SPDX-License-Identifier: MIT
 *
 * Accesses that nvcc removed, although clang's code of the same files has them.
 */
#ifndef SIMTCHECK_CHECKS_REMOVED_H
#define SIMTCHECK_CHECKS_REMOVED_H

#include "accept.h"

/* The accesses of both. Without nvcc's, `by_nvcc.all` is null. */
struct removed {
    struct access_lines by_nvcc, by_clang;
};

/* Writes a sentence if nvcc removed the access at that place, or else "". Compilers may disagree
 * about the line of an access by a few lines. So there is none if nvcc has such an access nearby,
 * on a line where clang has none. */
void removed_explain(const struct removed *removed, const char *file, int line, bool writes,
                     char *text, size_t size);

void removed_free(struct removed *removed);

#endif
