/* SPDX-License-Identifier: MIT
 *
 * Compares the results of a launch with the variant's contract.
 */
#ifndef SIMTCHECK_ORACLE_JUDGE_H
#define SIMTCHECK_ORACLE_JUDGE_H

#include "oracle.h"
#include "outcome.h"

/* The results of one launch from the host. */
struct result {
    const struct variant *variant;
    const struct shape *shape;
    struct values values;
    const struct invocation *invocation;
    void *const *buffers; /* contents of each of the invocation's buffers; null: not copied back */
    /* Grids that its kernels launched, and the total of their blocks and threads. */
    uint64_t children, child_blocks, child_threads;
    /* The lines, or "", of a launch for whose child nobody waited, of one after whose wait the
     * block passed no barrier, and of a wait. Of an engine that does not see waits: "". */
    const char *unwaited, *unjoined, *waited;
    uint64_t accesses;   /* accesses that it made; UINT64_MAX: unknown */
    const char *printed; /* printed lines; null: it was not asked to print */
    /* Elements that are not compared. Null: none. */
    bool (*skips)(const struct result *result, uint32_t buffer, uint64_t index);
    const void *context; /* of skips() */
};

/* Returns whether an element is not compared. */
static inline bool result_skips(const struct result *result, uint32_t buffer, uint64_t index)
{
    return result->skips != NULL && result->skips(result, buffer, index);
}

enum judgement {
    JUDGEMENT_EQUAL,
    JUDGEMENT_DIFFERS, /* *difference says where */
    JUDGEMENT_FAILED,  /* out of memory */
};

/* Compares the results. Sorts logs in place. */
enum judgement oracle_judge(struct oracle_sums *sums, const struct result *result,
                            struct difference *difference);

/* Compares the buffers of two runs of an invocation, except those whose order is allowed to matter.
 * All NaN count as one value. Returns false if they differ; *difference then has the first
 * element that does. */
bool oracle_equal(const struct invocation *invocation, void *const *first, void *const *second,
                  struct difference *difference);

/* Returns a digest of every element of every buffer copied back, in order. All NaN count as one
 * value. A buffer whose order is allowed to matter has a digest of its own, by its allowance. */
uint64_t oracle_digest(const struct result *result, uint64_t order[MAX_ALLOWED]);

#endif
