/* SPDX-License-Identifier: MIT
 *
 * Sums of float in shared memory. Each thread loads one element, the block adds them there, and
 * thread 0 stores the sum in out[b].
 */
#include <simtcheck/dialect.h>

/* Neighbouring pairs in an array of 512, the textbook's block size. No element is tested against n:
 * the host pads the input with zeros to whole blocks. B must be a power of two, at most 512.
 * Print, reduceSharedDivergent: as printed. */
__global__ void reduceSharedDivergent(float *in, float *out)
{
    __shared__ float s[512];
    int tid = threadIdx.x;

    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* The same with interleaved pairs, so that whole warps are idle instead of single lanes.
 * Right for a few more shapes: where halving B loses only padding.
 * Print, reduceSharedLessDivergent: as printed it does not compile, because it misspells the array's
 * name in one place. */
__global__ void reduceSharedLessDivergent(float *in, float *out)
{
    __shared__ float s[512];
    int tid = threadIdx.x;

    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* Both for every n and B. The array holds the largest block, an element past the data counts as 0,
 * and a partner must be in the block. */
__global__ void reduceSharedDivergentCorrected(const float *in, float *out, unsigned int n)
{
    __shared__ float s[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < blockDim.x)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

__global__ void reduceSharedLessDivergentCorrected(const float *in, float *out, unsigned int n)
{
    __shared__ float s[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    unsigned int cover = 1;

    s[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();
    while (cover < blockDim.x)
        cover *= 2;
    for (unsigned int stride = cover / 2; stride > 0; stride >>= 1) {
        if (tid < stride && tid + stride < blockDim.x)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

EXPORT_KERNEL(reduceSharedDivergent);
EXPORT_KERNEL(reduceSharedDivergentCorrected);
EXPORT_KERNEL(reduceSharedLessDivergent);
EXPORT_KERNEL(reduceSharedLessDivergentCorrected);
