/* SPDX-License-Identifier: MIT
 *
 * An engine in the test program, and the temporary folder of check.h for its PTX.
 */
#ifndef SIMTCHECK_TESTS_ENGINE_RUN_H
#define SIMTCHECK_TESTS_ENGINE_RUN_H

#include "engine.h"

extern struct engine *test_engine;

/* The fixtures of cmocka_run_group_tests(). */
int engine_set_up(void **state);
int engine_tear_down(void **state);

/* Loads the file of PTX. On error, fails the test, which has that name. */
void engine_load_test(const char *name, const char *path);

/* Runs one job, which the engine must be able to run. */
struct engine_outcome engine_run_one(const struct engine_job *job);

/* Returns an array of 32-bit integers. */
struct buffer integers(const char *name, enum role role, uint32_t count, const void *contents);

#endif
