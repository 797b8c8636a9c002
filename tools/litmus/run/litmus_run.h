/* SPDX-License-Identifier: MIT
 *
 * Runs litmus tests on a GPU, and compares what it does with the model.
 */
#ifndef SIMTCHECK_LITMUS_RUN_H
#define SIMTCHECK_LITMUS_RUN_H

#include "build.h"
#include "litmus_model.h"
#include "session.h"

struct litmus_run_request {
    const struct litmus_test *tests;
    size_t count;
    const struct compiler_list *ptxas;
    uint64_t launches, seed;
    bool is_brief; /* prints forbidden outcomes and the counts only */
};

/* Runs each test, compiled by the driver and by ptxas -O0 and -O3. Saves the results as a struct
 * litmus_record, and prints a row for each test. Returns the exit status: 1 if an outcome occurred
 * that the model forbids. */
int litmus_run(const struct litmus_run_request *request, const struct session *session);

/* The same for the built-in tests, with brief output. */
int litmus_run_built_in(const struct compiler_list *ptxas, uint64_t launches,
                        const struct session *session);

#endif
