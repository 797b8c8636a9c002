/* SPDX-License-Identifier: MIT
 *
 * Adds delays to PTX. Before each access to global or shared memory, atomic ones included, it
 * inserts instructions that make the thread sleep, at random, for a random time. A legal schedule
 * of the kernel remains a legal schedule.
 *
 * The variable `simt_delays` controls the delays. It has four words: a seed, the frequency (as a
 * fraction of 2^32), the longest time in nanoseconds, and 0. All modules share it.
 */
#ifndef SIMTCHECK_CUDA_PTX_DELAYS_H
#define SIMTCHECK_CUDA_PTX_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a module and writes it with delays. `first_point` is the number of its first access, and
 * *points receives the number of accesses. If the module is not understood, returns false with the
 * reason and the line in one sentence. The output is then unusable. */
bool ptx_add_delays(const char *ptx, unsigned int first_point, FILE *out, unsigned int *points,
                    char *reason, size_t reason_size);

#endif
