/* SPDX-License-Identifier: MIT
 *
 * clang as a compiler from CUDA C++ to PTX, without a CUDA toolkit.
 */
#ifndef SIMTCHECK_DEVICE_CLANG_H
#define SIMTCHECK_DEVICE_CLANG_H

#include "build.h"

/* The oldest clang that the headers in src/device/clang/ support, and the newest one whose name is
 * tried. */
enum { CLANG_OLDEST = 14, CLANG_NEWEST = 21 };

/* Opens the clang of that path. Without a path (NULL), opens the one that SIMTCHECK_CLANG names in
 * the environment. Otherwise opens the newest of clang++ and clang++-14 to clang++-21 on the PATH.
 * Returns false if it finds no clang, with a message that says what to install. */
bool clang_open(const char *path, struct compiler *compiler, char *error, size_t error_size);

/* Returns the newest version of PTX that this clang supports, such as 75 for 7.5. */
int clang_ptx_version(const struct compiler *clang);

/* Compiles as build_user_ptx() does. Flags are nvcc's or clang's. Flags that only nvcc has are
 * translated, or dropped if they do not change the meaning of a kernel. `said` gets the beginning
 * of clang's output. Returns false on error. */
bool clang_build_ptx(const struct compiler *clang, const char *const *flags, size_t flag_count,
                     const char *cuda, const char *ptx, char *said, size_t said_size);

#endif
