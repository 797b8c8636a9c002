/* SPDX-License-Identifier: MIT
 *
 * The functions that the meanings of arithmetic_forms.c call, for generated code. Integers are
 * here, all else is in the headers included below. Section numbers are those of the PTX ISA.
 *
 * Results match the hardware bit for bit where the ISA or a measurement defines them. ASSUMED marks
 * results that neither defines. The .approx functions may differ from the hardware in the last
 * bits. They round the result of the C library's function in double precision.
 *
 * Compile with -fwrapv -ffp-contract=off and link the C library's mathematics. The host must round
 * to nearest when these functions are called.
 */
#ifndef SIMTCHECK_PTX_ARITHMETIC_H
#define SIMTCHECK_PTX_ARITHMETIC_H

#include "types.h"

/* Modifiers as arguments. A meaning writes FTZ_$2, which becomes FTZ_ if the modifier is absent. */
enum { FTZ_, FTZ_ftz };
enum { SAT_, SAT_sat };
enum { RELU_, RELU_relu };
enum { NAN_, NAN_NaN };
enum { FINITE_, FINITE_satfinite };
enum { WRAP_clamp, WRAP_wrap };
enum { SIGN_u32, SIGN_s32 };
enum { PART_lo = 0, PART_hi = 16 };
enum { SHIFT_ = 0, SHIFT_shr7 = 7, SHIFT_shr15 = 15 };

/* The ranges of integer types. */
#define MIN_u2 0
#define MIN_u4 0
#define MIN_u8 0
#define MIN_u16 0
#define MIN_u32 0
#define MIN_u64 0
#define MAX_u2 3
#define MAX_u4 15
#define MAX_u8 UINT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_u64 UINT64_MAX
#define MIN_s2 (-2)
#define MIN_s4 (-8)
#define MIN_s8 INT8_MIN
#define MIN_s16 INT16_MIN
#define MIN_s32 INT32_MIN
#define MIN_s64 INT64_MIN
#define MAX_s2 1
#define MAX_s4 7
#define MAX_s8 INT8_MAX
#define MAX_s16 INT16_MAX
#define MAX_s32 INT32_MAX
#define MAX_s64 INT64_MAX

/* Comparisons, 9.3. Those of the first row, including ne, are false if an operand is a NaN. Those
 * of the last row are true. */
#define CMP_eq(a, b) ((a) == (b))
#define CMP_ne(a, b) ((a) < (b) || (a) > (b))
#define CMP_lt(a, b) ((a) < (b))
#define CMP_le(a, b) ((a) <= (b))
#define CMP_gt(a, b) ((a) > (b))
#define CMP_ge(a, b) ((a) >= (b))
#define CMP_lo(a, b) ((a) < (b))
#define CMP_ls(a, b) ((a) <= (b))
#define CMP_hi(a, b) ((a) > (b))
#define CMP_hs(a, b) ((a) >= (b))
#define CMP_num(a, b) (!__builtin_isunordered(a, b))
#define CMP_nan(a, b) (__builtin_isunordered(a, b) != 0)
#define CMP_equ(a, b) (!CMP_ne(a, b))
#define CMP_neu(a, b) (!CMP_eq(a, b))
#define CMP_ltu(a, b) (!CMP_ge(a, b))
#define CMP_leu(a, b) (!CMP_gt(a, b))
#define CMP_gtu(a, b) (!CMP_le(a, b))
#define CMP_geu(a, b) (!CMP_lt(a, b))

/* The operators with which set and setp combine a comparison with a predicate. */
#define BOOL_and(t, p) ((t) & (p))
#define BOOL_or(t, p) ((t) | (p))
#define BOOL_xor(t, p) ((t) ^ (p))

/* The values that set stores, 9.7.6.1 and 9.7.7.1: all ones in an integer, 1.0 in a floating-point
 * number. */
