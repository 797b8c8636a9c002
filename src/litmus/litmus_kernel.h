/* SPDX-License-Identifier: MIT
 *
 * Litmus tests as PTX: many instances of a test at once, each with variables of its own.
 */
#ifndef SIMTCHECK_LITMUS_KERNEL_H
#define SIMTCHECK_LITMUS_KERNEL_H

#include "litmus.h"

#include <stdio.h>

enum { LITMUS_BLOCK = 256 }; /* threads of a block */

/* Bytes for global variables. The same memory is mapped LITMUS_VARIABLES times, one after the
 * other: variable v, if it is an alias, is in mapping v, and other variables are in mapping 0. */
#define LITMUS_MEMORY (256ll << 20)

/* How instances are laid out. Each instance uses `blocks` blocks, which belong to clusters of
 * `cluster` blocks. In a block, `warps` warps and `lanes` lanes of a warp belong to one instance.
 */
struct litmus_layout {
    int blocks, cluster, warps, lanes;
    int per_block; /* instances that share their blocks */
    /* The thread of the test for each block, warp and lane of an instance; -1: none. */
    int roles[LITMUS_THREADS][LITMUS_THREADS][LITMUS_THREADS];
};

/* Returns null, or why a GPU cannot run the test. */
const char *litmus_layout_of(const struct litmus_test *test, struct litmus_layout *layout);

/* The parameters of the kernels, in order. An instance has the number i in iteration k of a launch;
 * variable v is at variables + k * iteration_bytes + v * variable_bytes + i * instance_bytes. */
struct litmus_parameters {
    unsigned long long variables, results, meeting, scratch;
    unsigned int variable_bytes, instance_bytes, iteration_bytes, iterations;
    unsigned int blocks;     /* that run the test; further blocks load and store elsewhere */
    unsigned int multiplier; /* coprime to `blocks`: pairs blocks that are far from each other */
    unsigned int delay;      /* threads begin up to that many steps later: a power of two minus 1 */
};

/* Writes a module with three kernels, each with these parameters as one structure:
 *
 * - `begin` writes the initial values. One thread for each instance and iteration.
 * - `litmus` runs the test in blocks of LITMUS_BLOCK threads. All blocks must be resident.
 * `meeting` points to two words that are 0.
 * - `finish` writes the values of the condition's terms to `results`: for each iteration and
 *   instance, as many words as there are terms. One thread for each of them. */
void litmus_kernel_write(const struct litmus_test *test, const struct litmus_layout *layout,
                         int architecture, FILE *file);

enum { LITMUS_STRIDE = 64 }; /* bytes between global variables of a lone instance */

/* Writes a module with one kernel, `litmus`, for one instance. Its parameters are the addresses of
 * the global variables, which have their initial values, and of a word for each term. It needs
 * layout->blocks blocks of 32 * layout->warps threads. */
void litmus_kernel_write_one(const struct litmus_test *test, const struct litmus_layout *layout,
                             FILE *file);

#endif
