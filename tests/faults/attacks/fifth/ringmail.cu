// SPDX-License-Identifier: MIT

#include <cuda/atomic>

// A ring of two slots: one warp produces, one consumes.
template <int V> __global__ void ring(const int *in, int *out, int n)
{
    __shared__ int slot[2];
    __shared__ int head, tail;
    using ref = cuda::atomic_ref<int, cuda::thread_scope_block>;
    if (threadIdx.x == 0)
        head = tail = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            int limit = V == 1 ? 3 : 2;
            while (i - ref(tail).load(V == 2 ? cuda::memory_order_relaxed : cuda::memory_order_acquire) >= limit)
                ;
            slot[i % 2] = in[i];
            ref(head).store(i + 1, V == 3 ? cuda::memory_order_relaxed : cuda::memory_order_release);
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < n; i++) {
            while (ref(head).load(cuda::memory_order_acquire) <= i)
                ;
            int v = slot[i % 2];
            if (V == 4)
                ref(tail).store(i + 1, cuda::memory_order_release);
            out[i] = V == 4 ? slot[i % 2] : v;
            if (V != 4)
                ref(tail).store(i + 1, cuda::memory_order_release);
        }
    }
}
