// SPDX-License-Identifier: MIT
//
// Writes to what a kernel may only read.
__constant__ int table[4];
struct Pair {
    int a, b;
};

template <int V> __global__ void scribble(int *out, const __grid_constant__ Pair p)
{
    if (V == 1)
        *(int *)&p.b = 3;
    if (V == 2)
        ((int *)table)[1] = 3;
    __syncthreads();
    out[threadIdx.x] = p.a + p.b + table[1];
}

// A pointer to a local variable is of use to its thread only.
template <int V> __global__ void lend(int *out)
{
    __shared__ int *where[64];
    int mine[2] = {(int)threadIdx.x, (int)threadIdx.x + 1};
    where[threadIdx.x] = mine;
    __syncthreads();
    int other = V == 1 ? threadIdx.x ^ 1 : threadIdx.x;
    out[threadIdx.x] = where[other][0] + where[other][1];
    __syncthreads();
}
