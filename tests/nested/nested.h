/* SPDX-License-Identifier: MIT
 *
 * Runs a kernel of nested_launch.cu on the engine that the test program is linked with.
 */
#ifndef SIMTCHECK_TESTS_NESTED_H
#define SIMTCHECK_TESTS_NESTED_H

#include "check.h"

#include "engine.h"

enum { OUT_ELEMENTS = 8192 };

/* One launch from the host. */
struct nested_call {
    const char *kernel;
    uint32_t blocks, threads, a, b;
    struct nesting nesting;
    enum model model;
    struct schedule schedule;
};

extern uint32_t nested_out[OUT_ELEMENTS]; /* output of the last call without a fault */

/* nested_open() opens the engine. It returns 0, or 77 if there is no engine; a test program then
 * exits with 77. Each call reopens the engine after a failure. */
int nested_open(void);
void nested_close(void);
bool nested_on_host(void);
struct engine_outcome nested_run(const struct nested_call *call);
/* Runs a job that the caller provides. */
struct engine_outcome nested_run_job(const struct engine_job *job);

#endif
