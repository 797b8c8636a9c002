/* SPDX-License-Identifier: MIT
 *
 * The simulator for tests of it, and how seeded kernels (seeded_kernel.h) are run on it.
 */
#ifndef SIMTCHECK_TESTS_SEEDED_RUN_H
#define SIMTCHECK_TESTS_SEEDED_RUN_H

#include "engine.h"

enum { SEEDED_WORDS = 256, SEEDED_SCHEDULES = 7 };

extern struct engine *engine;

/* Set-up and tear-down of a group of tests. */
int engine_set_up(void **state);
int engine_tear_down(void **state);

/* From 0 on: sequential, reverse and five random ones. */
struct schedule seeded_schedule(int k);

/* Runs the kernel on arrays of SEEDED_WORDS zeros, of which `out` comes back where it is not null.
 * Looks for races where `races` is not null. */
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
