/* SPDX-License-Identifier: MIT
 *
 * Kernels with known mutants.
 */
#include <cuda_runtime.h>

/* Every mutant breaks a rule: each thread has exactly one element. */
extern "C" __global__ void ones(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

/* Sums up a block's n elements. Swapped operands or a renamed local give the same machine code.
 */
__device__ int first(const int *in, int n)
{
    return threadIdx.x < n ? in[threadIdx.x] : 0;
}

__global__ void sum(const int *in, int *out, int n)
{
    __shared__ int s[64];

    s[threadIdx.x] = first(in, n);
    __syncthreads();
    for (unsigned int stride = 32; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = s[0];
}

/* No launch uses it. */
__global__ void unused(int *p)
{
    *p = 1 + 2;
}

int main()
{
    unused<<<1, 1>>>(nullptr);
    return 0;
}
