/* SPDX-License-Identifier: MIT
 *
 * What assemblers make of the kernels that are selected: registers, spills, stack, shared memory,
 * code.
 */
#ifndef SIMTCHECK_COMMANDS_KERNEL_FACTS_H
#define SIMTCHECK_COMMANDS_KERNEL_FACTS_H

#include "build.h"
#include "selection.h"

#include <jansson.h>

/* Assembles the PTX that this build has of the kernels by each ptxas of the list, or that on the
 * PATH, and returns an object, the caller's: "unavailable", why there is nothing, or null;
 * "failures", modules that a ptxas refused; "kernels", a row for each kernel, and each function
 * beside them. */
json_t *kernel_facts_read(const struct compiler_paths *compilers, const struct selection *selection,
                          const struct catalogue *catalogue);

/* A line for each ptxas: sums over its kernels, in bytes but for the registers. */
void kernel_facts_print(const json_t *facts);

#endif
