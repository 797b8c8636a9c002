/* SPDX-License-Identifier: MIT
 *
 * The result of `simtcheck races` for one kernel under one model.
 */
#ifndef SIMTCHECK_CHECKS_RACES_REPORT_H
#define SIMTCHECK_CHECKS_RACES_REPORT_H

#include "engines.h"
#include "failures.h"
#include "record_run.h"
#include "repair.h"
#include "selection.h"
#include "session.h"
#include "shrink.h"
#include "verdict_words.h"
#include "wire.h"

#include <jansson.h>

enum { SHAPES_KEPT = 6 }; /* smallest racing shapes to search for a wrong result */

/* The search through all schedules of one shape with up to `delays` delays, or the comparison of
 * the schedules that the race checker runs. */
struct delay_search {
    struct test_case test;      /* the shape and the values */
    struct counterexample base; /* with which the others are compared */
    const struct session *session;
    unsigned int delays;
    uint64_t points; /* scheduling points of the run without a delay */
    uint64_t *after; /* for each of those points, the scheduling points of the run that delays it */
    /* How many pairs of delays there are, with the second one at most at point `last`, and how many
     * of them are tried. */
    uint64_t last, pairs, tried;
    uint64_t schedules; /* number of schedules tried */
    bool by_digest;     /* no oracle: results are compared with those of `base` */
    bool finds_races;   /* the search ends at a race */
    uint64_t excused;   /* as in struct outcome */
    bool is_bounded;    /* --minutes ended it */
    bool wrong, other;  /* a result is wrong; it is wrong because its digest differs */
    bool races;         /* the counterexample races */
    struct counterexample counterexample;
};

/* The result for a kernel under a model. */
struct race_row {
    const struct variant *variant;
    const struct engine_kind *engine;
    struct memory *memory;              /* of the record and the lists */
    struct race_record record;          /* whole after race_row_settle() */
    uint64_t unsupported;               /* cases that were not checked */
    struct outcome unsupported_outcome; /* of the first one */
    uint64_t left_out; /* further cases whose values the kernel may reject: they fault or were not
                          tried */
    struct counterexample first_left_out;
    uint64_t same_value; /* cases in which only writes of the same value race, which is allowed */
    /* The smallest cases in ascending order: unexpected ones, else racing ones, else unordered
     * ones. */
    struct test_case smallest[SHAPES_KEPT];
    size_t kept;
    struct test_case fault_test;                     /* the first case that ends in a fault */
    struct list found_faults;                        /* of struct failure: by their identities */
    uint64_t fault_kinds;                            /* bit k: a case ends in fault k */
    struct test_case pair_tests[MAX_RACES_REPORTED]; /* of the record's pairs */
    /* The races of all cases, by the hashes of their identities, and the smallest case of each. */
    struct known_race {
        uint64_t identity;
        struct test_case test;
    } known_races[MAX_RACES_REPORTED];
    size_t race_count;
    uint64_t more_races;        /* cases with races or faults that are not kept */
    struct delay_search search; /* of the smallest shape, or of the one with a wrong result */
    struct delay_search orders; /* compares the cases of the race checker that differ in schedule */
    bool searched;
    double seconds;
    struct repair_record *repair;         /* null: none was searched */
    const char *help[MAX_RACES_REPORTED]; /* a barrier that orders the pair; null: none was found */
    uint64_t untried;                     /* cases for which --minutes left no time */
    bool is_bounded;     /* the time of --minutes is over, so cases or schedules were left out */
    const char *skipped; /* the reason why the row has no verdict; null: it has one */
};

/* Returns a row without cases. */
struct race_row race_row_start(const struct variant *variant, const struct engine_kind *engine,
                               enum model model, struct memory *memory);

/* Makes the parts of the record that follow from all cases. */
void race_row_settle(struct race_row *row);

/* Return the verdict that was found, and the verdict that the catalogue declares. */
enum race_verdict races_verdict(const struct race_row *row);
enum race_verdict races_expected(const struct race_row *row);

/* Describes the wrong result under the schedule that was found. */
void races_wrong_text(const struct delay_search *search, char *text, size_t size);

/* Returns whether all races of the array are between writes of equal values. */
bool races_are_same_value(const struct race_row *row, const struct race *race);

/* Prints a struct repair_record without a line feed. */
void races_print_repair(FILE *to, const void *repair);

/* Describes the races of the smallest case of the row, and those that only other cases have.
 * Returns statuses as supervisor_run() does. */
enum engine_status races_describe(const struct session *session, struct supervisor *supervisor,
                                  struct race_row *row, struct outcome *outcome);

/* Adds the race that explains a fault of a launch, unless the row has it. No case shows it to the
 * race checker if the fault ends each case before the second access. */
void races_take_cause(const struct session *session, struct race_row *row,
                      const struct failure *failure);

/* Returns the rows as they are saved. If all_rows is not 0, each row records it as the number of
 * rows in a complete file. A reader can thus detect an incomplete file. */
json_t *races_json(const struct race_row *rows, size_t count, size_t all_rows);

/* Returns how many rows are selected over all shards. */
size_t races_rows(const struct selection *selection, const struct catalogue *catalogue);

/* Returns whether the kernel has an oracle that judges every result. A kernel given to `check` has
 * one only with --oracle. */
bool races_has_oracle(const struct variant *variant);

/* Print the head of the table, a line for each finished row, and at the end the evidence for a row.
 */
void races_print_head(const struct session *session);
void races_print_row(const struct session *session, const struct race_row *row);
/* Prints the same line from a saved row. `by_digest` is as in struct delay_search. */
void races_print_record(const struct session *session, const struct variant *variant,
                        const struct race_record *record, bool by_digest);
void races_print_details(const struct session *session, const struct race_row *row);

#endif
