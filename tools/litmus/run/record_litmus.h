/* SPDX-License-Identifier: MIT
 *
 * The results of `litmus`, which are also a part of snapshots.
 */
#ifndef SIMTCHECK_LITMUS_RECORD_LITMUS_H
#define SIMTCHECK_LITMUS_RECORD_LITMUS_H

#include "record_run.h"

enum { LITMUS_VERSION = 1 };

/* What the model says about an outcome. */
enum litmus_class {
    LITMUS_SEQUENTIAL, /* an interleaving of the threads has it */
    LITMUS_WEAK,       /* allowed, but no interleaving has it */
    LITMUS_FORBIDDEN,
};

/* An outcome that occurred. */
struct litmus_outcome_record {
    const char *outcome; /* such as "P0:r0=0 P1:r0=1" */
    enum litmus_class class;
    uint64_t count;    /* instances that had it */
    uint64_t launches; /* launches with at least one of these instances */
    const struct known_deviation *known_deviation; /* of a forbidden one; null: none */
};

/* A test, compiled by one compiler. Skipped: this GPU cannot run it. Error: it should have run. */
struct litmus_row {
    const char *test, *compiler;
    const char *scopes, *threads; /* of its instructions; where its threads ran */
    const char *skipped, *error;  /* null: it ran */
    uint64_t launches, instances; /* 0: it did not run */
    struct list outcomes;         /* of struct litmus_outcome_record */
};

struct litmus_environment {
    const char *simtcheck, *build;                   /* build: build_identity */
    const char *gpu, *architecture, *driver, *ptxas; /* null: unknown */
};

struct litmus_options_record {
    uint64_t launches, seed;
};

/* `complete`, `environment` and `options` are named as in a snapshot, for `compare`. */
struct litmus_record {
    uint64_t version;
    bool complete; /* every test has its rows */
    struct litmus_environment environment;
    struct litmus_options_record options;
    const char *skipped; /* why no test ran; null: some did, or will */
    struct list rows;    /* of struct litmus_row */
};

extern const struct table litmus_row_table, litmus_table;

#endif
