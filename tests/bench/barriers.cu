/* SPDX-License-Identifier: MIT */
#include <simtcheck/dialect.h>

/* n barriers and nothing else. */
__global__ void barriers(int *in, int *out, unsigned int n)
{
    (void)in;
    for (unsigned int k = 0; k < n; k++)
        __syncthreads();
    if (threadIdx.x == 0)
        out[0] = 0;
}

EXPORT_KERNEL(barriers);
