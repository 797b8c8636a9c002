/* SPDX-License-Identifier: MIT
 *
 * The checks. Each takes a request, which says what to check, and a session, which says how. It
 * saves and prints its rows one by one, and returns the exit status.
 */
#ifndef SIMTCHECK_CHECKS_CHECKS_H
#define SIMTCHECK_CHECKS_CHECKS_H

#include "session.h"

/* ---- Results: a verdict for each variant and engine ---- */

struct run_request {
    struct selection selection;
    struct engine_list engines; /* none: those that run unasked and are available */
    uint64_t max_failures;      /* failures after which the run ends */
};

/* Runs, saves and reports a row for each variant and engine. Returns the exit status. */
int run_check(const struct run_request *request, struct session *session);

/* What does not count as a failure. */
struct allowances {
    bool same_value;                     /* races of writes that all write the same value */
    bool warp_barriers;                  /* struct engine_limits */
    uint64_t instructions, transactions; /* per cent more than before, of `gate` */
};

/* ---- Races: does a kernel race, and can the order of a race change its result? ---- */

struct races_request {
    struct selection selection;
    struct engine_list engines; /* one that simulates; none: the simulator */
    uint64_t max_failures;      /* failures after which the check ends */
    uint64_t delays;            /* most in a schedule */
    struct allowances allow;
};

/* Runs, saves and reports a row for each variant and model. The exit status is EXIT_DIFFERS if a
 * verdict is not the one that the kernel's descriptor claims. */
int races_check(const struct races_request *request, struct session *session);

/* ---- Determinism: the same bits, whoever runs when ---- */

struct determinism_request {
    const struct plan_request *cases; /* the shapes and values */
    const struct variant *variant;
    enum engine_id engine; /* that simulates */
    bool has_gpu;          /* the engine cuda takes part */
};

/* Compares the outputs under all orders and prints what came. Returns the exit status. */
int determinism_check(const struct determinism_request *request, struct session *session);

/* ---- Other engines, where a original variant is outside its domain ---- */

struct cross_check_request {
    struct selection selection;
    struct engine_list engines; /* that are compared with the simulator */
};

/* Runs, saves and reports a row for each engine and original variant. Returns the exit status. */
int cross_check_run(const struct cross_check_request *request, struct session *session);

/* ---- The engine cuda-stress, whose delays let races show ---- */

struct stress_request {
    struct selection selection;
    uint64_t runs; /* of each case */
};

/* Runs, saves and reports a row for each variant and block. Returns the exit status. */
int stress_run(const struct stress_request *request, struct session *session);

/* ---- Counters: what one case costs ---- */

struct counters_request {
    struct selection selection; /* of one kernel, one block and one size */
    struct engine_list engines; /* one that simulates; none: the simulator */
    bool by_barrier;            /* a table of intervals too */
};

/* Counts, saves and reports one case. Returns the exit status. */
int counters_check(const struct counters_request *request, struct session *session);

/* ---- One case again ---- */

/* Runs the case once and prints what came. Returns the exit status. */
int replay_case(const struct test_case *test, const struct engine_kind *engine,
                struct session *session);

/* Runs the case of a case ID of the session's catalogue. */
int replay_check(const char *case_id, struct session *session);

#endif
