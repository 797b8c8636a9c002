/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Values where instructions change behaviour: ends of ranges, register widths, halves and bytes. */
static const uint64_t integers[] = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    0x7f,
    0x80,
    0x81,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x10000,
    0x7fffff,
    0xffffff,
    0x1000000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    0x0123456789abcdef,
    0xfffffffffffffff0,
    0xffffffffffffff80,
};

/* Zeros, ones, halves and ties, the ends of the subnormals and of the range, infinities and NaNs.
 * Also the limits of conversions to integers and to half precision. */
static const uint32_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x3effffff,
    0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x40600000, 0x40000000, 0xc0000000, 0x40400000,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345,
    0x7fffffff, 0x477fe000, 0x477fefff, 0x477ff000, 0xc77ff000, 0x38800000, 0x387fc000, 0x33800000,
    0x33000000, 0x33000001, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000,
    0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x5f800000,
    0x437f0000, 0x43800000, 0x42fe0000, 0xc3000000, 0x1a000000, 0x20000000, 0x5f7fffff, 0x34000000,
    0x3f008000, 0x3f018000, 0x3f801000, 0x3f803000, 0x3e99999a, 0x40490fdb, 0x3f000001, 0x00fffffe,
};

static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x3fe0000000000000,
    0xbfe0000000000000, 0x3ff8000000000000, 0xbff8000000000000, 0x4004000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff123456789abcd,
    0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000,
    0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x40effc0000000000, 0x40effe0000000000, 0x3f10000000000000,
    0x3e70000000000000, 0x36a0000000000000, 0x3690000000000000, 0x3810000000000000,
    0x47efffffe0000000, 0x47effffff0000000, 0x3ff0000010000000, 0x3ff0000030000000,
    0x3ff0020000000000, 0x3ff0060000000000, 0x3ff0100000000000, 0x400921fb54442d18,
    0x380fffffe0000000, 0x380ffffff0000001, 0x380fffffffffffff, 0xb80ffffff0000000,
};

static const uint16_t halves[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x3800,
    0xb800, 0x3e00, 0xbe00, 0x4100, 0xc100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01,
    0xfd23, 0x7fff, 0x5bff, 0x5c00, 0x6400, 0x6800, 0x0080, 0x007f, 0x7f7f, 0x7f80, 0xff80, 0x7fc0,
    0x7f81, 0x3f80, 0xbf80, 0x4000, 0x4300, 0xffff, 0x5800, 0xd800, 0x3801, 0x07fe,
};

/* Finalizer of MurmurHash3. It gives each tuple different operands. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

/* At least the number of special values of any type. */
enum { SPECIAL = 72 };
_Static_assert(sizeof singles / sizeof *singles <= SPECIAL &&
                   sizeof doubles / sizeof *doubles <= SPECIAL,
               "every pair of special values comes");

static uint64_t operands_hash(uint32_t tuple, uint32_t k)
{
    return mix(((uint64_t)tuple << 8 | k) + UINT64_C(0x9e3779b97f4a7c15));
}

/* What an operand is, for the choice of its values. */
enum kind { NONE, PREDICATE, SINGLE, SHORT_SINGLE, DOUBLE, HALF, PAIR_OF_HALVES, INTEGER };

static enum kind kind_of(const char *type)
{
    return type == NULL                                            ? NONE
           : strcmp(type, "pred") == 0                             ? PREDICATE
           : strcmp(type, "f32") == 0                              ? SINGLE
           : strcmp(type, "tf32") == 0                             ? SHORT_SINGLE
           : strcmp(type, "f64") == 0                              ? DOUBLE
           : strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0 ? HALF
           : strstr(type, "x2") != NULL                            ? PAIR_OF_HALVES
                                                                   : INTEGER;
}

/* Returns a special value, selected by a random number. */
static uint64_t special(enum kind kind, uint64_t random)
{
#define ONE_OF(values) values[random % (sizeof values / sizeof *values)]
    uint64_t low = ONE_OF(halves);

    switch (kind) {
    case SINGLE:
    case SHORT_SINGLE:
        return ONE_OF(singles);
    case DOUBLE:
        return ONE_OF(doubles);
    case HALF:
        return low;
    case PAIR_OF_HALVES:
        random /= 64;
        return low | (uint64_t)ONE_OF(halves) << 16;
    default:
        return ONE_OF(integers);
    }
#undef ONE_OF
}

/* Returns a float with a random exponent and few bits, so that similar values occur together. */
static uint64_t small_number(enum kind kind, uint64_t random)
{
    if (kind == SINGLE)
        return ((random & 1) << 31 | (118 + (random >> 8) % 20) << 23 | (random >> 32 & 7) << 20);
    if (kind == DOUBLE)
        return ((random & 1) << 63 | (1013 + (random >> 8) % 20) << 52 | (random >> 32 & 7) << 49);
    return random % 256;
}

static uint64_t operands_value(enum kind kind, uint32_t tuple, uint32_t k)
{
    uint64_t random = operands_hash(tuple, k), choice = operands_hash(tuple, k + 16) % 8;

    if (kind == NONE)
        return 0;
    if (kind == PREDICATE)
        return random;
    if (k < 2 && tuple < SPECIAL * SPECIAL) /* every pair of special values */
        return special(kind, k == 0 ? tuple % SPECIAL : tuple / SPECIAL);
    if (choice < 4)
        return special(kind, random >> 8);
    if (choice == 4)
        return small_number(kind, random);
    return random;
}

/* ---- Instructions ---- */

/* Changes operands for which the PTX ISA leaves the result open, or differs from every tested
 * compiler. */
