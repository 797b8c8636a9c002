/* SPDX-License-Identifier: MIT
 *
 * What a run comes to for one variant on one engine: outcomes are taken in one by one, and at the
 * end there is a verdict.
 */
#ifndef SIMTCHECK_COMMANDS_VERDICT_H
#define SIMTCHECK_COMMANDS_VERDICT_H

#include "domain_map.h"
#include "engines.h"
#include "json_model.h"
#include "selection.h"
#include "shrink.h"
#include "supervisor.h"
#include "verdict_words.h"

/* Evidence that one condition of a domain is needed. */
struct boundary {
    uint64_t cases;                       /* that violate this condition alone */
    bool proved;                          /* at least one of them fails */
    struct counterexample counterexample; /* the smallest of those */
};

/* What the shards of a row are merged by: of which case its counterexamples were made smaller. */
struct origin {
    enum {
        OF_NOTHING,
        OF_CASE,
        OF_SUSPECT,
        OF_KNOWN_DEFECT
    } of;                            /* the counterexample; what comes first counts */
    struct test_case counterexample; /* OF_CASE, OF_SUSPECT */
    struct test_case known_defect;   /* of the known defect's counterexample */
    bool refuted;     /* what that shrank to is none of the known defect's, and a failure */
    uint64_t untried; /* cases, for others were past their deadline */
};

struct row {
    const struct variant *variant;
    const struct variant *as; /* the same kernel, by which this has been run; null: by itself */
    const struct engine_kind *engine;
    enum verdict verdict;
    uint64_t cases, inside, mismatches;
    uint64_t blocks, all_blocks; /* block sizes tried, and that there are; 0: the user chose */
    uint64_t left_out;           /* shapes that break several conditions of the domain at once */
    double seconds;
    bool has_counterexample;
    struct counterexample counterexample;
    bool
        has_race; /* the counterexample is wrong, and in it these accesses are ordered by nothing */
    struct race race;
    uint64_t found; /* cases inside the domain that fail as the variant's known defect claims */
    bool found_counterexample;
    struct counterexample known_defect; /* the smallest of those that were run */
    struct boundary boundaries[MAX_CONDITIONS];
    struct domain_map map;
    struct coverage coverage; /* of the source of its kernels, by all cases */
    char note[512];           /* what the verdict does not say by itself; may be empty */
    struct origin origin;
};

/* The row while its cases run. */
struct row_run {
    const struct selection *selection;
    struct plan plan;
    struct row *row;
    uint64_t failures_left; /* the run stops when this comes to 0 */
    uint64_t taken;         /* cases taken in */
    unsigned int hangs;     /* cases past their deadline */
    bool is_shard;
    bool shape_failed; /* a case of the current shape, outside the domain, has failed */
    /* Cases inside the domain that are wrong where the variant's known defect may make them so. */
    struct list suspects; /* of struct counterexample */
    struct memory memory; /* of those */
};

/* Takes in what came of case `index` of the plan. */
void verdict_take(struct row_run *run, uint64_t index, const struct test_case *test,
                  const struct outcome *outcome);

/* Takes in what came of comparing a suspect with the known defect: null if that explains it, or why
 * it does not. */
void verdict_take_suspect(struct row_run *run, const struct counterexample *suspect,
                          const char *why);

/* Fills in the verdict, when all cases have been taken in: those of a shard, or all. */
void verdict_judge(struct row_run *run);

/* From the plan of a row to its verdict, in phases:
 * - collect: run all cases
 * - explain: compare wrong results with the variant's known defect
 * - shrink: look for a smaller case that fails
 * - locate: look for a race in that case, which has source lines
 * - judge: fill in the verdict
 * An interrupt ends it after a phase. Without a supervisor, shards have run the cases, the row has
 * what came of them, and it is only judged. run->plan, run->row and run->memory are the
 * caller's. Statuses as for supervisor_run(). */
enum engine_status finish_row(struct row_run *run, struct supervisor *supervisor);

#endif
