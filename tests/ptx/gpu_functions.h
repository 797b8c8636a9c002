/* SPDX-License-Identifier: MIT
 *
 * Runs PTX on a GPU, compiled by the driver's JIT compiler.
 */
#ifndef SIMTCHECK_TESTS_GPU_FUNCTIONS_H
#define SIMTCHECK_TESTS_GPU_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if there is no driver or no GPU; `reason` says which. */
bool gpu_open(char *reason, size_t size);

/* Compiles PTX, with or without optimisation. Returns false on error. */
bool gpu_load(const char *text, bool optimise);

/* Runs an entry of it in `count` threads, in blocks of `threads`. Its parameters are two pointers,
 * to tuples and to results, and the number of threads. The results start with the contents of
 * `results`. Returns false on error. */
bool gpu_run(const char *entry, const void *tuples, size_t tuple_bytes, void *results,
             size_t result_bytes, uint32_t count, uint32_t threads);

#endif
