// SPDX-License-Identifier: MIT
// All threads write one value to a flag, which races, and the order of a list depends on that of atomic operations.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void list(int *flag, int *out, int *count)
{
    int i = threadIdx.x;

    if (SECOND_MENDED ? i == 0 : i >= 0)
        *flag = 1;
    out[FIRST_MENDED ? i : atomicAdd(count, 1)] = i;
}
