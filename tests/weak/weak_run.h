/* SPDX-License-Identifier: MIT
 *
 * Runs litmus tests on the simulator, under all executions of weak memory.
 */
#ifndef SIMTCHECK_TESTS_WEAK_RUN_H
#define SIMTCHECK_TESTS_WEAK_RUN_H

#include "engine_run.h"

enum {
    LITMUS_MAX_THREADS = 4,
    LITMUS_RESULTS = 2,
    LITMUS_VARIABLES = 5,
    LITMUS_STRIDE = 16, /* elements from one variable to the next */
    LITMUS_MEMORY = LITMUS_STRIDE * LITMUS_VARIABLES,
    OUTCOME_SIZE = 16
};

/* A test. The code of a thread is PTX that finds the addresses of five variables in %x, %y, %z, %w
 * and %d, which are 0 at first, and leaves results in %r0 and %r1. %r2 to %r9 and %p0 are free. */
struct litmus {
    const char *name;
    const char *threads[LITMUS_MAX_THREADS]; /* the first null ends the list */
    uint32_t block;                          /* threads of a block; 0: one */
    uint32_t cluster;                        /* blocks of a cluster; 0: one */
    bool is_shared;                          /* the variables are in shared memory */
};

/* What the executions of a test ended in. An outcome has a digit for each result of each thread,
 * and then for each variable. */
struct litmus_outcomes {
    char texts[256][OUTCOME_SIZE];
    size_t count;
    uint64_t executions, racing; /* racing: those with a race */
};

/* Writes the PTX of a test: run(memory, results), with LITMUS_MEMORY elements of memory and
 * LITMUS_RESULTS results for each thread. */
void litmus_write(FILE *to, const struct litmus *test);
/* Runs all executions. */
void litmus_run(const struct litmus *test, struct litmus_outcomes *outcomes);
/* Runs random schedules of that kind. */
void litmus_run_some(const struct litmus *test, enum schedule_kind kind, uint64_t count,
                     struct litmus_outcomes *outcomes);
/* Runs random executions of the test, whose PTX is in the file. Returns whether one of them races.
 */
bool litmus_races(const struct litmus *test, const char *path, uint64_t count);
/* Returns whether an outcome begins like the pattern, in which ? stands for any digit. */
bool litmus_reaches(const struct litmus_outcomes *outcomes, const char *pattern);

#endif
