/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_PTX_LAYOUT_H
#define SIMTCHECK_PTX_LAYOUT_H

#include "module.h"

enum { LAYOUT_SHARED = 227 * 1024 }; /* bytes a block may have, compute capability 9.0 */

/* Finds basic blocks, which variables in shared memory each entry has, and places for them. */
void layout_module(struct module *module);

#endif
