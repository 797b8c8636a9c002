/* SPDX-License-Identifier: MIT
 *
 * The types of PTX as C types, for generated code. PTX ISA, chapter 5.2.
 *
 * Integers map to the same integer types, f32 and f64 to float and double. All others (half
 * precision, packed and untyped values) map to the unsigned integer of the same width.
 */
#ifndef SIMTCHECK_PTX_TYPES_H
#define SIMTCHECK_PTX_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 ptx_s128;
__extension__ typedef unsigned __int128 ptx_u128;

typedef bool ptx_pred;
typedef int8_t ptx_s8;
typedef int16_t ptx_s16;
typedef int32_t ptx_s32;
typedef int64_t ptx_s64;
typedef uint8_t ptx_u8, ptx_b8;
typedef uint16_t ptx_u16, ptx_b16;
typedef uint32_t ptx_u32, ptx_b32;
typedef uint64_t ptx_u64, ptx_b64;
typedef ptx_u128 ptx_b128;
typedef float ptx_f32;
typedef double ptx_f64;
typedef uint16_t ptx_f16, ptx_bf16;
typedef uint32_t ptx_f16x2, ptx_bf16x2, ptx_u16x2, ptx_s16x2, ptx_tf32;
typedef uint16_t ptx_e4m3x2, ptx_e5m2x2;

static inline float f32_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_f32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_f64(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
