/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_CAPTURE_TRITON_H
#define SIMTCHECK_CAPTURE_TRITON_H

#include <stddef.h>

/* Triton loads machine code, and keeps its PTX in a folder of its cache. Returns the PTX beside the
 * machine code with that size and hash, for the caller to free; null: not found. */
char *triton_ptx(size_t bytes, const char *hash);

#endif
