// SPDX-License-Identifier: MIT
//
// A grid barrier by hand, over several rounds.
template <int V> __device__ void meet(unsigned *bar, unsigned round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (V == 0) {
            atomicAdd(bar, 1);
            while (*(volatile unsigned *)bar < (round + 1) * gridDim.x)
                ;
        } else if (V == 1) {
            if (atomicAdd(bar, 1) == gridDim.x - 1)
                atomicExch(bar, 0);
            else
                while (*(volatile unsigned *)bar != 0)
                    ;
        } else if (V == 2) {
            unsigned old = atomicAdd(bar, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1);
            while (((old ^ *(volatile unsigned *)bar) & 0x80000000u) == 0)
                ;
        } else if (V == 3) {
            atomicAdd(bar, 1);
            while (*(volatile unsigned *)bar % gridDim.x != 0)
                ;
        } else if (V == 4) {
            unsigned gen = *(volatile unsigned *)&bar[1];
            if (atomicAdd(bar, 1) == gridDim.x - 1) {
                atomicExch(&bar[1], gen + 1);
                atomicExch(bar, 0);
            } else {
                while (*(volatile unsigned *)&bar[1] == gen)
                    ;
            }
        } else if (V == 5) {
            unsigned gen = *(volatile unsigned *)&bar[1];
            __threadfence();
            if (atomicAdd(bar, 1) == gridDim.x - 1) {
                atomicExch(bar, 0);
                __threadfence();
                atomicExch(&bar[1], gen + 1);
            } else {
                while (*(volatile unsigned *)&bar[1] == gen)
                    ;
            }
        } else if (V == 6) {
            bool end = atomicAdd(bar, 1) == gridDim.x - 1;
            unsigned gen = *(volatile unsigned *)&bar[1];
            if (end) {
                atomicExch(bar, 0);
                __threadfence();
                atomicExch(&bar[1], gen + 1);
            } else {
                while (*(volatile unsigned *)&bar[1] == gen)
                    ;
            }
        }
        __threadfence();
    }
    __syncthreads();
}

template <int V> __global__ void shift(int *a, int *b, unsigned *bar, int rounds)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int *from = r % 2 ? b : a, *to = r % 2 ? a : b;
        to[i] = from[(i + 1) % n];
        meet<V>(bar, r);
    }
}
