/* SPDX-License-Identifier: MIT
 *
 * `simtcheck mutate`: a source, its mutants, and what has become of them.
 */
#ifndef SIMTCHECK_COMMANDS_MUTATE_H
#define SIMTCHECK_COMMANDS_MUTATE_H

#include "argued.h"
#include "changed_launches.h"
#include "json_model.h"
#include "launch_catalogue.h"
#include "mutant_run.h"
#include "session.h"
#include "tool.h"

#include <pthread.h>

struct mutate_request {
    const char *file, *launch;  /* null: the catalogue's corrected variants that are selected */
    struct selection selection; /* of kernels, shapes, values and schedules */
    struct compiler_paths compilers;
    unsigned int front_ends;  /* a bit, by enum front_end; 0: the first that is installed */
    const char *const *flags; /* of the compiler, for the file */
    size_t flag_count;
    uint64_t jobs;      /* worker processes; 0: one for each processor */
    char *const *words; /* of the command line, by which an earlier run of the same is known */
    size_t word_count;
};

/* Tries all changes, saves and prints what became of them. An earlier run whose results are in the
 * session's file goes on. Returns the exit status. */
int mutate_check(const struct mutate_request *request, struct session *session);

/* A change to how a kernel is launched: one of the catalogue, or of a user's launch. */
struct launch_mutant {
    size_t target;                /* the kernel's */
    const char *before, *after;   /* the launch; or what of it is changed */
    const char *change;           /* "'256' -> '(256) + 1'" */
    struct launch_change extents; /* of the catalogue's */
    struct launch_text *launch;   /* of a user's, with the change; else null */
    struct mutant_verdict verdict;
};

/* A source file, and the kernels of it that are looked at. */
struct mutated {
    char path[BATCH_PATH];
    char *text;
    char digest[17]; /* of the text, and of all else that a verdict depends on */
    struct mutated_source source;
    struct mutants mutants;
    struct mutant_verdict *verdicts; /* of those */
    struct mutant_target *targets;
    size_t target_count;
    bool *reached;    /* by function: some target's code is made of it */
    bool *reached_by; /* by target and function: likewise that target's */
    struct launch_mutant *launches;
    size_t launch_count;
};

struct mutation {
    const struct mutate_request *request;
    struct session *session;
    char folder[TOOL_FOLDER];
    struct compiler compiler, ptxas;
    bool has_ptxas;
    struct launch_text launch; /* of a user's kernel */
    struct launch_catalogue catalogue;
    bool is_users;
    struct argued argued;
    struct memory memory; /* of flags and changed launches */
    struct mutated *files;
    size_t file_count, jobs;
    size_t batches;        /* so many have been built: names files */
    json_t *known;         /* of an earlier run: verdicts by key */
    pthread_mutex_t mutex; /* of verdicts, and of the report on disk */
    char error[1200];      /* why it cannot go on; "": it can */
    int status;            /* likewise, the exit status */
};

/* Says why it cannot go on, unless that is known. Returns false. */
bool mutation_fails(struct mutation *mutation, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Sources (mutate_source.c) ---- */

/* A user's file and launch; or the files of the catalogue's corrected variants that are selected.
 * False when it cannot go on. */
bool mutation_take_launch(struct mutation *mutation);
bool mutation_take_catalogue(struct mutation *mutation);

/* A user's kernel, whose launch is bound, and the changes to that. */
bool mutated_take_target(struct mutation *mutation, struct mutated *mutated,
                         const struct variant *variant);

void mutated_free(struct mutated *mutated);

/* ---- Trying (mutate_batches.c) ---- */

/* Finds what the kernels are made of, runs them, and makes their mutants. */
bool mutated_prepare(struct mutation *mutation, struct mutated *mutated);

/* Tries all mutants that have no verdict yet. */
bool mutated_try(struct mutation *mutation, struct mutated *mutated);

/* ---- Report (mutate_report.c) ---- */

/* Reads what an earlier run wrote to the file of --out, where there is one. */
bool report_mutants_open(struct mutation *mutation);

/* Takes the verdicts of an earlier run on that same source. */
void report_mutants_resume(struct mutation *mutation, struct mutated *mutated);

/* Writes all verdicts; to be called with the mutex held, or alone. */
bool report_mutants_save(struct mutation *mutation);

/* Prints survivors, what results alone told, and the score. Returns the exit status. */
int report_mutants_print(struct mutation *mutation);

#endif
