/* SPDX-License-Identifier: MIT
 *
 * Input values. Element i of an input depends only on (pattern, parameter, i). So host and device
 * make the same values without a copy, and a short case ID names them all.
 */
#ifndef SIMTCHECK_ORACLE_INPUT_VALUES_H
#define SIMTCHECK_ORACLE_INPUT_VALUES_H

#include "catalogue.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define VALUES_BOTH static __host__ __device__ inline
#else
#define VALUES_BOTH static inline
#endif

/* Conversions between a float and its bits. */
VALUES_BOTH float values_as_float(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } number = {bits};

    return number.value;
}

VALUES_BOTH uint32_t values_as_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } number = {value};

    return number.bits;
}

/* From the simplest to the most general: the order in which the shrinker tries them. Those from
 * VALUES_SUBNORMAL to VALUES_ABSORBING are for float kernels. */
enum value_pattern {
    VALUES_ZEROS,
    VALUES_UNIT,      /* 1 at index `parameter`, 0 elsewhere */
    VALUES_ONES,      /* a sum of ones counts the elements */
    VALUES_MINIMUM,   /* INT_MIN everywhere: two of them wrap around to 0; float: -FLT_MAX */
    VALUES_MAXIMUM,   /* INT_MAX everywhere; float: FLT_MAX */
    VALUES_ALTERNATE, /* INT_MIN, INT_MAX, INT_MIN ...; float: -FLT_MAX, FLT_MAX ... */
    VALUES_HASH,      /* 32 random bits each, float: from [-1, 1); `parameter` is the seed */
    VALUES_BYTES, /* 0 to 255, as the textbooks' programs fill arrays; `parameter` is the seed */
    VALUES_WHOLE, /* 1 to 256, also for integers: sums of up to 2^16 of them are exact in any
                     order */
    VALUES_SUBNORMAL, /* of both signs; `parameter` is the seed, also in the next three */
    VALUES_MIXED,     /* of both signs, 2^-126 to 2^96: most are lost in a sum with a few large
                         ones */
    VALUES_CANCEL,    /* as VALUES_MIXED, and its negative follows each value */
    VALUES_LARGE,     /* of both signs, 2^120 to 2^128: some partial sums overflow */
    VALUES_NEGATIVE_ZERO,
    VALUES_INFINITE,   /* infinity at index `parameter`, 1 elsewhere */
    VALUES_OPPOSED,    /* as VALUES_INFINITE, and minus infinity at the next index */
    VALUES_NAN,        /* NaN at index `parameter`, 1 elsewhere */
    VALUES_ABSORBING,  /* 2^24 (half: 2^11) at index `parameter`, 1 elsewhere: ones that are added
                          to it one by one are lost */
    VALUES_FILLED,     /* every bit set: -1, the largest unsigned integer; float: NaN */
    VALUES_HOLE,       /* 0 at index `parameter`, 1 elsewhere */
    VALUES_ASCENDING,  /* i - parameter, or the nearest number that the type has */
    VALUES_DESCENDING, /* parameter - i */
    /* For programs: every other word is a special integer or float, and the others are random bits.
     * `parameter` is the seed. */
    VALUES_EDGES,
};

enum { VALUE_PATTERNS = VALUES_EDGES + 1 };

struct values {
    enum value_pattern pattern;
    uint64_t parameter;
};

