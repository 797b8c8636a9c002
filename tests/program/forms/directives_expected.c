/* SPDX-License-Identifier: MIT */
#include "catalogue.h"

#include <stdint.h>

/* What directives.ptx computes. */
bool expected(const struct expectation *expectation)
{
    uint32_t *out = expectation->arrays[0], *counters = expectation->arrays[1];

    for (uint32_t n = 0; n < 32; n++) {
        out[4 * n] = n * (n + 1);
        out[4 * n + 1] = 42 + counters[n]++;
        out[4 * n + 2] = 9;
        out[4 * n + 3] = 5;
    }
    return true;
}