#define SET_u16(t) ((t) ? 0xffff : 0)
#define SET_s16(t) ((t) ? -1 : 0)
#define SET_u32(t) ((t) ? 0xffffffff : 0)
#define SET_s32(t) ((t) ? -1 : 0)
#define SET_f16(t) ((t) ? 0x3c00 : 0)
#define SET_bf16(t) ((t) ? 0x3f80 : 0)
#define SET_f32(t) ((t) ? 1.0f : 0.0f)
/* The same for the two halves of a packed comparison. */
#define PAIR_u32(low, high) ((uint32_t)SET_u16(high) << 16 | SET_u16(low))
#define PAIR_s32(low, high) ((int32_t)PAIR_u32(low, high))
#define PAIR_f16x2(low, high) ((uint32_t)SET_f16(high) << 16 | SET_f16(low))
#define PAIR_bf16x2(low, high) ((uint32_t)SET_bf16(high) << 16 | SET_bf16(low))

/* Carry chains, 9.7.2. The carry of a subtraction is its borrow. U is the unsigned type. */
#define PTX_ADD_CARRY(U, a, b, carry, out)                                                         \
    __extension__({                                                                                \
        ptx_u128 sum_ = (ptx_u128)(U)(a) + (U)(b) + (carry);                                       \
        (out) = (sum_ >> 8 * sizeof(U)) & 1;                                                       \
        (U) sum_;                                                                                  \
    })
#define PTX_SUB_BORROW(U, a, b, borrow, out)                                                       \
    __extension__({                                                                                \
        ptx_u128 difference_ = (ptx_u128)(U)(a) - (U)(b) - (borrow);                               \
        (out) = (difference_ >> 8 * sizeof(U)) & 1;                                                \
        (U) difference_;                                                                           \
    })
/* The lower and upper half of a product of operands of type T. Products that overflow wrap around,
 * and their bits are correct. */
#define PTX_LO(T, a, b) ((T)((uint64_t)(a) * (uint64_t)(b)))
#define PTX_HI(T, a, b)                                                                            \
    (sizeof(T) < 8 ? (T)((int64_t)(a) * (int64_t)(b) >> 8 * (sizeof(T) & 7))                       \
                   : (T)((ptx_s128)(a) * (ptx_s128)(b) >> 64))

