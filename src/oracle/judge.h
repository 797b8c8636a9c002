/* SPDX-License-Identifier: MIT
 *
 * Holding what came of a launch to what the variant's contract says must come.
 */
#ifndef SIMTCHECK_ORACLE_JUDGE_H
#define SIMTCHECK_ORACLE_JUDGE_H

#include "oracle.h"
#include "outcome.h"

/* What came of one launch from the host. */
struct result {
    const struct variant *variant;
    const struct shape *shape;
    struct values values;
    const struct invocation *invocation;
    void *const
        *buffers; /* contents of each of the invocation's buffers; null: did not come back */
    /* Grids that its kernels launched, and all their blocks and threads. */
    uint64_t children, child_blocks, child_threads;
    uint64_t accesses;   /* that it made; UINT64_MAX: not known */
    const char *printed; /* what it was asked to print; null: it was not */
};

enum judgement {
    JUDGEMENT_EQUAL,
    JUDGEMENT_DIFFERS, /* *difference says in what */
    JUDGEMENT_FAILED,  /* out of memory */
};

/* Sorts logs on the way. */
enum judgement oracle_judge(struct oracle_sums *sums, const struct result *result,
                            struct difference *difference);

/* Of every element of every buffer that came back, in order; all NaN are one. */
uint64_t oracle_digest(const struct result *result);

#endif
