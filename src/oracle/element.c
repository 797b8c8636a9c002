/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdio.h>
#include <string.h>

enum { WARP_BITS = 5, WARP = 1 << WARP_BITS };

/* Returns one of the two constants that the textbooks' kernels of that element type write. */
static uint32_t constant(enum element element, uint64_t choice)
{
    if (element == ELEMENT_F32)
        return values_as_bits(choice % 2 == 0 ? 100.0f : 200.0f);
    return choice % 2;
}

/* The constants alternate, each for 2^`bits` elements. */
static void split_words(enum element element, uint32_t bits, uint64_t first, uint64_t count,
                        uint32_t *words)
{
    const uint32_t constants[] = {constant(element, 0), constant(element, 1)};

    for (uint64_t k = 0; k < count; k++)
        words[k] = constants[(first + k) >> bits & 1];
}

/* Element i is i modulo `period`. */
static void counted_words(uint64_t period, uint64_t first, uint64_t count, uint32_t *words)
{
    uint64_t number = first % period;

    for (uint64_t done = 0; done < count; number = 0) {
        uint64_t left = count - done, run = period - number < left ? period - number : left;
        for (uint64_t k = 0; k < run; k++)
            words[done + k] = (uint32_t)(number + k);
        done += run;
    }
}

/* Returns A[i] + B[i]. B continues the values after A's `elements`. */
static uint32_t matrix_sum(enum element element, struct values values, uint64_t elements,
                           uint64_t i)
{
    if (element == ELEMENT_F32)
        return values_as_bits(values_f32(values, i) + values_f32(values, elements + i));
    return (uint32_t)values_i32(values, i) + (uint32_t)values_i32(values, elements + i);
}

/* Adds stored words in the same way. */
static void add_words(enum element element, const uint32_t *a, const uint32_t *b, uint64_t count,
                      uint32_t *words)
{
    for (uint64_t k = 0; k < count; k++)
        words[k] = element == ELEMENT_F32
                       ? values_as_bits(values_as_float(a[k]) + values_as_float(b[k]))
                       : a[k] + b[k];
}

static void matrix_words(enum element element, const struct shape *shape, struct values values,
                         const uint32_t *inputs, uint64_t first, uint64_t count, uint32_t *words)
{
    uint64_t elements = shape_elements(shape);

    if (inputs != NULL) {
        add_words(element, inputs + first, inputs + elements + first, count, words);
        return;
    }
    for (uint64_t k = 0; k < count; k++)
        words[k] = matrix_sum(element, values, elements, first + k);
}

void oracle_words(const struct variant *variant, const struct shape *shape, struct values values,
                  const uint32_t *inputs, uint32_t output, uint64_t first, uint64_t count,
                  uint32_t *words)
{
    switch (variant->contract) {
    case CONTRACT_MATRIX_SUM:
        matrix_words(variant->element, shape, values, inputs, first, count, words);
        break;
    case CONTRACT_SPLIT_LANES:
        split_words(variant->element, 0, first, count, words);
        break;
    case CONTRACT_SPLIT_WARPS:
        split_words(variant->element, WARP_BITS, first, count, words);
        break;
    case CONTRACT_SPLIT_WAYS: /* of no ways: 0 */
        counted_words(shape->size[1] > 0 ? shape->size[1] : 1, first, count, words);
        break;
    case CONTRACT_TRIPS:
        counted_words(shape_threads(shape), first, count, words);
        for (uint64_t k = 0; k < count; k++) {
            uint32_t lane = words[k] % WARP;
            words[k] = lane > 0 ? lane * (lane - 1) / 2 : 0;
        }
        break;
    case CONTRACT_WARP_MAP:
        counted_words(shape_threads(shape), first, count, words);
        for (uint64_t k = 0; output > 0 && k < count; k++)
            words[k] = output == 1 ? words[k] / WARP : words[k] % WARP;
        break;
    case CONTRACT_SUM: /* not compared by element */
    case CONTRACT_HELLO:
    case CONTRACT_HELLO_FIRST:
    case CONTRACT_HELLO_NESTED:
    case CONTRACT_PROGRAM:
    case CONTRACT_NONE:
    case CONTRACT_EXPECTED:
        memset(words, 0, count * sizeof *words);
        break;
    }
}

uint64_t oracle_infinity(enum element element)
{
    static const uint64_t infinities[] = {[ELEMENT_F32] = UINT32_C(0x7f800000),
                                          [ELEMENT_F16] = 0x7c00,
                                          [ELEMENT_F64] = UINT64_C(0x7ff0000000000000),
                                          [ELEMENT_BF16] = 0x7f80};

    return infinities[element];
}

uint64_t oracle_canonical(enum element element, uint64_t bits)
{
    uint64_t infinity = oracle_infinity(element);

    /* A NaN is above infinity, apart from the sign. */
    return infinity > 0 && (bits & (infinity | ((infinity & -infinity) - 1))) > infinity
               ? infinity + 1
               : bits;
}

void difference_at(struct difference *difference, const struct invocation *invocation,
                   uint32_t buffer, uint64_t index)
{
    const struct buffer *of = &invocation->buffers[buffer];

    buffer_place(of, index, difference->place, sizeof difference->place);
    difference->buffer = buffer;
    difference->element =
        (struct array_element){.unit = ELEMENT_INDEX,
                               .index = (int64_t)index,
                               .count = of->count,
                               .offset = (int64_t)(index * element_size(of->element)),
                               .bytes = buffer_bytes(of),
                               .access = (uint32_t)element_size(of->element)};
    snprintf(difference->element.array, sizeof difference->element.array, "%s", of->name);
}
