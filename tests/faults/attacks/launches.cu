// SPDX-License-Identifier: MIT
//
// Several launches and streams.
__global__ void put(int *x, int v)
{
    x[threadIdx.x] = v + threadIdx.x;
}
__global__ void add(int *x)
{
    x[threadIdx.x] += 1;
}
__global__ void copy(const int *x, int *y)
{
    y[threadIdx.x] = x[threadIdx.x];
}
__global__ void both(const int *x, const int *y, int *o)
{
    o[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
}
