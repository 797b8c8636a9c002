// SPDX-License-Identifier: MIT
//
// One slot for each multiprocessor: blocks that share one lose counts.
__device__ inline unsigned smid()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

template <int V> __global__ void tally(int *slot, int n)
{
    int at = smid() % n;
    if (threadIdx.x == 0) {
        if (V == 0)
            atomicAdd(&slot[0], 1);
        else if (V == 1)
            slot[at] += 1;
        else
            atomicAdd(&slot[at], 1);
    }
}

__global__ void total(const int *slot, int *sum, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += slot[i];
    *sum = s;
}

// %warpid is not the number of the warp in the block.
template <int V> __global__ void perWarp(int *out)
{
    __shared__ int part[64];
    unsigned w;
    if (V == 0)
        w = threadIdx.x / 32;
    else
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[w] = w + 1;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < blockDim.x / 32; i++)
            out[i] = part[i];
}
