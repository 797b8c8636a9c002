/* SPDX-License-Identifier: MIT
 *
 * Litmus tests as PTX: many instances of a test at once, each with variables of its own.
 */
#ifndef SIMTCHECK_LITMUS_KERNEL_H
#define SIMTCHECK_LITMUS_KERNEL_H

#include "litmus_layout.h"

#include <stdio.h>

/* Bytes for global variables. The same memory is mapped LITMUS_VARIABLES times, one after the
 * other: variable v, if it is an alias, is in mapping v, and other variables are in mapping 0. */
#define LITMUS_MEMORY (256ll << 20)

/* The parameters of the kernels, in order. An instance has the number i in iteration k of a launch;
 * variable v is at variables + k * iteration_bytes + v * variable_bytes + i * instance_bytes. */
struct litmus_parameters {
    unsigned long long variables, results, meeting, scratch;
    unsigned int variable_bytes, instance_bytes, iteration_bytes, iterations;
    unsigned int blocks;     /* that run the test; further blocks load and store elsewhere */
    unsigned int multiplier; /* coprime to `blocks`: pairs blocks that are far from each other */
    unsigned int delay;      /* threads begin up to that many steps later: a power of two minus 1 */
    unsigned int busy;       /* 1: they store elsewhere in these steps */
    unsigned int shift;      /* thread n of a block meets thread n + shift of the next block */
    unsigned int rotation;   /* 1: the warps of a block run different threads of the test */
};

/* Writes a module with three kernels, each with these parameters as one structure:
 *
 * - `begin` writes the initial values. One thread for each instance and iteration.
 * - `litmus` runs the test in blocks of LITMUS_BLOCK threads. All blocks must be resident.
 *   `meeting` points to two words that are 0. It writes to `results` the registers and shared
 *   variables that the condition names: a word for each term, iteration and instance.
 * - `finish` writes global variables that the condition names. One thread for each iteration and
 *   instance. */
void litmus_kernel_write(const struct litmus_test *test, const struct litmus_layout *layout,
                         int architecture, FILE *file);

enum { LITMUS_STRIDE = 64 }; /* bytes between global variables of a lone instance */

/* Writes a module with one kernel, `litmus`, for one instance of a test without aliases. Its
 * parameters are the addresses of the global variables, which have their initial values, and of a
 * word for each term of a register or a shared variable. It needs layout->blocks blocks of 32 *
 * layout->warps threads. */
void litmus_kernel_write_one(const struct litmus_test *test, const struct litmus_layout *layout,
                             FILE *file);

#endif
