/* SPDX-License-Identifier: MIT
 *
 * Code that the property tests of a catalogue row share with the list of these tests.
 */
#ifndef SIMTCHECK_TESTS_PROPERTY_ROWS_H
#define SIMTCHECK_TESTS_PROPERTY_ROWS_H

#include "catalogue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the row "ID.VARIANT", such as "reduceNeighbored.corrected", or null. */
const struct variant *row_named(const char *name);

/* Reads the seed of sizes and values from SIMTCHECK_SEED: a number, or `random` to draw one. The
 * default is 1. Returns false for anything else, after a message on standard error. */
bool seed_read(uint64_t *seed);

/* Sets a shape of about `n` elements at which the row must be right. `n` is a power of two, and
 * `tail` is the number of extra elements. A matrix has blocks of 32 by 32. A vector has the first
 * of a few block sizes in the row's domain. With a tail that may be 1000, which is not a power of
 * two. Returns false if the row does not add up anything, or is right at no such shape. */
bool row_large_shape(const struct variant *variant, uint64_t n, uint64_t tail, struct shape *shape);

#ifdef __cplusplus
}
#endif

#endif
