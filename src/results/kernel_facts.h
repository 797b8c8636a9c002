/* SPDX-License-Identifier: MIT
 *
 * What assemblers make of the selected kernels: registers, spills, stack, shared memory, code.
 */
#ifndef SIMTCHECK_RESULTS_KERNEL_FACTS_H
#define SIMTCHECK_RESULTS_KERNEL_FACTS_H

#include "build.h"
#include "json_model.h"
#include "record_code.h"
#include "selection.h"

/* Assembles the kernels' PTX of this build with each ptxas of the list, or with the one on the
 * PATH. `memory` owns all that the record points to. */
struct code_record *kernel_facts_read(const struct compiler_paths *compilers,
                                      const struct selection *selection,
                                      const struct catalogue *catalogue, struct memory *memory);

#endif
