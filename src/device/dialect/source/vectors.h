/* SPDX-License-Identifier: MIT
 *
 * CUDA's vector types and what makes them: CUDA C++ Programming Guide, built-in vector types. Sizes
 * and alignments are those of its table.
 */
#ifndef SIMTCHECK_KERNELS_SOURCE_VECTORS_H
#define SIMTCHECK_KERNELS_SOURCE_VECTORS_H

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
    static inline name##1 make_##name##1(type x)                                                   \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    static inline name##2 make_##name##2(type x, type y)                                           \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline name##3 make_##name##3(type x, type y, type z)                                   \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    static inline name##4 make_##name##4(type x, type y, type z, type w)                           \
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
SIMT_VECTORS_BUT_3(uint, unsigned int) /* uint3: dialect_host.h */
SIMT_MAKERS(uint, unsigned int)

#undef SIMT_VECTOR_3
#undef SIMT_VECTORS_BUT_3
#undef SIMT_MAKERS
#undef SIMT_VECTORS

#endif
