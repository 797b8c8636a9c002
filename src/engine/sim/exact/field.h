/* SPDX-License-Identifier: MIT
 *
 * The prime field of `--floats exact`, and how registers and memory hold its elements.
 *
 * An element is a number from 0 to FIELD_PRIME - 1. A float holds it as a bit pattern. The patterns
 * of 0 and of all finite floats up to 0x7f77ff68, of both signs, are the elements. The elements of
 * a pattern and of the pattern with the other sign are negatives of each other. The patterns of the
 * following floats are the elements of their values, where m * 2^e is a fraction of integers
 * modulo FIELD_PRIME:
 *
 *     integers up to 2^20
 *     m * 2^e with 8 significant bits, from 2^-32 to below 2^32
 *
 * All others are a fixed permutation. A double holds an element as the value of the float.
 */
#ifndef SIMTCHECK_SIM_FIELD_H
#define SIMTCHECK_SIM_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#define FIELD_PRIME UINT32_C(4277141201)

/* Not elements: NaN; infinities and the largest floats of both signs. */
#define FIELD_NAN UINT32_MAX
#define FIELD_LIMIT (UINT32_MAX - 1)

/* Convert between bits and elements. A finite double that is no float is m * 2^e. */
uint32_t field_of_f32(uint32_t bits);
uint32_t field_of_f64(uint64_t bits);
uint32_t field_bits_f32(uint32_t element);
uint64_t field_bits_f64(uint32_t element);

/* Return the bits that hold the same element or limit: negative zeros become zeros, and doubles
 * that are no floats become floats. */
uint32_t field_canonical_f32(uint32_t bits);
uint64_t field_canonical_f64(uint64_t bits);

/* Returns the element of an integer. */
uint32_t field_of_integer(uint64_t magnitude, bool is_negative);

/* Arithmetic on elements. The inverse of 0 is 0. */
uint32_t field_add(uint32_t a, uint32_t b);
uint32_t field_negative(uint32_t a);
uint32_t field_multiply(uint32_t a, uint32_t b);
uint32_t field_inverse(uint32_t a);
/* Returns a * 2^exponent. */
uint32_t field_scale(uint32_t a, int64_t exponent);

/* Returns an element that depends on the seed and the counter like a random one. */
uint32_t field_random(uint64_t seed, uint64_t counter);

#endif
