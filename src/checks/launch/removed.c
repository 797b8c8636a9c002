/* SPDX-License-Identifier: MIT */
#include "removed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEARBY = 3 }; /* lines */

static bool has_access(const struct access_lines *lines, const char *file, int line, bool writes)
{
    for (size_t k = 0; k < lines->count; k++)
        if (lines->all[k].line == line && strcmp(lines->all[k].file, file) == 0)
            return writes ? lines->all[k].writes : lines->all[k].reads;
    return false;
}

void removed_explain(const struct removed *removed, const char *file, int line, bool writes,
                     char *text, size_t size)
{
    const struct access_lines *by_nvcc = &removed->by_nvcc, *by_clang = &removed->by_clang;
    bool is_removed = by_nvcc->all != NULL && has_access(by_clang, file, line, writes) &&
                      !has_access(by_nvcc, file, line, writes);

    for (int near = line - NEARBY; is_removed && near <= line + NEARBY; near++)
        is_removed =
            !has_access(by_nvcc, file, near, writes) || has_access(by_clang, file, near, writes);
    text[0] = '\0';
    if (is_removed)
        snprintf(text, size, "nvcc's PTX has no %s at %s:%d: nvcc removed it",
                 writes ? "store" : "load", file, line);
}

void removed_free(struct removed *removed)
{
    free(removed->by_nvcc.all);
    free(removed->by_clang.all);
    *removed = (struct removed){.by_nvcc = {NULL, 0}};
}
