/* SPDX-License-Identifier: MIT
 *
 * Kernels whose mutants are known.
 */
#include <cuda_runtime.h>

/* Every mutant of it breaks a rule: each thread has one element, and there are no others. */
extern "C" __global__ void ones(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

/* Of a block's n elements the sum; the order of the operands makes no other code, nor does a name
 * that nobody reads. */
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

/* Nobody's. */
__global__ void unused(int *p)
{
    *p = 1 + 2;
}

int main()
{
    unused<<<1, 1>>>(nullptr);
    return 0;
}
