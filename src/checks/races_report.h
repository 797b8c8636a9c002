/* SPDX-License-Identifier: MIT
 *
 * What `simtcheck races` found for one kernel under one model, as it is shown and written.
 */
#ifndef SIMTCHECK_COMMANDS_RACES_REPORT_H
#define SIMTCHECK_COMMANDS_RACES_REPORT_H

#include "engines.h"
#include "record_run.h"
#include "selection.h"
#include "shrink.h"
#include "verdict_words.h"
#include "wire.h"

#include <jansson.h>

enum { SHAPES_KEPT = 6 }; /* the smallest that race, to look for a wrong result in */

/* All schedules of one shape with up to `stress` delays. */
struct delay_search {
    struct test_case test; /* its shape and values */
    unsigned int delays;
    uint64_t points;    /* scheduling points without a delay */
    uint64_t *after;    /* of each of those, the points of the run in which it is delayed */
    uint64_t schedules; /* tried */
    bool held; /* without an oracle: each result to that without a delay, whose digest it is */
    uint64_t digest;
    bool wrong, other; /* that is: a result is none of the oracle's, or has other bits */
    struct counterexample counterexample;
};

/* A kernel under a model. */
struct race_row {
    const struct variant *variant;
    const struct engine_kind *engine;
    enum model model;
    uint64_t cases, racing, unordered, faults; /* cases that race, have strong accesses that nothing
                                                  orders and none that race, end in a fault */
    uint64_t checked;                          /* accesses */
    uint64_t left_out; /* further cases, of values that it need not take: a fault, or not tried */
    struct counterexample first_left_out;
    uint64_t
        same_value; /* cases where writes of one value race and nothing else, which is allowed */
    uint64_t unexpected; /* cases where others race than the known defect names, if there is a known
                            defect */
    /* Ascending: those; else those that race; else those that are unordered. */
    struct test_case smallest[SHAPES_KEPT];
    size_t kept;
    struct test_case fault_test;
    struct outcome fault;
    struct race pairs[MAX_RACES_TOLD];
    size_t pair_count;
    struct delay_search search; /* of the smallest shape, or the one that found a wrong result */
    bool searched, as_expected;
    const char *skipped; /* why there is no verdict; null: there is one */
};

/* What was found, and what the kernel's descriptor claims. */
enum race_verdict races_verdict(const struct race_row *row);
enum race_verdict races_expected(const struct race_row *row);

/* Two accesses, in lines of text. */
void races_print_pair(const struct race *race);

/* The rows as the file has them. Each says how many there are to be, if that is not 0, so that a
 * file which lacks some is told from one that is whole. */
json_t *races_json(const struct race_row *rows, size_t count, size_t all_rows);

/* How many rows are selected, of all shards. */
size_t races_rows(const struct selection *selection, const struct catalogue *catalogue);

/* Can a result of the kernel be wrong? Of a kernel that check was given none is known. */
bool races_has_oracle(const struct variant *variant);

/* A line of the table, as each row is done, and at the end what stands behind its verdict. */
void races_print_head(void);
void races_print_row(const struct race_row *row);
/* The same line from what was written of a row. `held`: as in struct delay_search. */
void races_print_record(const struct variant *variant, const struct race_record *record, bool held);
void races_print_details(const struct race_row *row);

#endif
