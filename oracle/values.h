/* SPDX-License-Identifier: MIT
 *
 * Input values. Element i of an input is a function of (pattern, parameter, i) alone, so host and
 * device make the same values without a copy and a token of a few characters names them all.
 */
#ifndef SIMTCHECK_ORACLE_VALUES_H
#define SIMTCHECK_ORACLE_VALUES_H

#include <stdint.h>

#ifdef __CUDACC__
#define VALUES_BOTH static __host__ __device__ inline
#else
#define VALUES_BOTH static inline
#endif

/* From the simplest to the most general: the order in which a shrinker tries them. */
enum value_pattern {
    VALUES_ZEROS,
    VALUES_UNIT,      /* 1 at index `parameter`, 0 elsewhere */
    VALUES_ONES,      /* a sum of ones counts the elements */
    VALUES_MINIMUM,   /* INT_MIN everywhere: two of them wrap around to 0 */
    VALUES_MAXIMUM,   /* INT_MAX everywhere */
    VALUES_ALTERNATE, /* INT_MIN, INT_MAX, INT_MIN ... */
    VALUES_HASH,      /* 32 random bits each; `parameter` is the seed */
};

enum { VALUE_PATTERNS = VALUES_HASH + 1 };

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

VALUES_BOTH uint32_t values_bits(enum value_pattern pattern, uint64_t parameter, uint64_t i)
{
    switch (pattern) {
    case VALUES_ZEROS:
        return 0;
    case VALUES_UNIT:
        return i == parameter;
    case VALUES_ONES:
        return 1;
    case VALUES_MINIMUM:
        return UINT32_C(0x80000000);
    case VALUES_MAXIMUM:
        return UINT32_C(0x7fffffff);
    case VALUES_ALTERNATE:
        return i % 2 == 0 ? UINT32_C(0x80000000) : UINT32_C(0x7fffffff);
    case VALUES_HASH:
        break;
    }
    return (uint32_t)(values_hash(parameter, i) >> 32);
}

VALUES_BOTH int32_t values_i32(struct values values, uint64_t i)
{
    return (int32_t)values_bits(values.pattern, values.parameter, i);
}

#endif
