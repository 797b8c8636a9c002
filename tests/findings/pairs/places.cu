// SPDX-License-Identifier: MIT
#include <places.cuh>
#include "beside.cuh"
__global__ void inside(int *out, int *flag)
{
    put(out);
    if (threadIdx.x == 0)
        flag[0] = 1;
    if (threadIdx.x == 32)
        out[1] = library_acquire(flag);
}

__global__ void outside(int *out)
{
    library_store(out + threadIdx.x + (threadIdx.x == 50 ? 64 : 0), 1);
}

__global__ void far(int *out)
{
    library_far_store(out, static_cast<int>(threadIdx.x));
}

__global__ void far_outside(int *out)
{
    library_far_store(out + threadIdx.x + (threadIdx.x == 50 ? 64 : 0), 1);
}

__global__ void beside(int *out)
{
    put_beside(out);
}
