/* SPDX-License-Identifier: MIT
 *
 * What a launch may ask for, and how long it may take.
 */
#ifndef SIMTCHECK_SIM_LIMITS_H
#define SIMTCHECK_SIM_LIMITS_H

#include "code.h"
#include "engine.h"

/* Why a launch of the kernel in that shape is refused; null: it is not. `shared_bytes` is dynamic;
 * `opts_in`: the host has asked for more than 48 KiB. `code` is null for a kernel that is not
 * there. */
const char *limits_error(const struct function_code *code, const struct extent *grid,
                         const struct extent *block, uint32_t shared_bytes, bool opts_in);

/* Blocks of a grid, or threads of a block. */
uint64_t limits_count(const struct extent *extent);

/* Steps far above what a grid of that shape needs for so many elements, and soon made by one that
 * never ends. */
uint64_t limits_steps(const struct extent *grid, const struct extent *block, uint64_t elements);

#endif
