/* SPDX-License-Identifier: MIT
 *
 * What the property tests of a row of the catalogue share with the list of them.
 */
#ifndef SIMTCHECK_TESTS_PROPERTY_ROWS_H
#define SIMTCHECK_TESTS_PROPERTY_ROWS_H

#include "catalogue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The row of "ID.FORM", such as "reduceNeighbored.total". Null: there is none. */
const struct variant *row_named(const char *name);

/* The seed of sizes and values: SIMTCHECK_SEED, a number, or `random` for one that is drawn; 1 by
 * default. Returns false, after a sentence on standard error, when it is none. */
bool seed_read(uint64_t *seed);

/* A shape of about `n` elements at which the row must be right. `n` is a power of two, and `tail`
 * is how many odd elements there are besides. A matrix has blocks of 32 by 32, a vector the first
 * of a few block sizes that lies in the row's domain; with a tail that may be 1000, no power of
 * two. Returns false when the row adds up nothing, or is right at no such shape. */
bool row_large_shape(const struct variant *variant, uint64_t n, uint64_t tail, struct shape *shape);

#ifdef __cplusplus
}
#endif

#endif
