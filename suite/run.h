/* SPDX-License-Identifier: MIT
 *
 * A run: the planned cases of the selected variants on the wanted engines, and a verdict for each.
 */
#ifndef SIMTCHECK_SUITE_RUN_H
#define SIMTCHECK_SUITE_RUN_H

#include "options.h"
#include "shrink.h"

enum verdict {
    VERDICT_CONFORMS,
    VERDICT_CONFORMS_IN_DOMAIN, /* right inside the claimed domain, wrong just outside of it */
    VERDICT_FINDING,            /* likewise; and wrong inside as its descriptor claims, verified */
    VERDICT_MISMATCH,           /* a result is not the oracle's, or a claim does not hold */
    VERDICT_FAULT,
    VERDICT_UNAVAILABLE,
};

const char *verdict_name(enum verdict verdict);

enum {
    MAX_CONJUNCTS = 8,
    EXIT_CONFORMS = 0,
    EXIT_DIFFERS,
    EXIT_USAGE,
    EXIT_ENVIRONMENT,
    EXIT_UNAVAILABLE = 77
};

/* Evidence that one condition of a domain is needed. */
struct boundary {
    uint64_t cases;         /* that violate this condition alone */
    bool proved;            /* at least one of them fails */
    struct witness witness; /* the smallest of those */
};

struct row {
    const struct variant *variant;
    const char *engine;
    enum verdict verdict;
    uint64_t cases, inside, mismatches;
    uint64_t blocks, all_blocks; /* block sizes tried, and that there are; 0: the user chose */
    uint64_t left_out;           /* shapes that break several conditions of the domain at once */
    double seconds;
    bool has_witness;
    struct witness witness;
    uint64_t found; /* cases inside the domain that fail as the variant's finding claims */
    bool found_witness;
    struct witness finding; /* the smallest of those that were run */
    struct boundary boundaries[MAX_CONJUNCTS];
    char note[512]; /* what the verdict does not say by itself; may be empty */
};

struct report {
    const struct options *options;
    struct row *rows;
    size_t row_count;
    uint64_t cases, mismatches;
    double seconds;
    bool complete; /* false while the run goes on, or when it was stopped */
};

/* From now on an interrupt stops what runs, in order. */
void run_catch_interrupts(void);
bool run_is_stopped(void);

/* `run`: returns the exit status. */
int run_command(const struct options *options, const struct catalogue *catalogue);

/* `replay`: runs the token's case once and prints what came. Returns the exit status. */
int replay_command(const struct options *options, const struct catalogue *catalogue);

#endif
