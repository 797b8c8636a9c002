/* SPDX-License-Identifier: MIT
 *
 * Runs litmus tests on a GPU, and compares what it does with the model.
 */
#ifndef SIMTCHECK_LITMUS_RUN_H
#define SIMTCHECK_LITMUS_RUN_H

#include "build.h"
#include "litmus_model.h"

#include <stdint.h>

struct litmus_run_request {
    const struct litmus_test *tests;
    size_t count;
    const struct compiler_list *ptxas;
    uint64_t launches, seed;
};

/* Returns whether a GPU can run litmus tests, with its architecture, such as 90. Otherwise `reason`
 * says why not. */
bool litmus_run_has_gpu(int *architecture, char *reason, size_t size);

/* Runs each test, compiled by the driver and by ptxas -O0 and -O3, and prints a row for it. Returns
 * the exit status: 1 if an outcome occurred that the model forbids. */
int litmus_run(const struct litmus_run_request *request, int architecture);

#endif
