// SPDX-License-Identifier: MIT

#include <cuda/atomic>

// A value goes through three threads in two blocks.
template <int V> __global__ void relay(int *data, int *one, int *two, int *out)
{
    using wide = cuda::atomic_ref<int, cuda::thread_scope_device>;
    using narrow = cuda::atomic_ref<int, cuda::thread_scope_block>;
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t == 0) {
        *data = 7;
        if (V == 1)
            wide(*one).store(1, cuda::memory_order_relaxed);
        else if (V == 4)
            wide(*one).store(1, cuda::memory_order_release);
        else
            narrow(*one).store(1, cuda::memory_order_release);
        if (V == 6)
            narrow(*two).store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0 && t == 32 && V != 6) {
        if (V == 2)
            while (narrow(*one).load(cuda::memory_order_relaxed) == 0)
                ;
        else if (V == 4)
            while (wide(*one).load(cuda::memory_order_relaxed) == 0)
                ;
        else
            while (narrow(*one).load(cuda::memory_order_acquire) == 0)
                ;
        if (V == 3)
            narrow(*two).store(1, cuda::memory_order_release);
        else if (V == 4)
            wide(*one).store(2, cuda::memory_order_relaxed);
        else if (V == 5)
            wide(*two).exchange(1, cuda::memory_order_release);
        else
            wide(*two).store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1 && t == 0) {
        if (V == 4)
            while (wide(*one).load(cuda::memory_order_acquire) != 2)
                ;
        else
            while (wide(*two).load(cuda::memory_order_acquire) == 0)
                ;
        *out = *data;
    }
}

// The order of fence and flag.
template <int V> __global__ void sides(int *data, volatile int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        if (V == 1)
            __threadfence();
        data[0] = 3;
        if (V != 1)
            __threadfence();
        *flag = 1;
    } else {
        if (V == 2)
            __threadfence();
        while (*flag == 0)
            ;
        if (V == 3)
            asm volatile("fence.proxy.alias;" ::: "memory");
        else if (V == 4)
            __threadfence_block();
        else if (V == 5)
            asm volatile("fence.release.gpu;" ::: "memory");
        else if (V != 2)
            __threadfence();
        *out = data[0];
    }
}

// The last block adds up.
template <int V> __global__ void lastBlock(const int *in, int *part, unsigned *count, int *out, int n)
{
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = blockIdx.x * 64 + t < n ? in[blockIdx.x * 64 + t] : 0;
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        if (V != 1)
            __threadfence();
        last = atomicInc(count, V == 5 ? gridDim.x : gridDim.x - 1) == gridDim.x - 1;
        if (V == 0 || V == 5)
            __threadfence();
    }
    if (V != 4)
        __syncthreads();
    if (!last)
        return;
    if (V == 2)
        __threadfence_block();
    if (V == 3)
        __threadfence();
    int sum = 0;
    for (int i = t; i < gridDim.x; i += 64)
        sum += part[i];
    atomicAdd(out, sum);
}
