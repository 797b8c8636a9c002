/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_ARRAY_H
#define SIMTCHECK_SIM_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Returns the array with room for `wanted` elements of `size` bytes. If memory runs out, returns
 * null and leaves the array unchanged. */
void *array_grown(void *array, uint32_t *capacity, uint32_t wanted, size_t size);

#endif
