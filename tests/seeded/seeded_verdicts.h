/* SPDX-License-Identifier: MIT
 *
 * The seeded kernels with known verdicts.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_VERDICTS_H
#define SIMTCHECK_TESTS_SEEDED_VERDICTS_H

#include "catalogue.h"

enum { FREE = 0, INDEPENDENT = UNDER_INDEPENDENT, BOTH = UNDER_BOTH };

/* Whether a flag is seen depends on the order, and only a thread that sees it reads. Kernels with
 * `by_flag` run only in the order in which the flag is seen. */
struct seeded_verdict {
    const char *kernel;
    uint32_t blocks, threads;
    unsigned int races; /* models under which the kernel races */
    bool by_flag, cdp1;
    unsigned int unordered; /* models with unordered strong accesses and no race */
};

extern const struct seeded_verdict seeded[];
extern const size_t seeded_count;

#endif
