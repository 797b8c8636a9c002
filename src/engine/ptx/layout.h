/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_PTX_LAYOUT_H
#define SIMTCHECK_PTX_LAYOUT_H

#include "module.h"

enum { LAYOUT_SHARED = 227 * 1024 }; /* bytes a block may have, compute capability 9.0 */

/* Is it a variable that gives an entry its name in the catalogue (dialect.h), and if so, which?
 * Null: none that is here. */
bool layout_is_name(const struct variable *variable);
struct function *layout_named_entry(const struct module *module, const struct variable *variable);
const char *layout_name(const struct variable *variable);

/* Finds out what is to be decoded (of entries, those with a name in the catalogue, or all where
 * none has one), basic blocks, which variables in shared memory each entry has,
 * and places for them. */
void layout_module(struct module *module);

#endif
