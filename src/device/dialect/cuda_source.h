/* SPDX-License-Identifier: MIT
 *
 * CUDA C++ for a host compiler: what stands in front of a file of anybody's that is compiled
 * without nvcc (src/device/source_route.c). What no declaration can give, such as launches and
 * what __device__ means, is done to the text behind the preprocessor (src/device/cuda_text.c);
 * so a macro here is for what the preprocessor itself is asked.
 */
#ifndef SIMTCHECK_KERNELS_CUDA_SOURCE_H
#define SIMTCHECK_KERNELS_CUDA_SOURCE_H

/* All that CUDA itself includes; without its macros, which the C++ library knows. */
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <math.h>
#include <new>
#include <stdlib.h>
#include <tuple>
#include <type_traits>
#include <utility>

#define SIMT_SOURCE
#define __CUDACC__
#define __NVCC__
#define __CUDA_ARCH__ 800
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define CUDARTAPI
#define CUDART_CB

#include "dialect_host.h"
#include "simt_source.h"

extern "C" {
/* Of object.cpp: dynamic shared memory; the same site for the same place each time. */
extern __thread char simt_dynamic_window[SIMT_DYNAMIC_WINDOW];
const struct simt_site *simt_site_at(const char *file, int line);
}

/* For code outside of device functions; within, they are calls. */
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

#include "source/integers.h"

#include "source/floats.h"

#include "source/lanes.h"

#include "source/runtime.h"

namespace simt_cuda
{

template <typename Type>
constexpr size_t element_bytes()
{
    return sizeof(std::remove_all_extents_t<Type>);
}

template <typename... Parameters>
constexpr simt_parameters parameters_of(void (*)(Parameters...))
{
    simt_parameters result = {};
    static_assert(sizeof...(Parameters) <= SIMT_MAX_PARAMETERS, "a kernel with more arguments");

    ((result.parameters[result.count].bytes = sizeof(Parameters),
      result.parameters[result.count].is_float = std::is_floating_point_v<Parameters>,
      result.parameters[result.count].is_pointer = std::is_pointer_v<Parameters>, result.count++),
     ...);
    return result;
}

} // namespace simt_cuda

/* Enters the kernel in the object's tables, and what it takes. */
#define SIMT_EXPORT(name, ...)                                                                     \
    static const simt_kernel simt_export_##name = {                                                \
        #name, reinterpret_cast<const void *>((__VA_ARGS__)), simt_invoke_of((__VA_ARGS__))};      \
    __attribute__((section("simt_kernels"),                                                        \
                   used)) static const simt_kernel *const simt_exported_##name =                   \
        &simt_export_##name;                                                                       \
    extern "C" {                                                                                   \
    extern __attribute__((visibility("default"))) const simt_parameters simt_parameters_##name;    \
    __attribute__((used)) constexpr simt_parameters simt_parameters_##name =                       \
        simt_cuda::parameters_of((__VA_ARGS__));                                                   \
    }

#endif
