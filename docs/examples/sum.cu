/* SPDX-License-Identifier: MIT
 *
 * Kernels that compute the sum of each block. The suite in sum.c calls them by name.
 */
#include <simtcheck/dialect.h>

/* As in many tutorials: right if B is a power of two and n is a multiple of B. */
__global__ void blockSum(int *in, int *out)
{
    int t = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            segment[t] += segment[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = segment[0];
}
EXPORT_KERNEL(blockSum);

/* The same sum, right for every n and every block size. */
__global__ void blockSumCorrected(int *in, int *out, unsigned int n)
{
    unsigned int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    unsigned int count = first >= n ? 0 : n - first < blockDim.x ? n - first : blockDim.x;

    while (count > 1) {
        unsigned int half = (count + 1) / 2;
        if (t < count / 2)
            in[first + t] += in[first + t + half];
        __syncthreads();
        count = half;
    }
    if (t == 0)
        out[blockIdx.x] = count == 0 ? 0 : in[first];
}
EXPORT_KERNEL(blockSumCorrected);

/* Without the barrier: guaranteed to be right only under lockstep, in blocks of one warp. */
__global__ void blockSumNoBarrier(int *in, int *out)
{
    int t = threadIdx.x;
    int *segment = in + blockIdx.x * blockDim.x;

    /* defect: no_barrier */
    for (int half = blockDim.x / 2; half > 0; half /= 2)
        if (t < half)
            segment[t] += segment[t + half];
    if (t == 0)
        out[blockIdx.x] = segment[0];
    /* end of defect */
}
EXPORT_KERNEL(blockSumNoBarrier);
