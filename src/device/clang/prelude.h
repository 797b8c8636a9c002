/* SPDX-License-Identifier: MIT
 *
 * CUDA C++ for clang without a CUDA toolkit. clang supports CUDA's language. This header declares
 * the types and functions that a toolkit adds. src/device/clang.c includes it before every file
 * that it compiles for a device.
 *
 * A function with one PTX instruction is that instruction, as an asm statement. So the PTX is the
 * same for every version of clang. Mathematical functions call libdevice's __nv_ functions, which
 * the simulator provides.
 */
#ifndef SIMTCHECK_CLANG_PRELUDE_H
#define SIMTCHECK_CLANG_PRELUDE_H

/* clang lets a device function stand beside a constexpr function of the same signature only if the
 * device function is from a system header. The C++ library has many such functions. */
#pragma clang system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
/* The annotation keeps the stores to a variable that nothing reads, because they may race. */
#define __shared__ __attribute__((shared, annotate("simtcheck")))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

/* A function of this header. It has no debug information: the code inlined from it then has the
 * source line of the call, and reports name the user's line. */
#define SIMT_ON_DEVICE static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define SIMT_ON_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug, unused))

/* Before all headers of the C++ library: see math.h for the reason. */
#include "math_device.h"

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
#include <stdlib.h>

extern "C" {
__device__ void *malloc(size_t bytes);
__device__ void free(void *pointer);
}

#include <new> /* its operators call these two */
#include <type_traits>
#include <utility>

/* After the headers of the C++ library, which use some of these names in attributes. */
#define __forceinline__ __inline__ __attribute__((always_inline))
#if __clang_major__ < 15 /* Later versions have the keyword. */
#define __noinline__ __attribute__((noinline))
#endif
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define __nv_pure__ __attribute__((pure))
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI

#define __CUDACC__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#include "guards.h"

#include "vectors.h"

#include <__clang_cuda_builtin_vars.h>

SIMT_ON_DEVICE uint3 simt_uint3(unsigned int x, unsigned int y, unsigned int z)
{
    return {x, y, z};
}

/* The conversions that clang's header declares. */
#define SIMT_CONVERSIONS(variable)                                                                 \
    __device__ inline __attribute__((always_inline, nodebug))                                      \
    __cuda_builtin_##variable##_t::operator uint3() const                                          \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    __device__ inline __attribute__((always_inline, nodebug))                                      \
    __cuda_builtin_##variable##_t::operator dim3() const                                           \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }
SIMT_CONVERSIONS(threadIdx)
SIMT_CONVERSIONS(blockIdx)
SIMT_CONVERSIONS(blockDim)
SIMT_CONVERSIONS(gridDim)
#undef SIMT_CONVERSIONS

#include "integers.h"

#include "simd.h"

#include "floats.h"

#include "memory.h"

#include "textures.h"

#include "lanes.h"

#include "runtime.h"

#include "launch.h"

#ifdef SIMT_BOUNDS /* a trap that is no asm statement is an access outside an array */
__device__ __attribute__((used)) char simt_entry_bounds;
#endif

#endif