/* The output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014), used as a counter-based hash of (seed, counter). */
VALUES_BOTH uint64_t values_hash(uint64_t seed, uint64_t counter)
{
    uint64_t z = seed + (counter + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Special words: -2^31, -1, 0, 1 and the like; bounds of 8 and 16 bits; zeros, subnormals,
 * infinities and NaN. */
VALUES_BOTH uint32_t values_edge(uint64_t hash)
{
    uint32_t bit = UINT32_C(1) << ((hash >> 8) & 31), k = (uint32_t)hash & 15;

    switch (k) {
    case 0:
    case 1:
        return bit;
    case 2:
        return 0 - bit;
    case 3:
        return bit - 1;
    case 4:
        return UINT32_C(0x7f800000) ^ (uint32_t)((hash >> 40) << 31);
    case 5:
        return UINT32_C(0x7fc00000);
    case 6:
        return UINT32_C(0x3f800000) ^ (uint32_t)((hash >> 40) << 31);
    case 7:
        return (uint32_t)(hash >> 40) & UINT32_C(0x807fffff);
    case 8:
        return UINT32_C(0x80000000);
    case 9:
        return UINT32_C(0x7fffffff);
    case 10:
        return UINT32_C(0xffffffff);
    default: /* small, of both signs */
        return (uint32_t)((hash >> 40) & 15) - 8;
    }
}

/* Returns element i of VALUES_ASCENDING or VALUES_DESCENDING, but no number below -limit or above
 * limit. */
VALUES_BOTH int32_t values_ordered(enum value_pattern pattern, uint64_t parameter, uint64_t i,
                                   int32_t limit)
{
    int64_t place = (int64_t)(i - parameter), value = pattern == VALUES_ASCENDING ? place : -place;

    return value < -limit ? -limit : value > limit ? limit : (int32_t)value;
}

VALUES_BOTH uint32_t values_bits(enum value_pattern pattern, uint64_t parameter, uint64_t i)
{
    switch (pattern) {
    case VALUES_ZEROS:
        return 0;
    case VALUES_UNIT:
        return i == parameter;
    case VALUES_HOLE:
        return i != parameter;
    case VALUES_ONES:
        return 1;
    case VALUES_ASCENDING:
    case VALUES_DESCENDING:
        return (uint32_t)values_ordered(pattern, parameter, i, INT32_MAX);
    case VALUES_MINIMUM:
        return UINT32_C(0x80000000);
    case VALUES_MAXIMUM:
        return UINT32_C(0x7fffffff);
    case VALUES_ALTERNATE:
        return i % 2 == 0 ? UINT32_C(0x80000000) : UINT32_C(0x7fffffff);
    case VALUES_FILLED:
        return UINT32_MAX;
    case VALUES_BYTES:
    case VALUES_WHOLE:
        return (pattern == VALUES_WHOLE) + (uint32_t)(values_hash(parameter, i) >> 56);
    case VALUES_EDGES:
        return values_hash(parameter, i) & 1 ? values_edge(values_hash(~parameter, i))
                                             : (uint32_t)(values_hash(parameter, i) >> 32);
    default:
        return (uint32_t)(values_hash(parameter, i) >> 32);
    }
}

/* A float with the hash's sign and mantissa, and an exponent field from `least` to `least +
 * span`. */
VALUES_BOTH uint32_t values_float_bits(uint64_t hash, uint32_t least, uint32_t span)
{
    uint32_t exponent = least + (uint32_t)(hash >> 32) % (span + 1);
    return ((uint32_t)hash & UINT32_C(0x807fffff)) | exponent << 23;
}

/* Returns element i as the bits of a float. */
VALUES_BOTH uint32_t values_bits_f32(enum value_pattern pattern, uint64_t parameter, uint64_t i)
{
    const uint32_t one = UINT32_C(0x3f800000), largest = UINT32_C(0x7f7fffff),
                   infinity = UINT32_C(0x7f800000), sign = UINT32_C(0x80000000);

    switch (pattern) {
    case VALUES_ZEROS:
        return 0;
    case VALUES_FILLED:
    case VALUES_EDGES:
        return values_bits(pattern, parameter, i);
    case VALUES_UNIT:
        return i == parameter ? one : 0;
    case VALUES_HOLE:
        return i == parameter ? 0 : one;
    case VALUES_ASCENDING: /* 2^24: every smaller integer is a float */
    case VALUES_DESCENDING:
        return values_as_bits((float)values_ordered(pattern, parameter, i, 1 << 24));
    case VALUES_ONES:
        return one;
    case VALUES_MINIMUM:
        return sign | largest;
    case VALUES_MAXIMUM:
        return largest;
    case VALUES_ALTERNATE:
        return i % 2 == 0 ? sign | largest : largest;
    case VALUES_HASH: /* 24 bits: exact */
        return values_as_bits((float)((int32_t)(values_hash(parameter, i) >> 40) - (1 << 23)) /
                              (1 << 23));
    case VALUES_BYTES:
    case VALUES_WHOLE:
        return values_as_bits((float)values_bits(pattern, parameter, i));
    case VALUES_SUBNORMAL:
        return values_float_bits(values_hash(parameter, i), 0, 0);
    case VALUES_MIXED:
        return values_float_bits(values_hash(parameter, i), 1, 222);
    case VALUES_CANCEL:
        return values_float_bits(values_hash(parameter, i / 2), 1, 222) ^ (i % 2 == 0 ? 0 : sign);
    case VALUES_LARGE:
        return values_float_bits(values_hash(parameter, i), 247, 7);
    case VALUES_NEGATIVE_ZERO:
        return sign;
    case VALUES_INFINITE:
        return i == parameter ? infinity : one;
    case VALUES_OPPOSED:
        return i == parameter ? infinity : i == parameter + 1 ? sign | infinity : one;
    case VALUES_ABSORBING:
        return i == parameter ? UINT32_C(0x4b800000) : one;
    case VALUES_NAN:
        break;
    }
    return i == parameter ? UINT32_C(0x7fc00000) : one;
}

/* Returns element i as the bits of an integer of 8, 16 or 64 bits. */
VALUES_BOTH uint64_t values_integer(uint32_t width, enum value_pattern pattern, uint64_t parameter,
                                    uint64_t i)
{
    const uint64_t mask = ~UINT64_C(0) >> (64 - width), least = UINT64_C(1) << (width - 1);
    uint64_t bits;

    switch (pattern) {
    case VALUES_MINIMUM:
        return least;
    case VALUES_MAXIMUM:
        return least - 1;
    case VALUES_ALTERNATE:
        return i % 2 == 0 ? least : least - 1;
    case VALUES_HASH:
        bits = values_hash(parameter, i);
        break;
    case VALUES_ASCENDING:
    case VALUES_DESCENDING: /* sign-extended */
        bits = (uint64_t)(int64_t)values_ordered(pattern, parameter, i,
                                                 width < 32 ? (int32_t)(least - 1) : INT32_MAX);
        break;
    case VALUES_FILLED:
    case VALUES_EDGES: /* sign-extended */
        bits = (uint64_t)(int64_t)(int32_t)values_bits(pattern, parameter, i);
        break;
    default:
        bits = values_bits(pattern, parameter, i);
    }
    return bits & mask;
}

/* Returns k / 1024 as the bits of a half; |k| is at most 2^11, or larger and even. */
VALUES_BOTH uint32_t values_half_of(int32_t k)
{
    uint32_t size = (uint32_t)(k < 0 ? -k : k), exponent = 15;

    if (size == 0)
        return 0;
    for (; size >= 2048; size /= 2)
        exponent++;
    for (; size < 1024; size *= 2)
        exponent--;
    return (k < 0 ? 0x8000u : 0u) | exponent << 10 | (size & 1023);
}

/* Returns element i as the bits of a half: the value of a float, if a half can hold it. */
VALUES_BOTH uint32_t values_bits_f16(enum value_pattern pattern, uint64_t parameter, uint64_t i)
{
    uint32_t hash = (uint32_t)(values_hash(parameter, i) >> 48), wide;

    switch (pattern) {
    case VALUES_HASH: /* 11 bits: exact */
        return values_half_of((int32_t)(hash >> 5) - 1024);
    case VALUES_BYTES:
    case VALUES_WHOLE:
        return values_half_of(1024 * (int32_t)values_bits(pattern, parameter, i));
    case VALUES_ASCENDING:
    case VALUES_DESCENDING:
        return values_half_of(1024 * values_ordered(pattern, parameter, i, 2048));
    case VALUES_SUBNORMAL:
        return hash & 0x83ff;
    case VALUES_MIXED:
        return (hash & 0x83ff) | (1 + (hash >> 10) % 25) << 10;
    case VALUES_CANCEL:
        hash = (uint32_t)(values_hash(parameter, i / 2) >> 48);
        return ((hash & 0x83ff) | (1 + (hash >> 10) % 25) << 10) ^ (i % 2 == 0 ? 0 : 0x8000);
    case VALUES_LARGE:
        return (hash & 0x83ff) | (27 + (hash >> 10) % 4) << 10;
    case VALUES_EDGES:
        return hash;
    case VALUES_ABSORBING:
        return i == parameter ? 0x6800 : 0x3c00;
    case VALUES_MINIMUM:
    case VALUES_MAXIMUM:
    case VALUES_ALTERNATE: /* the largest halves instead of infinities */
        wide = values_bits_f32(pattern, parameter, i);
        return (wide >> 16 & 0x8000) | 0x7bff;
    default: /* 0, 1, infinity and NaN of both signs */
        wide = values_bits_f32(pattern, parameter, i);
        return (wide >> 16 & 0x8000) | ((wide & 0x7fffffff) == 0            ? 0
                                        : (wide & 0x7fffffff) == 0x3f800000 ? 0x3c00
                                        : (wide & 0x7fffff) == 0            ? 0x7c00
                                                                            : 0x7e00);
    }
}

/* Returns element i as the bits of a double: the value of the float, or random bits of all its
 * digits, so that sums of few elements already depend on their order. */
VALUES_BOTH uint64_t values_bits_f64(enum value_pattern pattern, uint64_t parameter, uint64_t i)
{
    union {
        double value;
        uint64_t bits;
    } wide = {pattern == VALUES_HASH
                  ? (double)(int64_t)values_hash(parameter, i) / 9223372036854775808.0
                  : (double)values_as_float(values_bits_f32(pattern, parameter, i))};

    return wide.bits;
}

/* Returns element i as the bits of an element of that type. */
VALUES_BOTH uint64_t values_element(enum element element, enum value_pattern pattern,
                                    uint64_t parameter, uint64_t i)
{
    switch (element) {
    case ELEMENT_I32:
        return values_bits(pattern, parameter, i);
    case ELEMENT_F32:
        return values_bits_f32(pattern, parameter, i);
    case ELEMENT_I8:
        return values_integer(8, pattern, parameter, i);
    case ELEMENT_I16:
        return values_integer(16, pattern, parameter, i);
    case ELEMENT_I64:
        return values_integer(64, pattern, parameter, i);
    case ELEMENT_F16:
        return values_bits_f16(pattern, parameter, i);
    case ELEMENT_BF16: /* the upper half of a float */
        return values_bits_f32(pattern, parameter, i) >> 16;
    case ELEMENT_F64:
        break;
    }
    return values_bits_f64(pattern, parameter, i);
}

/* ---- Other fills ---- */

/* What an array holds: enum fill, and its numbers; `seed` is the case's. */
struct filling {
    enum element element;
    enum fill fill;
    struct values values;
    int64_t low, high;
    uint64_t first, count, seed; /* first: index among the case's values of the value in element
                                    0 */
    const void *data;            /* FILL_DATA: in the memory of the code that runs */
};

/* Returns true if the pattern's parameter is a seed. */
VALUES_BOTH bool values_are_seeded(enum value_pattern pattern)
{
    return pattern == VALUES_EDGES || (pattern >= VALUES_HASH && pattern <= VALUES_LARGE);
}

/* Returns true for special values of which some are 0. */
VALUES_BOTH bool values_have_zeros(enum value_pattern pattern)
{
    return pattern <= VALUES_UNIT || pattern == VALUES_BYTES ||
           (pattern >= VALUES_HOLE && pattern <= VALUES_DESCENDING);
}

/* Returns a number that identifies a set of values. */
static inline uint64_t values_key(struct values values)
{
    return values_hash(values.parameter, values.pattern);
}

/* Returns the filling of that buffer in a case with those values. */
VALUES_BOTH struct filling values_filling(const struct buffer *buffer, struct values values)
{
    struct filling filling;
    uint64_t salt = buffer->salt * UINT64_C(0x9e3779b97f4a7c15);

    filling.element = buffer->element;
    filling.fill = buffer->fill;
    filling.values = values;
    if (values_are_seeded(values.pattern))
        filling.values.parameter += salt;
    filling.low = buffer->low;
    filling.high = buffer->high;
    filling.first = buffer->first;
    filling.count = buffer->count;
    filling.seed = values.parameter + (uint64_t)values.pattern + salt;
    filling.data = buffer->data;
    return filling;
}

/* Returns element i of a permutation of 0 to count - 1. A Feistel network (Luby and Rackoff, 1988)
 * permutes the least power of four that is at least `count`. It is applied until the result is
 * below `count` (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). */
VALUES_BOTH uint64_t values_permuted(uint64_t seed, uint64_t count, uint64_t i)
{
    uint32_t half = 1;

    while (half < 31 && (UINT64_C(1) << 2 * half) < count)
        half++;
    do {
        uint64_t mask = (UINT64_C(1) << half) - 1, left = i >> half, right = i & mask;
        for (uint32_t round = 0; round < 4; round++) {
            uint64_t mixed = left ^ (values_hash(seed + round, right) & mask);
            left = right;
            right = mixed;
        }
        i = left << half | right;
    } while (i >= count);
    return i;
}

/* Returns where part i of `count` equal parts of `range` begins: i * range / count, without
 * exceeding 64 bits. */
VALUES_BOTH uint64_t values_share(uint64_t range, uint64_t count, uint64_t i)
{
    return range / count * i + range % count * i / count;
}

/* Returns the whole number at index i. */
VALUES_BOTH int64_t values_whole(const struct filling *filling, uint64_t i)
{
    uint64_t range = filling->high > filling->low ? (uint64_t)(filling->high - filling->low) : 1,
             hash = values_hash(filling->seed, i), count = filling->count, from, to;

    switch (filling->fill) {
    case FILL_PERMUTATION:
        return (int64_t)values_permuted(filling->seed, count, i);
    case FILL_SORTED:
        from = values_share(range, count, i);
        to = values_share(range, count, i + 1);
        return filling->low + (int64_t)(from + (to > from ? hash % (to - from) : 0));
    case FILL_OFFSETS:
        if (i == 0 || count < 2 || filling->high == 0)
            return 0;
        if (i == count - 1)
            return filling->high;
        from = values_share(range, count - 1, i);
        to = values_share(range, count - 1, i + 1);
        return (int64_t)(from + hash % (to - from + 1));
    default:
        return filling->low + (int64_t)(hash % range);
    }
}

/* Returns element i of an array of that type. */
VALUES_BOTH uint64_t values_of_data(enum element element, const void *data, uint64_t i)
{
    switch (element) {
    case ELEMENT_I8:
        return ((const uint8_t *)data)[i];
    case ELEMENT_I16:
    case ELEMENT_F16:
    case ELEMENT_BF16:
        return ((const uint16_t *)data)[i];
    case ELEMENT_I32:
    case ELEMENT_F32:
        return ((const uint32_t *)data)[i];
    case ELEMENT_I64:
    case ELEMENT_F64:
        break;
    }
    return ((const uint64_t *)data)[i];
}

/* Returns the bits of element i. */
VALUES_BOTH uint64_t values_filled(const struct filling *filling, uint64_t i)
{
    float narrow;
    union {
        double value;
        uint64_t bits;
    } wide;
    uint64_t hash = values_hash(filling->seed ^ UINT64_C(0x5bd1e995), i);

    if (filling->fill == FILL_VALUES)
        return values_element(filling->element, filling->values.pattern, filling->values.parameter,
                              filling->first + i);
    if (filling->fill == FILL_DATA)
        return values_of_data(filling->element, filling->data, i);
    wide.value = (double)values_whole(filling, i);
    if (filling->fill == FILL_UNIFORM) /* 24 fractional bits */
        wide.value += (double)(hash >> 40) / (1 << 24);
    narrow = (float)wide.value;
    if (narrow >= (float)filling->high) /* it was rounded up */
        narrow = (float)values_whole(filling, i);
    switch (filling->element) {
    case ELEMENT_F64:
        return wide.bits;
    case ELEMENT_F32:
        return values_as_bits(narrow);
    case ELEMENT_BF16:
        return values_as_bits(narrow) >> 16;
    case ELEMENT_F16: /* only whole numbers */
        return values_half_of(1024 * (int32_t)(values_whole(filling, i) % 2048));
    default:
        return (uint64_t)values_whole(filling, i);
    }
}

/* Returns the 32 bits at word w of the array. */
VALUES_BOTH uint32_t values_word(const struct filling *filling, uint64_t w)
{
    uint32_t word = 0;

    switch (filling->element) {
    case ELEMENT_I32:
    case ELEMENT_F32:
        return (uint32_t)values_filled(filling, w);
    case ELEMENT_I8:
        for (uint32_t k = 0; k < 4; k++)
            word |= ((uint32_t)values_filled(filling, 4 * w + k) & 0xff) << 8 * k;
        return word;
    case ELEMENT_I16:
    case ELEMENT_F16:
    case ELEMENT_BF16:
        for (uint32_t k = 0; k < 2; k++)
            word |= ((uint32_t)values_filled(filling, 2 * w + k) & 0xffff) << 16 * k;
        return word;
    case ELEMENT_I64:
    case ELEMENT_F64:
        break;
    }
    return (uint32_t)(values_filled(filling, w / 2) >> 32 * (w % 2));
}

VALUES_BOTH int32_t values_i32(struct values values, uint64_t i)
{
    return (int32_t)values_bits(values.pattern, values.parameter, i);
}

VALUES_BOTH float values_f32(struct values values, uint64_t i)
{
    return values_as_float(values_bits_f32(values.pattern, values.parameter, i));
}

#endif
