// SPDX-License-Identifier: MIT
//
// Launches in streams, with events at the wrong place.
__global__ void put(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

__global__ void add(int *x)
{
    x[threadIdx.x] += 1;
}

__device__ int counter;

// Needs its counter to be 0.
__global__ void ticket(int *out)
{
    out[atomicAdd(&counter, 1)] = 1;
}

template <int V> __global__ void ticketReset(int *out, int n)
{
    int i = atomicAdd(&counter, 1);
    out[i] = 1;
    if (i == n - 1)
        counter = V ? 1 : 0;
}

__global__ __launch_bounds__(64) void narrow(int *x)
{
    x[threadIdx.x] = 1;
}
