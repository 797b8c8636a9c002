/* SPDX-License-Identifier: MIT
 *
 * References for the outputs of a user's kernels: an oracle in C or C++, or other code of the user.
 */
#ifndef SIMTCHECK_LAUNCH_OLD_CODE_H
#define SIMTCHECK_LAUNCH_OLD_CODE_H

#include "launch_catalogue.h"
#include "user_code.h"

/* Compiles an oracle into the folder of `code`, and makes it the reference of its launch.
 * `ulps` is the tolerance in units in the last place. Returns false after an error message. */
bool oracle_build(struct user_code *code, const char *oracle, uint64_t ulps);

/* Runs git with these words in that folder. The words end with null. `said` gets the output without
 * the last line end. Returns git's exit status. */
int git_ask(const char *folder, const char *const *words, char *said, size_t size);

/* Returns false after an error message if git would take the revision for an option. */
bool revision_is_no_option(const char *revision);

/* Files at a revision of their repository. */
struct old_files {
    struct user_files files; /* their paths, and flags with paths that lead to that revision */
    const char *revision;
    char top[USER_PATH];  /* the folder of the repository */
    char room[USER_PATH]; /* the folder that holds the revision's files */
    char list[USER_PATH]; /* file with the names of all files that the compiler reads */
    bool has_other;       /* one of these is a file of the work tree, which was reported */
};

/* Extracts revision `revision` of the repository that contains the first file into the folder
 * `room`/old. Returns false after an error message. Call old_files_free() in either case. */
bool old_files_take(const char *revision, const char *room, const struct user_files *files,
                    struct old_files *old);

/* Checks, after compiling the old files, that the compiler read no file of the work tree. The old
 * code would else have new headers. Returns false after an error message. */
bool old_files_are_all_old(struct old_files *old);

void old_files_free(struct old_files *old);

/* Runs the launches of `old` for every shape and set of values of the plan, sequentially. Keeps the
 * outputs in its folder as the reference of `fresh`, with the same tolerance. Cases in which the
 * old code fails are reported and get no reference. If `case_id` is not null, runs only that case.
 * *results is the number of cases with results to compare, or that --minutes left out. Returns the
 * exit status. */
int old_code_run(struct user_code *old, const struct session *session,
                 const struct plan_request *request, const char *case_id, struct user_code *fresh,
                 size_t *results);

/* Runs the reference code on cases besides those of old_code_run(). */
struct old_runs {
    struct user_code *old;
    const struct session *session;
    enum float_kind floats; /* with which the reference code computes */
    struct launch_catalogue catalogue;
    struct supervisor *supervisor; /* null: not opened yet */
};

/* As `prepare` in struct session. */
bool old_runs_prepare(struct old_runs *runs, const struct test_case *cases, size_t count);
void old_runs_end(struct old_runs *runs);

#endif
