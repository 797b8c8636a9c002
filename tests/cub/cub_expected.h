/* SPDX-License-Identifier: MIT
 *
 * Input for CUB's algorithms, and the expected results from plain loops. Sums of floats are exact
 * in any order.
 */
#ifndef SIMTCHECK_TESTS_PTX_CUB_EXPECTED_H
#define SIMTCHECK_TESTS_PTX_CUB_EXPECTED_H

#include "cub_call.h"

#include <stdint.h>

size_t cub_bytes(enum cub_type type);

/* Return the number of elements in the result, and the bytes per element. */
size_t cub_result_count(const struct cub_call *call, size_t count);
size_t cub_result_bytes(const struct cub_call *call);

void cub_fill(const struct cub_call *call, void *in, size_t count, uint64_t seed);
void cub_expect(const struct cub_call *call, const void *in, size_t count, void *out);

#endif
