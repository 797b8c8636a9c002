/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_MACHINE_ARRAY_H
#define SIMTCHECK_MACHINE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* The array with room for `wanted` elements of `size` bytes; null, and the array as it was, when
 * memory runs out. */
void *array_grown(void *array, uint32_t *capacity, uint32_t wanted, size_t size);

#endif
