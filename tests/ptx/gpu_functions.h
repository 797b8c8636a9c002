/* SPDX-License-Identifier: MIT
 *
 * Runs PTX functions on a GPU, compiled by the driver's JIT compiler.
 */
#ifndef SIMTCHECK_TESTS_GPU_FUNCTIONS_H
#define SIMTCHECK_TESTS_GPU_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if there is no driver or no GPU; `reason` says which. */
bool gpu_open(char *reason, size_t size);

/* Returns the PTX of FOLDER/instructions_<file>.ptx, with an entry for each of its functions. Their
 * numbers are `file`, `file` + `files`, and so on, below the count of instructions. The parameters
 * of entry g<number> are tuples of 5 words, results of 2, and the number of tuples. The caller
 * frees the text. Returns null if the file cannot be read. */
char *functions_text(const char *folder, size_t file, size_t files);

/* Compiles the text of functions_text(), with or without optimisation. Returns false on error. */
bool gpu_load(const char *folder, size_t file, size_t files, bool optimise);

/* Runs function `number` on each tuple of 5 words. Each gives 2 words. Returns false on error. */
bool gpu_run(size_t number, const void *tuples, size_t tuple_bytes, void *results,
             size_t result_bytes, uint32_t count);

#endif
