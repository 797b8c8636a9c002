/* SPDX-License-Identifier: MIT
 *
 * What the outputs of a user's kernels are held to: an oracle in C, or other code of theirs.
 */
#ifndef SIMTCHECK_COMMANDS_OLD_CODE_H
#define SIMTCHECK_COMMANDS_OLD_CODE_H

#include "user_code.h"

/* Compiles an oracle in C into the folder of `code`, whose launch is then compared with it, within
 * so many ulps. Returns false after an error message. */
bool oracle_build(struct user_code *code, const char *oracle, uint64_t ulps);

/* What git says to these words in that folder, without the last line end. The words end with null.
 * Returns git's exit status. */
int git_ask(const char *folder, const char *const *words, char *said, size_t size);

/* Takes the files of revision `revision` of the repository that the first of them is in, with all
 * that they may include, into `folder`, and the flags that name folders of it likewise. False after
 * a complaint. */
bool old_files_take(const char *revision, const char *folder, const struct user_files *files,
                    struct user_files *old);
void old_files_free(struct user_files *old);

/* Runs the launches of `old` at every shape and values of the plan, in order, and keeps what comes
 * out in its folder; `fresh` is then held to that, within so many ulps. The exit status; a
 * complaint of cases in which the old code itself fails, which are held to nothing. `case ID`:
 * null, or that of the one case. */
int old_code_run(struct user_code *old, struct session *session, const struct plan_request *request,
                 const char *case_id, uint64_t ulps, struct user_code *fresh);

#endif
