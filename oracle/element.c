/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <string.h>

enum { WARP = 32 };

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* One of two constants: those that the documents' kernels of that element type write. */
static uint32_t constant(enum element element, uint64_t choice)
{
    if (element == ELEMENT_F32)
        return float_bits(choice % 2 == 0 ? 100.0f : 200.0f);
    return choice % 2;
}

/* A[i] + B[i], where B goes on with the values where A's `elements` end. */
static uint32_t matrix_sum(enum element element, struct values values, uint64_t elements,
                           uint64_t i)
{
    if (element == ELEMENT_F32)
        return float_bits(values_f32(values, i) + values_f32(values, elements + i));
    return (uint32_t)values_i32(values, i) + (uint32_t)values_i32(values, elements + i);
}

uint32_t oracle_word(const struct variant *variant, const struct shape *shape, struct values values,
                     uint32_t output, uint64_t i)
{
    uint32_t number = (uint32_t)(i % shape_threads(shape));

    switch (variant->contract) {
    case CONTRACT_MATRIX_SUM:
        return matrix_sum(variant->element, values, shape_elements(shape), i);
    case CONTRACT_SPLIT_LANES:
        return constant(variant->element, i);
    case CONTRACT_SPLIT_WARPS:
        return constant(variant->element, i / WARP);
    case CONTRACT_SPLIT_WAYS:
        return shape->size[1] > 0 ? (uint32_t)(i % shape->size[1]) : 0;
    case CONTRACT_WARP_MAP:
        return output == 0 ? number : output == 1 ? number / WARP : number % WARP;
    case CONTRACT_SUM: /* not by element */
    case CONTRACT_HELLO:
    case CONTRACT_HELLO_FIRST:
    case CONTRACT_HELLO_NESTED:
    case CONTRACT_PROGRAM:
    case CONTRACT_NONE:
    case CONTRACT_EXPECTED:
        break;
    }
    return 0;
}

uint64_t oracle_canonical(enum element element, uint64_t bits)
{
    uint64_t infinity;

    switch (element) {
    case ELEMENT_F16:
        infinity = 0x7c00;
        break;
    case ELEMENT_BF16:
        infinity = 0x7f80;
        break;
    case ELEMENT_F32:
        infinity = UINT32_C(0x7f800000);
        break;
    case ELEMENT_F64:
        infinity = UINT64_C(0x7ff0000000000000);
        break;
    default:
        return bits;
    }
    /* A NaN is above infinity, but for the sign. */
    return (bits & (infinity | ((infinity & -infinity) - 1))) > infinity ? infinity + 1 : bits;
}
