/* SPDX-License-Identifier: MIT
 *
 * What a kernel's result must be. Nothing here looks at a kernel or runs one.
 */
#ifndef SIMTCHECK_ORACLE_ORACLE_H
#define SIMTCHECK_ORACLE_ORACLE_H

#include "values.h"

#include <stdbool.h>
#include <stdint.h>

/* Sum of x[0..n) modulo 2^32, read as int32: what any order of wrapping additions gives, for
 * addition modulo 2^32 is associative and commutative. */
int32_t oracle_sum_i32(const int32_t *x, uint64_t n);

/* Remembers running sums of generated values, so that the sum of a prefix already seen is a
 * look-up. Not shared between threads. */
struct oracle_sums;

/* Null when memory runs out. The caller owns the result. */
struct oracle_sums *oracle_sums_create(void);
void oracle_sums_destroy(struct oracle_sums *sums);

/* Sum of the first n elements of `values`, as oracle_sum_i32() of the generated array would give
 * it. False when memory runs out. */
bool oracle_sums_i32(struct oracle_sums *sums, struct values values, uint64_t n, int32_t *sum);

#endif
