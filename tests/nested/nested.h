/* SPDX-License-Identifier: MIT
 *
 * Running a kernel of nested_launch.cu on the engine that the test program is linked with.
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

extern uint32_t nested_out[OUT_ELEMENTS]; /* of the last call, when it had no fault */

/* Opens the engine; 77 is for a test program to exit with when there is none. Calls tear down what
 * they broke. */
int nested_open(void);
void nested_close(void);
bool nested_on_host(void);
struct engine_outcome nested_run(const struct nested_call *call);
/* A job of the caller's. */
struct engine_outcome nested_run_job(const struct engine_job *job);

#endif
