// SPDX-License-Identifier: MIT
// A header of the user's, although its folder is called include.
#include <plain.cuh>

template <typename T> __device__ __forceinline__ void put(T *place)
{
    library_store(place, static_cast<T>(threadIdx.x));
}
