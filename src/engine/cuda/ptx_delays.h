/* SPDX-License-Identifier: MIT
 *
 * Puts delays into PTX: before each access to global or shared memory, an atomic one included, some
 * instructions that let the thread sleep, at random, for a random time. A legal schedule of the
 * kernel stays a legal schedule.
 *
 * The variable `simt_delays`, four words, says how: a seed, how often (as a fraction of 2^32), the
 * longest time in nanoseconds, and 0. All modules share one.
 */
#ifndef SIMTCHECK_ENGINE_CUDA_PTX_DELAYS_H
#define SIMTCHECK_ENGINE_CUDA_PTX_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a module and writes it with delays; `first_point` numbers its first access, and *points
 * receives how many there were. False, with the reason and the line in one sentence, for what is
 * not understood; what was written is then of no use. */
bool ptx_add_delays(const char *ptx, unsigned int first_point, FILE *out, unsigned int *points,
                    char *reason, size_t reason_size);

#endif
