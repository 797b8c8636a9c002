// SPDX-License-Identifier: MIT
// A header of a library, by its folder: no finding is in it alone.
#pragma once

template <typename T> __device__ __forceinline__ void library_store(T *place, T value)
{
    *place = value;
}

__device__ __forceinline__ int library_acquire(const int *place)
{
    int value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

template <typename T> __device__ __noinline__ void library_far_store(T *place, T value)
{
    *place = value;
}
