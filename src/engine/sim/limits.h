/* SPDX-License-Identifier: MIT
 *
 * Limits of a launch's configuration and duration.
 */
#ifndef SIMTCHECK_SIM_LIMITS_H
#define SIMTCHECK_SIM_LIMITS_H

#include "code.h"
#include "engine.h"

/* Returns why a launch of the kernel with that configuration fails, or null if it is valid.
 * `shared_bytes` is dynamic shared memory. `opts_in`: the host requested more than 48 KiB. `code`
 * is null for an unknown kernel. */
const char *limits_error(const struct function_code *code, const struct extent *grid,
                         const struct extent *block, uint32_t shared_bytes, bool opts_in);

/* Returns how many blocks of the kernel a GPU of compute capability 9.0 holds at once. The
 * registers of a thread, which the simulator does not know, may lower it. */
uint64_t limits_resident(const struct function_code *code, const struct extent *block,
                         uint32_t shared_bytes);
enum {
    MULTIPROCESSORS = 132,
    RESIDENT_THREADS = MULTIPROCESSORS * 2048,
    RESIDENT_BLOCKS = MULTIPROCESSORS * 32
};

/* Returns the number of blocks of a grid, or of threads of a block. */
uint64_t limits_count(const struct extent *extent);

/* Returns a limit of steps. It is far above what a grid of that shape needs for `elements`
 * elements, but a grid that never ends soon reaches it. */
uint64_t limits_steps(const struct extent *grid, const struct extent *block, uint64_t elements);

#endif
