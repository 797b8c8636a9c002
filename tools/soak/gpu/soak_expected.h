/* SPDX-License-Identifier: MIT
 *
 * The expected results of all cases, from the simulator.
 */
#ifndef SIMTCHECK_SOAK_EXPECTED_H
#define SIMTCHECK_SOAK_EXPECTED_H

#include "soak_cases.h"
#include "soak_code.h"

/* The results of all tuples of each case, one case after the other. The memory is shared between
 * processes. */
struct soak_expected {
    uint64_t *words;
    size_t *first; /* of each case */
    struct soak_expected_state {
        _Atomic size_t next, computed; /* modules */
    } * state;
};

/* Computes the results in several processes, which then compile the modules. Stops when nothing
 * ends for `patience` seconds. Returns false with a reason if results are missing. Machine code may
 * be missing. */
bool soak_expected_compute(const struct soak_module *modules, size_t count,
                           struct soak_expected *expected, struct soak_code *code, double patience,
                           char *reason);

#endif
