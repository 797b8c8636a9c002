// SPDX-License-Identifier: MIT
//
// A block waits a time, or a number of looks, and assumes that the other one is done.
__device__ inline unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

template <int V> __global__ void soon(volatile int *flag, int *data, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 1) {
        *data = 7;
        __threadfence();
        *flag = 1;
        return;
    }
    int seen = 0;
    if (V == 0) {
        while (!*flag)
            ;
        seen = 1;
    } else if (V == 1) {
        long long start = clock64();
        while (clock64() - start < 100000)
            ;
        seen = *flag;
    } else if (V == 2) {
        for (int i = 0; i < 1000 && !seen; i++)
            seen = *flag;
    } else if (V == 3) {
        unsigned long long start = nanoseconds();
        while (!(seen = *flag) && nanoseconds() - start < 1000000000ull)
            ;
    } else if (V == 4) {
        __nanosleep(1000000);
        seen = *flag;
    } else if (V == 5) {
        for (int i = 0; i < 10000 && !seen; i++) {
            seen = *flag;
            __nanosleep(1000);
        }
    }
    __threadfence();
    out[0] = seen ? *data : -1;
}
