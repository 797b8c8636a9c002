// SPDX-License-Identifier: MIT
// A store of a whole warp beyond the end of a shared array. Its first lanes store inside.
#ifndef FIRST_MENDED
#define FIRST_MENDED 0
#endif
#ifndef SECOND_MENDED
#define SECOND_MENDED 0
#endif

__global__ void warps(int *out, int n)
{
    __shared__ int small[20];
    unsigned t = threadIdx.x;

    if (n == 1 && (!FIRST_MENDED || t < 20))
        small[t] = n;
    __syncthreads();
    if (n == 2 && (!SECOND_MENDED || t < 19))
        small[t + 1] = n;
    __syncthreads();
    out[t] = n == 1 || n == 2 ? small[1 + t % 19] : 0;
}
