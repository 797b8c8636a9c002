/* SPDX-License-Identifier: MIT
 *
 * The expected results of all cases, from the simulator.
 */
#ifndef SIMTCHECK_SOAK_EXPECTED_H
#define SIMTCHECK_SOAK_EXPECTED_H

#include "soak_cases.h"
#include "soak_device.h"

/* The results of all tuples of each case, one case after the other. */
struct soak_expected {
    uint64_t *words;
    size_t *first; /* of each case */
};

/* Starts processes that compute the results. They do not use a GPU. Returns false with a
 * reason on error. */
bool soak_expected_start(const struct soak_module *modules, size_t count,
                         struct soak_expected *expected, char *reason);

/* Waits for them. */
bool soak_expected_finish(char *reason);

#endif
