/* SPDX-License-Identifier: MIT */
/* Source of sample-*.ptx, by nvcc -rdc=true -ptx -arch=compute_80. */
extern __shared__ int dynamic_words[];
__device__ int counter;
__device__ unsigned char bytes[3] = {1, 2, 3};
__constant__ int limit = 7;

__device__ __noinline__ int twice(const int *value)
{
    return *value * 2;
}

__global__ void child(int *data, int depth)
{
    data[threadIdx.x] += depth + limit + bytes[threadIdx.x % 3];
}

__global__ void sample(volatile int *data, int *out, unsigned int n)
{
    __shared__ int words[64];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    words[threadIdx.x % 64] = i < n ? data[i] : 0;
    dynamic_words[threadIdx.x] = 1;
    __syncthreads();
    data[i] = words[63 - threadIdx.x % 64] + dynamic_words[0];
    atomicAdd(&counter, 1);
    atomicExch(&words[0], 2);
    __threadfence();
    out[i] = twice(out + i) + __shfl_xor_sync(0xffffffff, i, 1) + words[0];
    if (threadIdx.x == 0)
        child<<<1, 32>>>(out, 1);
}
