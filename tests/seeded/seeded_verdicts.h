/* SPDX-License-Identifier: MIT
 *
 * The seeded kernels whose verdicts are known.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_VERDICTS_H
#define SIMTCHECK_TESTS_SEEDED_VERDICTS_H

#include "catalogue.h"

enum { FREE = 0, ITS = UNDER_INDEPENDENT, BOTH = UNDER_BOTH };

/* A flag is seen or not by the order that happened, and only who sees it reads: those kernels are
 * run in the order in which the flag is seen. */
struct seeded_verdict {
    const char *kernel;
    uint32_t blocks, threads;
    unsigned int races; /* models under which it does */
    bool by_flag, cdp1;
    unsigned int unordered; /* models under which strong accesses are, and none race */
};

extern const struct seeded_verdict seeded[];
extern const size_t seeded_count;

#endif
