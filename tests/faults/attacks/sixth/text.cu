// SPDX-License-Identifier: MIT
//
// Strings that printf() reads from memory that changes, or that nothing has written.
#include <cstdio>

__global__ void unwritten(int *y)
{
    __shared__ char s[8];
    if (threadIdx.x == 0) {
        s[3] = 0;
        printf("<%s>\n", s);
    }
    y[threadIdx.x] = 1;
}

__global__ void written(int *y)
{
    __shared__ char s[8];
    if (threadIdx.x == 0) {
        s[0] = 'a';
        s[1] = 0;
        printf("<%s>\n", s);
    }
    y[threadIdx.x] = 1;
}

template <bool WAITS>
__global__ void same(char *s, int *y)
{
    if (threadIdx.x == 1)
        s[0] = 0;
    if (WAITS)
        __syncthreads();
    if (threadIdx.x == 0)
        printf("<%s>\n", s);
    y[threadIdx.x] = 1;
}
