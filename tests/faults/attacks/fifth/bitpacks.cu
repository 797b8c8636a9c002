// SPDX-License-Identifier: MIT
//
// Several threads fill one word.
struct Flags {
    unsigned a : 8, b : 8, c : 16;
};

template <int V> __global__ void pack(unsigned *out, int n)
{
    __shared__ union {
        unsigned word[64];
        unsigned char byte[256];
        Flags flags[64];
    } u;
    int t = threadIdx.x;
    u.word[t] = 0;
    __syncthreads();
    if (V == 0) {
        u.byte[4 * t] = t;
        u.byte[(4 * t + 5) % 256] = 2;
    } else if (V == 1) {
        u.flags[t].a = t;
        u.flags[(t + 1) % 64].c = 2;
    } else if (V == 2) {
        u.flags[t].a = t;
        __syncthreads();
        u.flags[(t + 1) % 64].b = 2;
    } else if (V == 3) {
        atomicOr(&u.word[t], t);
        u.byte[(4 * t + 5) % 256] = 2;
    }
    __syncthreads();
    out[t] = u.word[t];
}

// Two halves of a word by atomics of 16 bits, of 32 bits, or of both.
#include <cuda_fp16.h>
template <int V> __global__ void pairs(__half2 *sum)
{
    __half one = __float2half(1);
    if (V == 0)
        atomicAdd(&((__half *)sum)[threadIdx.x % 2], one);
    else if (V == 1 && threadIdx.x % 2)
        atomicAdd(sum, __half2half2(one));
    else
        atomicAdd((__half *)sum, one);
}