/* Returns the value closest to `value` within the bounds. */
static inline ptx_s128 ptx_clamp(ptx_s128 value, ptx_s128 least, ptx_s128 greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

/* Clamps the value if there is .sat. */
static inline ptx_s128 ptx_clip(ptx_s128 value, ptx_s128 least, ptx_s128 greatest, bool sat)
{
    return sat ? ptx_clamp(value, least, greatest) : value;
}

/* 9.7.1.5: multiplies 24 bits by 24 bits. `part` 0 is bits 31:0 of the product, 16 is bits
 * 47:16. */
static inline uint32_t ptx_mul24_u32(uint32_t a, uint32_t b, unsigned part)
{
    return (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> part);
}

static inline int32_t ptx_mul24_s32(int32_t a, int32_t b, unsigned part)
{
    int64_t left = (int32_t)((uint32_t)a << 8) >> 8, right = (int32_t)((uint32_t)b << 8) >> 8;

    return (int32_t)(left * right >> part);
}

/* 9.7.1.8 and 9.7.1.9: division by zero is unspecified. ASSUMED: every bit of the quotient and of
 * the remainder is set, but the remainder of 16 bits is the dividend. The smallest integer divided
 * by -1 wraps around. */
static inline uint64_t ptx_div_u(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}

static inline int64_t ptx_div_s(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? -a : a / b;
}

static inline uint64_t ptx_rem_u(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a % b;
}

static inline int64_t ptx_rem_s(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

/* 9.7.1.14 and the following sections. */
static inline uint32_t ptx_clz_b32(uint32_t a)
{
    return a == 0 ? 32 : (uint32_t)__builtin_clz(a);
}

static inline uint32_t ptx_clz_b64(uint64_t a)
{
    return a == 0 ? 64 : (uint32_t)__builtin_clzll(a);
}

/* 9.7.1.16: returns the position of the highest set bit, or, with .shiftamt, its distance from the
 * left. */
static inline uint32_t ptx_bfind(uint64_t a, uint32_t width, bool shift_amount)
{
    uint32_t place;

    if (a == 0)
        return UINT32_MAX;
    place = 63 - ptx_clz_b64(a);
    return shift_amount ? width - 1 - place : place;
}

enum { AMOUNT_, AMOUNT_shiftamt };

/* Maps a signed number so that its highest set bit is the highest bit that differs from the
 * sign. */
static inline uint64_t ptx_without_sign(int64_t a)
{
    return (uint64_t)(a < 0 ? ~a : a);
}

static inline uint32_t ptx_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    int64_t count = offset > 0 ? offset : -(int64_t)offset;

    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
    for (int64_t place = (int32_t)base; place >= 0 && place<32; place += offset> 0 ? 1 : -1)
        if ((mask >> place & 1) && --count == 0)
            return (uint32_t)place;
    return UINT32_MAX;
}

static inline uint64_t ptx_brev_b64(uint64_t a)
{
    a = (a >> 1 & 0x5555555555555555) | (a & 0x5555555555555555) << 1;
    a = (a >> 2 & 0x3333333333333333) | (a & 0x3333333333333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0f) | (a & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(a);
}

/* Returns a mask of the lowest `count` bits, 0 to 64. */
static inline uint64_t ptx_ones(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* 9.7.1.19, for a value of `width` bits. A signed value is passed sign-extended, with the sign flag
 * set. */
static inline uint64_t ptx_bfe(uint64_t a, uint32_t position, uint32_t length, uint32_t width,
                               bool is_signed)
{
    uint32_t last, start = position & 0xff, count = length & 0xff;
    uint64_t field, sign = 0;

    if (count == 0)
        return 0;
    last = start + count - 1 < width - 1 ? start + count - 1 : width - 1;
    if (is_signed)
        sign = a >> last & 1;
    field = start < width ? (a & ptx_ones(width)) >> start & ptx_ones(count) : 0;
    if (start < width)
        count = last - start + 1;
    else
        count = 0;
    return sign ? field | ~ptx_ones(count) : field;
}

/* 9.7.1.20: inserts the lowest bits of a into b, from a position on. */
static inline uint64_t ptx_bfi(uint64_t a, uint64_t b, uint32_t position, uint32_t length,
                               uint32_t width)
{
    uint32_t start = position & 0xff, count = length & 0xff;
    uint64_t mask;

    if (start >= width)
        return b;
    mask = ptx_ones(count) << start;
    return (b & ~mask) | (a << start & mask);
}

/* 9.7.1.21: in mode .clamp, 32 or more bits mean all bits. */
static inline uint32_t ptx_szext(uint32_t a, uint32_t bits, bool wrap, bool is_signed)
{
    uint32_t mask;

    if (!wrap && bits >= 32)
        return a;
    bits &= 31;
    mask = (uint32_t)ptx_ones(bits);
    return is_signed && bits > 0 && (a >> (bits - 1) & 1) ? a | ~mask : a & mask;
}

/* 9.7.1.22 */
static inline uint32_t ptx_bmsk(uint32_t position, uint32_t length, bool wrap)
{
    if (!wrap && position >= 32)
        return 0;
    if (!wrap && length >= 32)
        return UINT32_MAX << position;
    return (uint32_t)(ptx_ones(length & 31) << (position & 31));
}

/* Returns part k of a packed value. Parts have `width` bits. */
static inline int64_t ptx_part(uint32_t packed, uint32_t k, uint32_t width, bool is_signed)
{
    uint32_t part = packed >> k * width & (uint32_t)ptx_ones(width);

    return is_signed && (part >> (width - 1)) ? (int64_t)part - ((int64_t)1 << width) : part;
}

/* 9.7.1.23 and 9.7.1.24 */
static inline uint32_t ptx_dp4a(uint32_t a, bool a_signed, uint32_t b, bool b_signed, uint32_t c)
{
    for (uint32_t k = 0; k < 4; k++)
        c += (uint32_t)(ptx_part(a, k, 8, a_signed) * ptx_part(b, k, 8, b_signed));
    return c;
}

static inline uint32_t ptx_dp2a(uint32_t a, bool a_signed, uint32_t b, bool b_signed, uint32_t c)
{
    for (uint32_t k = 0; k < 2; k++)
        c += (uint32_t)(ptx_part(a, k, 16, a_signed) * ptx_part(b, k, 8, b_signed));
    return c;
}

/* 9.7.8.6: bit 4 * a + 2 * b + c of the table is the result for one bit each of a, b and c. */
static inline uint32_t ptx_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    return (table & 1 ? ~a & ~b & ~c : 0) | (table & 2 ? ~a & ~b & c : 0) |
           (table & 4 ? ~a & b & ~c : 0) | (table & 8 ? ~a & b & c : 0) |
           (table & 16 ? a & ~b & ~c : 0) | (table & 32 ? a & ~b & c : 0) |
           (table & 64 ? a & b & ~c : 0) | (table & 128 ? a & b & c : 0);
}

/* 9.7.8.7: b is the upper half. */
static inline uint32_t ptx_shf_l(uint32_t a, uint32_t b, uint32_t c, bool wrap)
{
    uint32_t n = wrap ? c & 31 : c < 32 ? c : 32;

    return (uint32_t)(((uint64_t)b << 32 | a) << n >> 32);
}

static inline uint32_t ptx_shf_r(uint32_t a, uint32_t b, uint32_t c, bool wrap)
{
    uint32_t n = wrap ? c & 31 : c < 32 ? c : 32;

    return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

/* 9.7.8.8 and 9.7.8.9: amounts above the width count as the width. */
static inline uint64_t ptx_shl(uint64_t a, uint32_t amount)
{
    return amount >= 64 ? 0 : a << amount;
}

static inline uint64_t ptx_shr_u(uint64_t a, uint32_t amount)
{
    return amount >= 64 ? 0 : a >> amount;
}

static inline int64_t ptx_shr_s(int64_t a, uint32_t amount)
{
    return a >> (amount >= 64 ? 63 : amount);
}

/* 9.7.9.7: returns the byte that a selector names, or its sign replicated. */
static inline uint32_t ptx_prmt_byte(uint64_t bytes, uint32_t selector)
{
    uint32_t byte = (uint32_t)(bytes >> 8 * (selector & 7) & 0xff);

    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;

    return ptx_prmt_byte(bytes, selectors) | ptx_prmt_byte(bytes, selectors >> 4) << 8 |
           ptx_prmt_byte(bytes, selectors >> 8) << 16 | ptx_prmt_byte(bytes, selectors >> 12) << 24;
}

/* The selectors of the modes, for each value of the two lowest bits of c. */
#define PRMT_f4e                                                                                   \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        0x3210, 0x4321, 0x5432, 0x6543                                                             \
    }
#define PRMT_b4e                                                                                   \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        0x5670, 0x6701, 0x7012, 0x0123                                                             \
    }
#define PRMT_rc8                                                                                   \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        0x0000, 0x1111, 0x2222, 0x3333                                                             \
    }
