/* SPDX-License-Identifier: MIT
 *
 * Kernels of a shared object, translated from PTX or compiled from source, loaded while a program
 * runs.
 */
#ifndef SIMTCHECK_HOST_CODE_H
#define SIMTCHECK_HOST_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the object's kernels and modules the program's. It stays until the process ends. False,
 * with a sentence. */
bool code_load(const char *path, char *reason, size_t reason_size);

#endif
