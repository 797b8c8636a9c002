/* SPDX-License-Identifier: MIT
 *
 * The reductions of asynchronous copies, for tests.
 */
#ifndef SIMTCHECK_TESTS_REDUCTIONS_H
#define SIMTCHECK_TESTS_REDUCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* An operation and a type, as PTX names them: "add" and "u32". */
struct reduction {
    const char *operation, *type;
};

/* Returns the bytes of a type. */
uint32_t reduction_bytes(const char *type);

/* Applies the values to `count` elements. */
void reduction_apply(const struct reduction *reduction, void *elements, const void *values,
                     size_t count);

/* Fills an array with random elements of the type. Sums of two floats are exact. */
void reduction_fill(const char *type, void *elements, size_t count);

#endif
