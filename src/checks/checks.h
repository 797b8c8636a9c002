/* SPDX-License-Identifier: MIT
 *
 * The checks of the rows of a catalogue. A request says what to check, and a session says how. Rows
 * are saved and printed one by one.
 */
#ifndef SIMTCHECK_CHECKS_CHECKS_H
#define SIMTCHECK_CHECKS_CHECKS_H

#include "session.h"

/* What does not count as a failure, and how much a cost may grow. */
struct allowances {
    struct allowance_list places;        /* at an array or a line */
    uint64_t instructions, transactions; /* growth in per cent that `gate` allows */
    unsigned int everywhere;             /* a bit for each word of --allow that names no place */
};

/* What to check of the rows of a catalogue. Each part uses the members that are named with it. */
struct rows_request {
    struct selection selection;
    struct engine_list engines; /* none: those that a part runs on by default */
    uint64_t max_failures;      /* a part ends after this many failures */
    uint64_t delays;            /* the maximum per schedule */
    struct allowances allow;
    uint64_t stress_runs;                                  /* of each case; 0: no stress */
    uint64_t delay_seed, delay_per_cent, delay_longest_ns; /* of the delays of a stress */
    bool by_barrier; /* also print a table of the intervals between barriers */
};

/* The parts of a check, in the order in which they run. */
enum check_part {
    CHECK_RUN = 1,
    CHECK_RACES = 2,
    CHECK_BITS = 4,
    CHECK_GPU = 8,
    CHECK_STRESS = 16,
    CHECK_PARTS = 5,
};

/* Runs these parts, bits by enum check_part, on the selected rows of the session's catalogue. Each
 * part gets its share of the time that is left. Returns the worst exit status. */
int check_rows(const struct rows_request *request, unsigned int parts,
               const struct session *session);

/* The same for a command on the kernels of a catalogue, which ends with its findings and a verdict.
 */
int check_catalogue(const struct rows_request *request, unsigned int parts,
                    const struct session *session);

/* ---- The parts, which check_rows() runs ---- */

/* Run: a verdict for each variant and engine. Uses engines and max_failures. */
int run_check(const struct rows_request *request, const struct session *session);

/* Races: does a kernel race, and can the schedule change its result? One row for each variant and
 * model. Uses one engine that simulates, max_failures, delays and allow. Returns EXIT_DIFFERS if a
 * verdict differs from the one that the catalogue declares. */
int races_check(const struct rows_request *request, const struct session *session);

/* Determinism: bit-identical outputs of each variant under every schedule of the simulator, and on
 * a GPU if the engine cuda is listed. */
int determinism_check(const struct rows_request *request, const struct session *session);

/* Cross-check: a GPU, where an original variant is outside its domain. One row for each original
 * variant. */
int cross_check_run(const struct rows_request *request, const struct session *session);

/* Stress: the engine cuda-stress, whose delays expose races. Runs each case `stress_runs` times
 * with delays and without. One row for each variant and block. */
int stress_run(const struct rows_request *request, const struct session *session);

/* ---- Counters: the cost of one case ---- */

/* Counts, saves and reports one case: the selection has one kernel, one block and one size. Uses
 * one engine that simulates, and by_barrier. Returns the exit status. */
int counters_check(const struct rows_request *request, const struct session *session);

/* ---- Replay: one case again ---- */

/* Runs the case once and prints its outcome. Returns the exit status. */
int replay_case(const struct test_case *test, const struct engine_kind *engine,
                const struct session *session);

/* Runs two cases of one size with the same values, and compares the outputs of the second one with
 * those of the first. Returns the exit status. */
int replay_compare(const struct test_case cases[2], const struct engine_kind *engine,
                   const struct session *session);

/* Runs the case with that case ID from the session's catalogue. Returns the exit status. */
int replay_check(const char *case_id, const struct session *session);

#endif
