/* SPDX-License-Identifier: MIT
 *
 * One case, run again.
 */
#ifndef SIMTCHECK_CHECKS_REPLAY_H
#define SIMTCHECK_CHECKS_REPLAY_H

#include "session.h"

/* Runs the case once and prints what came. Returns the exit status. */
int replay_case(const struct test_case *test, const struct engine_kind *engine,
                struct session *session);

/* Runs the case of a token of the session's catalogue. */
int replay_check(const char *token, struct session *session);

#endif
