/* SPDX-License-Identifier: MIT
 *
 * `simtcheck mutate`: a source, its mutants, and their verdicts.
 */
#ifndef SIMTCHECK_MUTATION_MUTATE_H
#define SIMTCHECK_MUTATION_MUTATE_H

#include "argued.h"
#include "batch.h"
#include "changed_launches.h"
#include "json_model.h"
#include "launch_catalogue.h"
#include "session.h"

#include <pthread.h>

struct mutate_request {
    const char *file, *launch;  /* null: the selected corrected variants of the catalogue */
    struct selection selection; /* of kernels, shapes, values and schedules */
    struct compiler_paths compilers;
    unsigned int front_ends;  /* a bit for each enum front_end; 0: the first that is installed */
    const char *const *flags; /* compiler flags for the file */
    size_t flag_count;
    uint64_t jobs;      /* worker processes; 0: one for each processor */
    char *const *words; /* the words of the command line; they identify an earlier run of the
                           same command */
    size_t word_count;
};

/* Runs all mutants, saves and prints their verdicts. Continues an earlier run whose results are in
 * the session's file. Returns the exit status. */
int mutate_check(const struct mutate_request *request, const struct session *session);

/* A change to a launch, either of a catalogue kernel or of the user. */
struct launch_mutant {
    size_t target;                /* index of the kernel */
    const char *before, *after;   /* the launch, or the changed part of it */
    const char *change;           /* "'256' -> '(256) + 1'" */
    struct launch_change extents; /* for a kernel of the catalogue */
    struct launch_text *launch;   /* for a user's launch: with the change; else null */
    struct mutant_verdict verdict;
};

/* A source file and its selected kernels. */
struct mutated {
    char *text;
    char digest[17]; /* of the text, and of all else that a verdict depends on */
    struct mutated_source source;
    struct mutants mutants;
    struct launch_mutant *launches;
    size_t launch_count;
};

struct mutation {
    const struct mutate_request *request;
    const struct session *session; /* with one job: each thread has a worker of its own */
    struct build_tools tools;
    struct launch_text launch; /* of a user's kernel */
    struct launch_catalogue catalogue;
    bool is_users;
    struct argued argued;
    struct memory memory; /* holds files, targets, flags and changed launches */
    struct mutated *files;
    size_t file_count, jobs;
    json_t *known;         /* of an earlier run: verdicts by key */
    pthread_mutex_t mutex; /* protects verdicts and the report on disk */
    char error[1200];      /* why it cannot go on; "": it can */
    int status;            /* exit status if it cannot go on */
};

/* Records why it cannot go on, unless a reason is recorded. Returns false. */
bool mutation_fails(struct mutation *mutation, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Sources (mutate_source.c) ---- */

/* Takes the user's file and bound launch, or the files of the selected corrected variants of the
 * catalogue. Returns false when it cannot go on. */
bool mutation_take_launch(struct mutation *mutation);
bool mutation_take_catalogue(struct mutation *mutation);

void mutated_free(struct mutated *mutated);

/* ---- Running (mutate_batches.c) ---- */

/* Finds the functions that the kernels need, and makes their mutants. Runs the kernels and the
 * mutants that have no verdict in an earlier run. Returns false after an error or an interrupt. */
bool mutated_try(struct mutation *mutation, struct mutated *mutated);

/* ---- Report (mutate_report.c) ---- */

/* Reads the results of an earlier run from the file of --out if it exists. */
bool report_mutants_open(struct mutation *mutation);

/* Takes the verdicts of an earlier run on the same source. */
void report_mutants_resume(struct mutation *mutation, struct mutated *mutated);

/* Writes all verdicts. The caller holds the mutex or is the only thread. */
bool report_mutants_save(struct mutation *mutation);

/* Takes all verdicts for other programs (findings.h). */
void report_mutants_take(struct mutation *mutation);

/* Prints survivors, mutants with different results but no failed check, and the score. Returns the
 * exit status. */
int report_mutants_print(struct mutation *mutation);

#endif
