/* SPDX-License-Identifier: MIT
 *
 * Kernels that were translated from PTX into a shared object, loaded while a program runs.
 */
#ifndef SIMTCHECK_HOST_CODE_H
#define SIMTCHECK_HOST_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the object's kernels and modules the program's. It stays until the process ends. False,
 * with a sentence. */
bool code_load(const char *path, char *reason, size_t reason_size);

#endif
