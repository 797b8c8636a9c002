/* SPDX-License-Identifier: MIT */
#include "array.h"

#include <stdlib.h>

void *array_grown(void *array, uint32_t *capacity, uint32_t wanted, size_t size)
{
    uint32_t more = *capacity == 0 ? 16 : 2 * *capacity;
    void *larger;

    if (wanted <= *capacity)
        return array;
    larger = realloc(array, more * size);
    if (larger != NULL)
        *capacity = more;
    return larger;
}
