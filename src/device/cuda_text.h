/* SPDX-License-Identifier: MIT
 *
 * CUDA C++ as text, made C++ that a host compiler takes: launches, and what the words such as
 * __device__ mean for a variable or a function. The rest is src/device/dialect/cuda_source.h.
 */
#ifndef SIMTCHECK_COMPILERS_CUDA_TEXT_H
#define SIMTCHECK_COMPILERS_CUDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MAX_LOOKED_FOR = 8, OWN_FOLDERS = 2 };

/* Writes what has been preprocessed with src/device/dialect/cuda_source.h in front, every token on
 * its line still. Headers of the folders `own` are left as they are. *missing: the first of those
 * kernels, MAX_LOOKED_FOR at the most, that is none of the text's, whatever its namespace; null:
 * all are. False, with a sentence that has file and line, when kernels use what is not there. */
bool cuda_text_write(const char *text, size_t size, const char *const own[OWN_FOLDERS],
                     const char *const *kernels, size_t kernel_count, FILE *to,
                     const char **missing, char *error, size_t error_size);

#endif
