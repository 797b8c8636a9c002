/* SPDX-License-Identifier: MIT
 *
 * Known deviations of the rows of a check: how a row is named in the file of --expect, and what it
 * ran on.
 */
#ifndef SIMTCHECK_CHECKS_EXPECTED_H
#define SIMTCHECK_CHECKS_EXPECTED_H

#include "expectations.h"
#include "session.h"

/* A row that has a verdict. */
struct expected_row {
    enum expected_kind kind;
    const struct variant *variant;
    const struct engine_kind *engine;
    const struct supervisor *supervisor; /* of the engine; of the GPU, if one takes part */
};

/* Notes the tests of a check: each variant on each engine. Does nothing for a launch, whose kernels
 * are not all that the build can check. */
void expected_note(const struct session *session, enum expected_kind kind);

/* Takes a row that fails with these results, each once. Returns the known deviation that explains
 * it, or null if the row fails. */
const struct known_deviation *expected_failure(const struct session *session,
                                               const struct expected_row *row,
                                               const char *const *results, size_t count);

/* Takes a row that passes. */
void expected_pass(const struct session *session, const struct expected_row *row);

/* The facts in an engine's description, which must outlive the platform. */
struct platform_texts {
    char gpu[128], architecture[16], driver[32], compiler_version[16];
};

/* Returns what an engine with that description runs on. */
struct test_platform platform_of(const char *description, struct platform_texts *texts);

/* Prints a line below a row with a known deviation. */
void expected_print(const struct session *session, const struct known_deviation *known);

#endif
