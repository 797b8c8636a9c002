/* SPDX-License-Identifier: MIT
 *
 * What kernels print: a worker's standard output, which goes to memory.
 */
#ifndef SIMTCHECK_WORKERS_OUTPUT_H
#define SIMTCHECK_WORKERS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* From now on standard output is kept. False with errno set when that cannot be. */
bool output_keep(void);

/* What was printed since the last call, up to size - 1 bytes of it; returns how many there were. */
size_t output_take(char *text, size_t size);

#endif
