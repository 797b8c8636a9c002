// SPDX-License-Identifier: MIT
// Two headers of one name read past the array, on equal lines.
#include "one/part.h"
#include "two/part.h"
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void headers(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = 0;
    if (i == 40)
        out[i] = part_one(in, FIRST_MENDED ? i : n);
    if (i == 3)
        out[i] = 2 * part_two(in, SECOND_MENDED ? i : n + 1);
}
