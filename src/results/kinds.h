/* SPDX-License-Identifier: MIT
 *
 * The kinds of files that commands write with --out and --json, and the reading of them.
 */
#ifndef SIMTCHECK_RESULTS_KINDS_H
#define SIMTCHECK_RESULTS_KINDS_H

#include "json_model.h"
#include "record_check.h"
#include "record_litmus.h"
#include "record_snapshot.h"
#include "record_soak.h"

enum results_id {
    RESULTS_SNAPSHOT,
    RESULTS_COMPARE,
    RESULTS_RUN,
    RESULTS_COMPILERS,
    RESULTS_COUNTERS,
    RESULTS_RACES,
    RESULTS_BENCHMARK,
    RESULTS_CHECK,
    RESULTS_SOAK,
    RESULTS_LITMUS,
};

enum { RESULTS_KINDS = RESULTS_LITMUS + 1 };

struct results_kind {
    const char *name;          /* of the command */
    const struct table *table; /* of the file, or of its rows */
    bool is_list;
};

/* Indexed by enum results_id. */
extern const struct results_kind results_kinds[RESULTS_KINDS];

/* A file as a record of its kind's table. */
union results_record {
    struct snapshot_record snapshot;
    struct comparison_record comparison;
    struct run_record run;
    struct compilers_record compilers;
    struct counter_record counters;
    struct list races; /* of struct race_record */
    struct benchmark_record benchmark;
    struct check_results check;
    struct soak_record soak;
    struct litmus_record litmus;
};

/* Returns the kind of a file, or null if no command writes it. */
const struct results_kind *results_kind_of(const json_t *document);

/* Reads the record, as model_read() does. Returns false with a clause that names the wrong member.
 */
bool results_read(const struct results_kind *kind, const json_t *document,
                  union results_record *record, struct memory *memory, char *why, size_t size);

/* Returns whether rows are missing. Each row has the number of rows of a complete file. */
bool races_are_partial(const struct list *races);

#endif
