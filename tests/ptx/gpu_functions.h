/* SPDX-License-Identifier: MIT
 *
 * Functions of PTX on a GPU, by the driver's own compiler.
 */
#ifndef SIMTCHECK_TESTS_GPU_FUNCTIONS_H
#define SIMTCHECK_TESTS_GPU_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when there is no driver or no GPU: `reason` says which. */
bool gpu_open(char *reason, size_t size);

/* The PTX of FOLDER/instructions_<file>.ptx, with an entry for each of its functions: numbers
 * `file`, `file` + `files`, and so on below the count of instructions. Entry g<number> takes tuples
 * of 5 words, results of 2, and how many there are. The caller's to free; null: it cannot be read.
 */
char *functions_text(const char *folder, size_t file, size_t files);

/* Compiles FOLDER/instructions_<file>.ptx, with an entry for each of its functions: numbers `file`,
 * `file` + `files`, and so on below the count of instructions. `optimise`: or not at all. */
bool gpu_load(const char *folder, size_t file, size_t files, bool optimise);

/* Runs function `number` on each tuple of 5 words, which gives 2. */
bool gpu_run(size_t number, const void *tuples, size_t tuple_bytes, void *results,
             size_t result_bytes, uint32_t count);

#endif
