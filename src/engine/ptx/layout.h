/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_PTX_LAYOUT_H
#define SIMTCHECK_PTX_LAYOUT_H

#include "module.h"

enum {
    LAYOUT_SHARED = 227 * 1024,   /* maximum bytes of a block, compute capability 9.0 */
    LAYOUT_SHARED_ARRAYS = 126,   /* maximum number of shared variables of a kernel */
    LAYOUT_DYNAMIC_ALIGNMENT = 16 /* minimum alignment of dynamic shared memory */
};

/* Returns the entry whose name in the catalogue the variable gives (entry_variable.h), or null if
 * it gives none or this module does not define the entry. */
struct function *layout_named_entry(const struct module *module, const struct variable *variable);

/* Determines which functions to decode: the entries with a name in the catalogue, or all
 * functions if no entry has one. Finds basic blocks, the shared variables of each entry, and
 * their addresses. */
void layout_module(struct module *module);

#endif
