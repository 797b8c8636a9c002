// SPDX-License-Identifier: MIT
//
// Barriers with numbers that two groups of warps share.
__device__ inline void bar(int id, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ inline void arriveAt(int id, int count)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

template <int V> __global__ void pairs(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, pair = t / 64;
    s[t] = t;
    if (V == 0)
        bar(1 + pair, 64);
    else if (V == 1)
        bar(1, 64);
    else if (V == 2)
        bar(1, 128);
    else if (V == 3)
        bar(1 + t / 32 % 2, 64);
    else if (V == 4) {
        if (pair == 0)
            __syncthreads();
        else
            bar(0, 128);
    } else if (V == 5) {
        bar(0, 64);
    }
    out[t] = s[t ^ 32];
}

// Warp 0 produces, warp 1 consumes, through one or two buffers.
template <int V> __global__ void stream(const int *in, int *out, int n)
{
    __shared__ int s[2][32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < n; i++) {
            if (V != 1 && i >= 2)
                bar(3 + i % 2, 64);
            s[i % 2][lane] = in[i * 32 + lane];
            if (V == 3)
                arriveAt(1, 64);
            else
                arriveAt(1 + i % 2, 64);
        }
    } else {
        for (int i = 0; i < n; i++) {
            bar(V == 3 ? 1 : 1 + i % 2, 64);
            if (V == 2 && i + 2 < n)
                arriveAt(3 + i % 2, 64);
            out[i * 32 + lane] = s[i % 2][lane ^ 1];
            if (V != 2 && V != 1 && i + 2 < n)
                arriveAt(3 + i % 2, 64);
        }
    }
}