#define PRMT_ecl                                                                                   \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        0x3210, 0x3211, 0x3222, 0x3333                                                             \
    }
#define PRMT_ecr                                                                                   \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        0x0000, 0x1110, 0x2210, 0x3210                                                             \
    }
#define PRMT_rc16                                                                                  \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        0x1010, 0x3232, 0x1010, 0x3232                                                             \
    }

/* 9.7.9.22: puts two numbers, clamped to `width` bits, below the lowest bits of a third. */
static inline uint32_t ptx_cvt_pack(ptx_s128 a, ptx_s128 b, uint32_t c, uint32_t width)
{
    uint32_t mask = (uint32_t)ptx_ones(width);

    return (uint32_t)ptx_shl(c, 2 * width) | ((uint32_t)a & mask) << width | ((uint32_t)b & mask);
}

/* 9.7.1.1, 9.7.1.12 and 9.7.1.13 on pairs of 16 bits. */
static inline uint32_t ptx_pair(int64_t low, int64_t high)
{
    return (uint32_t)high << 16 | (uint16_t)low;
}

static inline int64_t ptx_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t ptx_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t ptx_relu(int64_t a, bool relu)
{
    return relu && a < 0 ? 0 : a;
}

enum { SIGN_u16x2, SIGN_s16x2 };

/* Applies one of the operators above to both halves of two packed values. */
#define PTX_PAIRWISE(operation, a, b, is_signed, relu)                                             \
    ptx_pair(                                                                                      \
        ptx_relu(operation(ptx_part(a, 0, 16, is_signed), ptx_part(b, 0, 16, is_signed)), relu),   \
        ptx_relu(operation(ptx_part(a, 1, 16, is_signed), ptx_part(b, 1, 16, is_signed)), relu))

#include "convert.h"
#include "floating.h"
#include "half.h"
#include "video.h"

#endif
