/* SPDX-License-Identifier: MIT
 *
 * The simulator for its own tests, and the function that runs seeded kernels (seeded_kernel.h) on
 * it.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_RUN_H
#define SIMTCHECK_TESTS_SEEDED_RUN_H

#include "engine.h"

enum { SEEDED_WORDS = 256, SEEDED_SCHEDULES = 7 };

extern struct engine *engine;

/* Set-up and tear-down for a group of tests. */
int engine_set_up(void **state);
int engine_tear_down(void **state);

/* Returns schedule k, counted from 0: sequential, reverse, and five random ones. */
struct schedule seeded_schedule(int k);

/* Runs the kernel on arrays of SEEDED_WORDS zeros. If `out` is not null, it receives the array
 * `out`. If `races` is not null, the run checks for races. */
struct seeded_job {
    const char *kernel;
    uint32_t blocks, threads;
    enum model model;
    struct schedule schedule;
    enum profile profile;
    struct race *races;
    size_t race_capacity;
    struct engine_counters *counters; /* null: do not count */
    int32_t *out;
};
struct engine_outcome seeded_run(const struct seeded_job *job);

#endif
