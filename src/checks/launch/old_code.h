/* SPDX-License-Identifier: MIT
 *
 * References for the outputs of a user's kernels: an oracle in C, or other code of the user.
 */
#ifndef SIMTCHECK_COMMANDS_OLD_CODE_H
#define SIMTCHECK_COMMANDS_OLD_CODE_H

#include "user_code.h"

/* Compiles an oracle in C into the folder of `code`, and makes it the reference of its launch.
 * `ulps` is the tolerance in units in the last place. Returns false after an error message. */
bool oracle_build(struct user_code *code, const char *oracle, uint64_t ulps);

/* Runs git with these words in that folder. The words end with null. `said` gets the output without
 * the last line end. Returns git's exit status. */
int git_ask(const char *folder, const char *const *words, char *said, size_t size);

/* Extracts revision `revision` of the repository that contains the first file into `folder`. `old`
 * gets the paths of the files there, and the flags with their paths mapped to `folder`. Returns
 * false after an error message. */
bool old_files_take(const char *revision, const char *folder, const struct user_files *files,
                    struct user_files *old);
void old_files_free(struct user_files *old);

/* Runs the launches of `old` for every shape and set of values of the plan, sequentially. Keeps the
 * outputs in its folder as the reference of `fresh`, with a tolerance of `ulps`. Cases in which the
 * old code fails are reported and get no reference. If `case_id` is not null, runs only that case.
 * Returns the exit status. */
int old_code_run(struct user_code *old, struct session *session, const struct plan_request *request,
                 const char *case_id, uint64_t ulps, struct user_code *fresh);

#endif
