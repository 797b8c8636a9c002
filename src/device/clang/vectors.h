/* SPDX-License-Identifier: MIT
 *
 * CUDA's vector types and the functions that make them (CUDA C++ Programming Guide, built-in vector
 * types). Sizes and alignments are those of the guide's table.
 */
#ifndef SIMTCHECK_CLANG_VECTORS_H
#define SIMTCHECK_CLANG_VECTORS_H

#define SIMT_VECTOR_3(name, type)                                                                  \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };
#define SIMT_VECTORS_BUT_3(name, type)                                                             \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(2 * sizeof(type)))) name##2                                      \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct __attribute__((aligned(sizeof(type) > 4 ? 16 : 4 * sizeof(type)))) name##4              \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };
#define SIMT_MAKERS(name, type)                                                                    \
    SIMT_ON_BOTH name##1 make_##name##1(type x)                                                    \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    SIMT_ON_BOTH name##2 make_##name##2(type x, type y)                                            \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    SIMT_ON_BOTH name##3 make_##name##3(type x, type y, type z)                                    \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    SIMT_ON_BOTH name##4 make_##name##4(type x, type y, type z, type w)                            \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
#define SIMT_VECTORS(name, type)                                                                   \
    SIMT_VECTOR_3(name, type)                                                                      \
    SIMT_VECTORS_BUT_3(name, type)                                                                 \
    SIMT_MAKERS(name, type)

SIMT_VECTORS(char, signed char)
SIMT_VECTORS(uchar, unsigned char)
SIMT_VECTORS(short, short)
SIMT_VECTORS(ushort, unsigned short)
SIMT_VECTORS(int, int)
SIMT_VECTORS(long, long)
SIMT_VECTORS(ulong, unsigned long)
SIMT_VECTORS(longlong, long long)
SIMT_VECTORS(ulonglong, unsigned long long)
SIMT_VECTORS(float, float)
SIMT_VECTORS(double, double)
SIMT_VECTORS(uint, unsigned int)

/* The types of CUDA 13 whose names have their alignment. */
#define SIMT_ALIGNED_4(name, type, bytes)                                                          \
    struct __attribute__((aligned(bytes))) name##4_##bytes##a                                      \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    SIMT_ON_BOTH name##4_##bytes##a make_##name##4_##bytes##a(type x, type y, type z, type w)      \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
#define SIMT_BOTH_ALIGNED_4(name, type)                                                            \
    SIMT_ALIGNED_4(name, type, 16)                                                                 \
    SIMT_ALIGNED_4(name, type, 32)

SIMT_BOTH_ALIGNED_4(long, long)
SIMT_BOTH_ALIGNED_4(ulong, unsigned long)
SIMT_BOTH_ALIGNED_4(longlong, long long)
SIMT_BOTH_ALIGNED_4(ulonglong, unsigned long long)
SIMT_BOTH_ALIGNED_4(double, double)

#undef SIMT_ALIGNED_4
#undef SIMT_BOTH_ALIGNED_4
#undef SIMT_VECTOR_3
#undef SIMT_VECTORS_BUT_3
#undef SIMT_MAKERS
#undef SIMT_VECTORS

struct dim3 {
    unsigned int x, y, z;

    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1,
                                       unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    __host__ __device__ constexpr dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#endif
