// SPDX-License-Identifier: MIT
// A stencil without guards: reads before the array and after it, on one line.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void neighbours(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = FIRST_MENDED && i == 0 ? i : i - 1;
    int high = SECOND_MENDED && i == n - 1 ? i : i + 1;

    if (i < n)
        out[i] = in[low] + in[high];
}
