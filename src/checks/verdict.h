/* SPDX-License-Identifier: MIT
 *
 * The verdict on one variant on one engine. Outcomes are added one by one, and the verdict is
 * judged at the end.
 */
#ifndef SIMTCHECK_CHECKS_VERDICT_H
#define SIMTCHECK_CHECKS_VERDICT_H

#include "domain_map.h"
#include "engines.h"
#include "failures.h"
#include "json_model.h"
#include "selection.h"
#include "session.h"
#include "shrink.h"
#include "supervisor.h"
#include "verdict_words.h"

struct row {
    const struct variant *variant;
    const struct variant *as; /* the same kernel, which ran in its place; null: this one ran */
    const struct engine_kind *engine;
    struct memory *memory;                      /* of the record and the failures */
    struct run_row record;                      /* whole after row_settle() */
    uint64_t planned;                           /* cases */
    uint64_t least[MAX_SIZES], most[MAX_SIZES]; /* of the planned cases: each size by itself */
    uint64_t few[SIZES_FEW]; /* the values of the first size, in order; unless there are more */
    size_t few_count;
    uint64_t unsupported;               /* cases that were not checked */
    struct outcome unsupported_outcome; /* of the first one */
    uint64_t untried;                   /* cases for which --minutes left no time */
    bool is_costly;                     /* its kernel costs more than the source says */
    uint64_t failures;                  /* how cases failed: bit 0: a mismatch; bit k: fault k */
    struct list found_failures; /* of struct failure; the first one is the counterexample's */
    uint64_t more_failures;     /* cases with further identities */
    struct domain_map map;
    struct coverage coverage; /* source coverage of its kernels by all cases */
    /* as in struct outcome, of one of the cases */
    char inexact[SOURCE_LINE], clock[SOURCE_LINE];
};

/* Returns a row without cases. */
struct row row_start(const struct variant *variant, const struct engine_kind *engine,
                     struct memory *memory);

/* Makes the parts of the record that follow from all cases so far. */
void row_settle(struct row *row, bool is_shard);

/* A row while its cases run. */
struct row_run {
    const struct selection *selection;
    const struct session *session; /* null: no case runs */
    struct plan plan;
    struct row *row;
    uint64_t failures_left; /* the run stops at 0 */
    uint64_t taken;         /* number of cases added */
    unsigned int hangs;     /* number of cases that did not end */
    bool is_shard;
    bool is_bounded;   /* the time of --minutes is over */
    bool shape_failed; /* a case of the current shape, which is outside the domain, has failed */
    /* Wrong results inside the domain that the variant's known defect may explain. */
    struct list suspects; /* of struct counterexample */
    struct memory memory; /* of `suspects` */
};

/* Adds the outcome of case `index` of the plan. */
void verdict_take(struct row_run *run, uint64_t index, const struct test_case *test,
                  const struct outcome *outcome);

/* Records whether the known defect explains a suspect: `why` is null if it does, and the reason
 * otherwise. */
void verdict_take_suspect(struct row_run *run, const struct counterexample *suspect,
                          const char *why);

/* Fills in the verdict after all cases of the row, or of the shard, were added. */
void verdict_judge(struct row_run *run);

/* Runs a row from its plan to its verdict, in phases.
 * - collect: It runs all cases.
 * - costs: It compares counters with what the kernel's source asserts.
 * - explain: It compares wrong results with the variant's known defect.
 * - shrink: It looks for a smaller case that fails.
 * - locate: It looks for a race in that case, which has source lines.
 * - judge: It fills in the verdict.
 *
 * An interrupt ends it after a phase. If `supervisor` is null, shards have already run the cases
 * and filled in the row; only `judge` runs. The caller owns run->plan, run->row and run->memory.
 * Returns statuses as supervisor_run() does. */
enum engine_status finish_row(struct row_run *run, struct supervisor *supervisor);

#endif
