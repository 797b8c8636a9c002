/* SPDX-License-Identifier: MIT
 *
 * SIMD intrinsics (CUDA Math API): a word holds two 16-bit numbers or four 8-bit numbers.
 */
#ifndef SIMTCHECK_CLANG_SIMD_H
#define SIMTCHECK_CLANG_SIMD_H

/* Applies a function to the numbers a and b at each position of a word. `least` to `most` is the
 * range of the numbers. */
#define SIMT_EACH(name, parameters, x, y, bits, type, value)                                       \
    SIMT_ON_DEVICE unsigned int name parameters                                                    \
    {                                                                                              \
        const unsigned int mask = (1u << bits) - 1;                                                \
        const bool is_signed = static_cast<type>(-1) < 0;                                          \
        const int least = is_signed ? -(1 << (bits - 1)) : 0;                                      \
        const int most = static_cast<int>(is_signed ? mask / 2 : mask);                            \
        unsigned int result = 0;                                                                   \
        for (int k = 0; k < 32; k += bits) {                                                       \
            const int a = static_cast<type>(x >> k), b = static_cast<type>(y >> k);                \
            result |= (static_cast<unsigned int>(value) & mask) << k;                              \
        }                                                                                          \
        return result;                                                                             \
    }
#define SIMT_ONE(name, value)                                                                      \
    SIMT_EACH(name##2, (unsigned int x), x, x, 16, short, value)                                   \
    SIMT_EACH(name##4, (unsigned int x), x, x, 8, signed char, value)
#define SIMT_TWO(name, signedness, value)                                                          \
    SIMT_EACH(name##2, (unsigned int x, unsigned int y), x, y, 16, signedness short, value)        \
    SIMT_EACH(name##4, (unsigned int x, unsigned int y), x, y, 8, signedness char, value)
#define SIMT_CLAMPED(value) min(max(value, least), most)

SIMT_ONE(__vabs, a < 0 ? -a : a)
SIMT_ONE(__vabsss, SIMT_CLAMPED(a < 0 ? -a : a))
SIMT_ONE(__vneg, -a)
SIMT_ONE(__vnegss, SIMT_CLAMPED(-a))
SIMT_TWO(__vadd, unsigned, a + b)
SIMT_TWO(__vaddss, signed, SIMT_CLAMPED(a + b))
SIMT_TWO(__vaddus, unsigned, SIMT_CLAMPED(a + b))
SIMT_TWO(__vsub, unsigned, a - b)
SIMT_TWO(__vsubss, signed, SIMT_CLAMPED(a - b))
SIMT_TWO(__vsubus, unsigned, SIMT_CLAMPED(a - b))
SIMT_TWO(__vabsdiffs, signed, a < b ? b - a : a - b)
SIMT_TWO(__vabsdiffu, unsigned, a < b ? b - a : a - b)
SIMT_TWO(__vavgs, signed, (a + b + (a + b >= 0)) >> 1)
SIMT_TWO(__vavgu, unsigned, (a + b + 1) >> 1)
SIMT_TWO(__vhaddu, unsigned, (a + b) >> 1)
SIMT_TWO(__vmaxs, signed, max(a, b))
SIMT_TWO(__vmaxu, unsigned, max(a, b))
SIMT_TWO(__vmins, signed, min(a, b))
SIMT_TWO(__vminu, unsigned, min(a, b))

/* All bits set, or one bit, where the comparison is true. */
#define SIMT_COMPARED(name, signedness, comparison)                                                \
    SIMT_TWO(__vcmp##name, signedness, a comparison b ? -1 : 0)                                    \
    SIMT_TWO(__vset##name, signedness, a comparison b)
SIMT_COMPARED(eq, unsigned, ==)
SIMT_COMPARED(ne, unsigned, !=)
SIMT_COMPARED(ges, signed, >=)
SIMT_COMPARED(geu, unsigned, >=)
SIMT_COMPARED(gts, signed, >)
SIMT_COMPARED(gtu, unsigned, >)
SIMT_COMPARED(les, signed, <=)
SIMT_COMPARED(leu, unsigned, <=)
SIMT_COMPARED(lts, signed, <)
SIMT_COMPARED(ltu, unsigned, <)
#undef SIMT_COMPARED
#undef SIMT_CLAMPED
#undef SIMT_TWO
#undef SIMT_ONE
#undef SIMT_EACH

/* Sums of absolute differences. */
#define SIMT_SUM(name, bits, type)                                                                 \
    SIMT_ON_DEVICE unsigned int name(unsigned int x, unsigned int y)                               \
    {                                                                                              \
        unsigned int sum = 0;                                                                      \
        for (int k = 0; k < 32; k += bits) {                                                       \
            const int a = static_cast<type>(x >> k), b = static_cast<type>(y >> k);                \
            sum += static_cast<unsigned int>(a < b ? b - a : a - b);                               \
        }                                                                                          \
        return sum;                                                                                \
    }
SIMT_SUM(__vsads2, 16, short)
SIMT_SUM(__vsads4, 8, signed char)
SIMT_SUM(__vsadu2, 16, unsigned short)
SIMT_SUM(__vsadu4, 8, unsigned char)
#undef SIMT_SUM

#endif