static void avoid(const struct instruction_case *instruction, uint32_t count, uint64_t *tuples)
{
    bool is_64 = strstr(instruction->opcode, "64") != NULL;
    bool divides = instruction->types[0] != NULL && instruction->types[0][0] != 'f' &&
                   (strncmp(instruction->opcode, "div", 3) == 0 ||
                    strncmp(instruction->opcode, "rem", 3) == 0);
    uint32_t width = is_64 ? 8 : strstr(instruction->opcode, "16") != NULL ? 2 : 4;
    bool is_field = is_64 && (strncmp(instruction->opcode, "bfe", 3) == 0 ||
                              strncmp(instruction->opcode, "bfi", 3) == 0);
    bool finds = strncmp(instruction->opcode, "fns", 3) == 0;

    for (uint32_t t = 0; t < count; t++) {
        uint64_t *tuple = tuples + t * OPERANDS_WORDS;
        /* Positions and lengths use 8 bits (9.7.1.19). For 64-bit fields compilers use all bits. */
        for (int k = 1; is_field && k < 4; k++)
            if (instruction->types[k] != NULL && strcmp(instruction->types[k], "u32") == 0)
                tuple[k] &= 0xff;
        /* The result of a division by zero is unspecified (9.7.1.8). The simulator reports its use
         * as a fault. */
        if (divides && tuple[1] << (64 - 8 * width) == 0)
            tuple[1] = 1;
        /* There is no bit that far down (9.7.1.17); compilers return 0. */
        if (finds && (uint32_t)tuple[2] == 0x80000000)
            tuple[2] = 1;
    }
}

/* fma.oob: the NaN of elements outside a tensor, in one half of an operand. */
static void add_outside(uint32_t number, uint64_t *tuple)
{
    static const uint64_t outside[] = {0x7ff7, 0xfff7};
    uint32_t shift = 16 * (number / 9 % 2);
    uint64_t *operand = &tuple[number / 3 % 3];

    if (number % 3 == 0)
        *operand = (*operand & ~(UINT64_C(0xffff) << shift)) | outside[number / 18 % 2] << shift;
}

void operands_tuples(const struct instruction_case *instruction, uint32_t first, uint32_t count,
                     uint64_t *tuples)
{
    for (uint32_t k = 0; k < OPERANDS_WORDS; k++) {
        const enum kind kind = k == 4 ? PREDICATE : kind_of(instruction->types[k]);
        for (uint32_t t = 0; t < count; t++)
            tuples[t * OPERANDS_WORDS + k] = operands_value(kind, first + t, k);
    }
    avoid(instruction, count, tuples);
    for (uint32_t t = 0; t < count && strstr(instruction->opcode, ".oob") != NULL; t++)
        add_outside(first + t, tuples + t * OPERANDS_WORDS);
}

bool operands_approximate(const char *opcode)
{
    return strstr(opcode, ".approx") != NULL || strstr(opcode, ".full") != NULL;
}

/* ---- Approximations ---- */

static double value_of(const char *type, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;

    if (strcmp(type, "f64") == 0) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    memcpy(&narrow, &low, sizeof narrow);
    return narrow;
}

/* Compares f16 or bf16 results, with a tolerance of `steps` units in the last place. */
static bool halves_near(uint64_t mine, uint64_t theirs, int64_t steps)
{
    for (int half = 0; half < 2; half++, mine >>= 16, theirs >>= 16) {
        int64_t a = (int64_t)(mine & 0x7fff), b = (int64_t)(theirs & 0x7fff);
        if ((mine & 0x8000) != (theirs & 0x8000) && a + b > steps)
            return false;
        if (a - b > steps || b - a > steps)
            return false;
    }
    return true;
}

bool operands_near(const char *opcode, const char *type, uint64_t operand, uint64_t mine,
                   uint64_t theirs)
{
    /* PTX ISA 9.7.3: relative errors, and absolute ones for sin, cos and lg2. The table has twice
     * each error, because both results are approximations. */
    static const struct {
        const char *name;
        double relative, absolute;
    } errors[] = {
        {"div.", 0x1p-21, 0x1p-126},
        {"rcp.approx.ftz.f64", 0x1p-19, 0},
        {"rcp.", 0x1p-22, 0x1p-126},
        {"sqrt.", 0x1p-22, 0x1p-126},
        {"rsqrt.approx.ftz.f64", 0x1p-19, 0},
        {"rsqrt.approx.f64", 0x1p-19, 0},
        {"rsqrt.", 0x1p-21, 0x1p-126},
        {"sin.", 0, 0x1p-19},
        {"cos.", 0, 0x1p-19},
        {"lg2.", 0x1p-21, 0x1p-21},
        {"ex2.", 0x1p-21, 0x1p-126},
        {"tanh.", 0x1p-10, 0},
    };
    double a, b;

    if (type[0] == 'b' || strstr(type, "16") != NULL)
        return halves_near(mine, theirs, strncmp(opcode, "tanh", 4) == 0 ? 4 : 2);
    a = value_of(type, mine);
    b = value_of(type, theirs);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    /* The errors of sin and cos apply from -pi to pi. */
    if ((strncmp(opcode, "sin", 3) == 0 || strncmp(opcode, "cos", 3) == 0) &&
        fabs(value_of("f32", operand)) > 3.14159)
        return true;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strncmp(opcode, errors[i].name, strlen(errors[i].name)) == 0)
            return a == b || fabs(a - b) <= errors[i].relative * fabs(b) + errors[i].absolute;
    return false;
}
