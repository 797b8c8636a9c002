/* SPDX-License-Identifier: MIT
 *
 * What assemblers make of the kernels that are selected: registers, spills, stack, shared memory,
 * code.
 */
#ifndef SIMTCHECK_COMMANDS_KERNEL_FACTS_H
#define SIMTCHECK_COMMANDS_KERNEL_FACTS_H

#include "build.h"
#include "json_model.h"
#include "record_tools.h"
#include "selection.h"

/* Assembles the PTX that this build has of the kernels by each ptxas of the list, or that on the
 * PATH. What the record points to is the memory's. */
struct code_record *kernel_facts_read(const struct compiler_paths *compilers,
                                      const struct selection *selection,
                                      const struct catalogue *catalogue, struct memory *memory);

/* A line for each ptxas: sums over its kernels, in bytes but for the registers. */
void kernel_facts_print(const struct code_record *facts);

#endif
