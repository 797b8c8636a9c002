// SPDX-License-Identifier: MIT
//
// One lane invalidates an mbarrier that others have used.
#include <cstdint>

__device__ inline uint32_t at(void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void waitFor(uint64_t *bar)
{
    asm volatile("{\n\t.reg .pred p;\nAGAIN:\n\tmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n\t@!p bra AGAIN;\n\t}"
                 ::"r"(at(bar)) : "memory");
}

__device__ inline void arrive(uint64_t *bar)
{
    asm volatile("{\n\t.reg .b64 t;\n\tmbarrier.arrive.shared.b64 t, [%0];\n\t}" ::"r"(at(bar)) : "memory");
}

template <int V> __global__ void retire(int *out)
{
    __shared__ uint64_t bar[2];
    __shared__ int data[64];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        for (int i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(&bar[i])), "r"(64) : "memory");
    __syncthreads();
    data[t] = t;
    arrive(&bar[0]);
    waitFor(&bar[0]);
    int got = data[t ^ 32];
    if (V == 0) {
        __syncthreads();
        if (t == 0)
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[0])) : "memory");
    } else if (V == 1) {
        __match_any_sync(0xffffffff, t / 32);
        if (t == 0)
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[0])) : "memory");
    } else if (V == 2) {
        __match_any_sync(0xffffffff, t / 32);
        if (lane == 0)
            data[t] = got;
        got = data[t];
    } else if (V == 3) {
        if (t < 32) {
            unsigned mask = lane < 16 ? 0x0000ffff : 0xffff0000;
            __match_any_sync(mask, t / 16);
        }
        if (t == 16) {
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[1])) : "memory");
            bar[1] = 5;
        }
        if (t == 3)
            arrive(&bar[1]);
    } else if (V == 4) {
        if (t < 32) {
            __match_any_sync(0xffffffff, 1);
            if (lane == 3)
                arrive(&bar[1]);
            if (lane == 0)
                asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[1])) : "memory");
        }
    } else if (V == 5) {
        if (t < 32) {
            if (lane == 3)
                arrive(&bar[1]);
            __match_any_sync(0xffffffff, 1);
            if (lane == 0) {
                asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[1])) : "memory");
                arrive(&bar[1]);
            }
        }
    } else if (V == 6) {
        if (t < 32) {
            if (lane == 3)
                arrive(&bar[1]);
            __ballot_sync(0xffffffff, 1);
            if (lane == 0)
                asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[1])) : "memory");
        }
    } else if (V == 7) {
        if (t < 32) {
            if (lane == 3)
                arrive(&bar[1]);
            __syncwarp();
            if (lane == 0)
                asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar[1])) : "memory");
        }
    }
    out[t] = got;
}
