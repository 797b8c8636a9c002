// SPDX-License-Identifier: MIT
//
// In-place work through pointers that promise not to alias.
template <int V>
__global__ void smooth(const float *__restrict__ in, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[V == 1 && i > 0 ? i - 1 : i];
}

template <int V> __global__ void flagged(const int *in, int *ready, int *out, int n)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) {
        ready[1 + i] = in[i];
        __syncthreads();
        if (i == 0) {
            __threadfence();
            atomicExch(ready, 1);
        }
    } else {
        if (V == 1) {
            while (__ldcv(ready) == 0)
                ;
        } else if (V == 2) {
            while (__ldcg(ready) == 0)
                ;
        } else {
            while (*(volatile int *)ready == 0)
                ;
        }
        __threadfence();
        out[i] = V == 3 ? __ldg(&ready[1 + i]) : V == 4 ? __ldca(&ready[1 + i]) : ready[1 + i];
    }
}

template <int V> __global__ void halves(unsigned long long *word, unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        if (V == 0)
            atomicExch(word, 0x100000001ull);
        else
            *(volatile unsigned long long *)word = 0x100000001ull;
    } else {
        volatile unsigned *half = (volatile unsigned *)word;
        if (V == 0) {
            unsigned long long w;
            while ((w = *(volatile unsigned long long *)word) == 0)
                ;
            out[0] = (unsigned)w + (unsigned)(w >> 32);
        } else {
            while (half[0] == 0)
                ;
            out[0] = half[0] + half[1];
        }
    }
}
