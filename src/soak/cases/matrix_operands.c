/* SPDX-License-Identifier: MIT */
#include "matrix_operands.h"

uint64_t operand_random(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns a float, by the number of the warp: random bits; near one; special values; with a few
 * zeros; short ones, whose sums are exact; subnormal; large; mostly zeros; of a wide range. */
static uint64_t float_of(uint32_t exponent_bits, uint32_t fraction_bits, uint32_t warp,
                         uint64_t random)
{
    uint64_t top = (UINT64_C(1) << exponent_bits) - 1, middle = top >> 1, exponent;
    uint64_t fraction = random >> 8 & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t pick = random >> 1 & 127, reach = middle < 8 ? middle - 1 : 8;

    switch (warp % 9) {
    case 0:
        exponent = operand_random(random) & top;
        break;
    case 1:
        exponent = middle - 2 + pick % 5;
        break;
    case 2: {
        const uint64_t special[] = {0, top, 0, top - 1};
        exponent = (pick >> 2) % 8 != 0 ? middle - 1 + pick % 3 : special[pick & 3];
        if ((pick >> 2) % 8 == 0 && ((pick & 3) == 0 || ((pick & 3) == 1 && pick >= 64)))
            fraction = 0;
        break;
    }
    case 3:
        exponent = pick % 5 == 0 ? 0 : middle - reach + pick % (2 * reach + 1);
        fraction = pick % 5 == 0 ? 0 : fraction;
        break;
    case 4:
        exponent = middle + pick % 2;
        fraction &= UINT64_C(3) << (fraction_bits - 2);
        break;
    case 5:
        exponent = pick % 4 == 0 ? 0 : 1 + pick % 3;
        break;
    case 6:
        exponent = top - 1 - pick % 4;
        break;
    case 7:
        exponent = pick % 4 != 0 ? 0 : middle + pick % 3;
        fraction = pick % 4 != 0 ? 0 : fraction;
        break;
    default:
        reach = middle < 20 ? middle - 1 : 20;
        exponent = middle - reach + operand_random(random) % (2 * reach + 1);
        break;
    }
    return (random & 1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

uint64_t operand_element(enum matrix_type type, uint32_t warp, uint64_t random)
{
    static const struct {
        uint8_t exponent, fraction;
    } formats[] = {
        [MATRIX_F16] = {5, 10},  [MATRIX_BF16] = {8, 7}, [MATRIX_TF32] = {8, 23},
        [MATRIX_E4M3] = {4, 3},  [MATRIX_E5M2] = {5, 2}, [MATRIX_F32] = {8, 23},
        [MATRIX_F64] = {11, 52},
    };

    if (type <= MATRIX_F64)
        return float_of(formats[type].exponent, formats[type].fraction, warp, random);
    if (type == MATRIX_S32 && warp % 9 > 4) /* near the ends, for .satfinite */
        return (warp % 2 != 0 ? 0x7fffff00 : 0x80000000) + (random >> 9 & 255);
    return random >> 11;
}

uint32_t operand_bits(enum matrix_type type)
{
    static const uint8_t bits[] = {16, 16, 32, 8, 8, 32, 64, 8, 8, 4, 4, 1, 32};

    return bits[type];
}

uint64_t operand_metadata(enum matrix_type type, uint64_t random)
{
    static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14}, halves[] = {4, 14};
    uint64_t made = 0;

    for (uint32_t k = 0; k < 8; k++, random = operand_random(random))
        made |= (uint64_t)(type == MATRIX_TF32 ? halves[random & 1] : pairs[random % 6]) << 4 * k;
    return made;
}
