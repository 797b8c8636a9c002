/* SPDX-License-Identifier: MIT
 *
 * Video instructions, for generated code: PTX ISA, 9.7.18. Of the packed ones, this file has those
 * that use all parts of a and b, and write all parts of the result.
 */
#ifndef SIMTCHECK_PTX_VIDEO_H
#define SIMTCHECK_PTX_VIDEO_H

#include "arithmetic.h"

static inline int64_t ptx_plus(int64_t a, int64_t b)
{
    return a + b;
}

static inline int64_t ptx_minus(int64_t a, int64_t b)
{
    return a - b;
}

static inline int64_t ptx_absolute_difference(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

/* Returns the average. Halves are rounded up. */
static inline int64_t ptx_average(int64_t a, int64_t b)
{
    return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
}

static inline int64_t ptx_is_eq(int64_t a, int64_t b)
{
    return a == b;
}

static inline int64_t ptx_is_ne(int64_t a, int64_t b)
{
    return a != b;
}

static inline int64_t ptx_is_lt(int64_t a, int64_t b)
{
    return a < b;
}

static inline int64_t ptx_is_le(int64_t a, int64_t b)
{
    return a <= b;
}

static inline int64_t ptx_is_gt(int64_t a, int64_t b)
{
    return a > b;
}

static inline int64_t ptx_is_ge(int64_t a, int64_t b)
{
    return a >= b;
}

typedef int64_t ptx_part_operation(int64_t a, int64_t b);

/* Applies an operation to all parts. Each result is clamped if requested, and truncated to the
 * width of a part. */
static inline uint32_t ptx_parts(ptx_part_operation operation, uint32_t width, uint32_t a,
                                 bool a_signed, uint32_t b, bool b_signed, bool d_signed, bool sat)
{
    int64_t least = d_signed ? -((int64_t)1 << (width - 1)) : 0;
    int64_t greatest = least + (int64_t)ptx_ones(width);
    uint32_t result = 0;

    for (uint32_t k = 0; k < 32 / width; k++) {
        int64_t part = operation(ptx_part(a, k, width, a_signed), ptx_part(b, k, width, b_signed));
        if (sat)
            part = part < least ? least : part > greatest ? greatest : part;
        result |= ((uint32_t)part & (uint32_t)ptx_ones(width)) << k * width;
    }
    return result;
}

/* Returns the sum of all results and c. */
static inline uint32_t ptx_parts_sum(ptx_part_operation operation, uint32_t width, uint32_t a,
                                     bool a_signed, uint32_t b, bool b_signed, uint32_t c)
{
    for (uint32_t k = 0; k < 32 / width; k++)
        c += (uint32_t)operation(ptx_part(a, k, width, a_signed), ptx_part(b, k, width, b_signed));
    return c;
}

/* 9.7.18.1.2: shifts a 32-bit value by at most 32. */
static inline ptx_s128 ptx_video_shift(ptx_s128 a, uint32_t amount, bool left, bool wrap)
{
    amount = wrap ? amount & 31 : amount < 32 ? amount : 32;
    return left ? (ptx_s128)((ptx_u128)a << amount) : a >> amount;
}

/* 9.7.18.1.3: a * b + c + one. */
static inline uint32_t ptx_vmad(int64_t a, int64_t b, uint32_t c, bool is_signed, bool one)
{
    return (uint32_t)((ptx_s128)a * b + (is_signed ? (int64_t)(int32_t)c : (int64_t)c) + one);
}

#endif
