/* SPDX-License-Identifier: MIT
 *
 * Values with error bounds, which the bits of floats and doubles identify. A value without error
 * that is a float has its own bits. Any other value has the bits of a NaN, and its number in the
 * store is the NaN's payload. The sign bit of these bits is the sign of the value. So registers and
 * memory hold such values, and instructions that only move bits need no change. Equal values have
 * equal bits.
 */
#ifndef SIMTCHECK_SIM_STORE_H
#define SIMTCHECK_SIM_STORE_H

#include "bounded.h"

/* Removes all values. */
void store_clear(void);

/* Return the bits of the value. store_is_full() returns true if one was lost since the last
 * store_clear(). */
uint32_t store_bits_f32(struct bounded value);
uint64_t store_bits_f64(struct bounded value);
bool store_is_full(void);

/* Return the value of bits. */
struct bounded store_value_f32(uint32_t bits);
struct bounded store_value_f64(uint64_t bits);

/* Return whether the bits are those of a value in the store. */
bool store_has_f32(uint32_t bits);
bool store_has_f64(uint64_t bits);

#endif
