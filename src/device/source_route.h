/* SPDX-License-Identifier: MIT
 *
 * From CUDA C++ to code for the host engine without nvcc: by the host compiler, with what CUDA adds
 * to C++ from src/device/dialect/cuda_source.h and from the text itself (cuda_text.h).
 */
#ifndef SIMTCHECK_COMPILERS_SOURCE_ROUTE_H
#define SIMTCHECK_COMPILERS_SOURCE_ROUTE_H

#include "entry.h"

#include <stdio.h>

/* Writes what makes the kernel, with template arguments or without, one of the object's: to stand
 * behind the file that has it. */
void source_route_export(FILE *to, const char *name, const char *kernel);

/* Compiles such a file, which has those kernels, with flags of its user's, those that are for nvcc
 * alone left out, into a shared object for the engine host: by the C++ compiler that built this
 * program, or that which the environment names in SIMTCHECK_CXX. No constructor of the file's will
 * run. False, with what the compiler says first, or with what the file uses that is not there. */
bool source_route_build(const char *const *flags, size_t flag_count, const char *cuda,
                        const char *const *kernels, size_t kernel_count, const char *object,
                        char *error, size_t error_size);

/* What the kernel of that name in such an object takes; nothing of the object runs. False, with a
 * sentence. */
bool source_route_entry(const char *object, const char *name, struct entry *entry, char *error,
                        size_t error_size);

#endif
