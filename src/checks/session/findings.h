/* SPDX-License-Identifier: MIT
 *
 * What the checks of launches found, for other programs. The checks add records, and the files of
 * --json, --junit and --sarif are written again after each part.
 */
#ifndef SIMTCHECK_CHECKS_FINDINGS_H
#define SIMTCHECK_CHECKS_FINDINGS_H

#include "exit_status.h"
#include "json_model.h"
#include "message.h"
#include "record_check.h"

#include <stdio.h>

enum findings_format { FINDINGS_JSON, FINDINGS_JUNIT, FINDINGS_SARIF };

enum { FINDINGS_FORMATS = FINDINGS_SARIF + 1 };

/* A zeroed one without paths takes nothing. */
struct findings {
    const char *paths[FINDINGS_FORMATS]; /* null: the file is not written */
    const char *command;
    double start;
    struct check_results results;           /* `minutes` is that of the command line */
    bool is_quiet, has_colour;              /* of texts: verdicts only; on the terminal */
    FILE *to;                               /* where texts go; null: stdout */
    const char *reported;                   /* the error messages since the launch began */
    const char *from;                       /* the place of the next launch in a file; null: none */
    bool has_printed[EXIT_UNAVAILABLE + 1]; /* a verdict with that exit status */
    const char *unit;                       /* what a check counts; null: "case" */
    json_t *read;                           /* JSON whose texts are in records; null: none */
    struct memory memory; /* of the records; the checks put the texts of theirs into it, too */
};

/* Writes the files for the first time, without results. Returns an exit status. */
int findings_start(struct findings *findings);

/* Begins a launch. The checks that follow belong to it. Copies texts. */
void findings_add_launch(struct findings *findings, const struct launch_record *launch);

/* Returns the path of a file that the checks of the last launch of the findings, `context`, show as
 * `shown` (source_path.h). A header may be in the folder of a file of the launch, outside the
 * current folder. Of "" it returns the first file. The text belongs to the findings. */
const char *findings_path(void *context, const char *shown);

/* Adds a compiler to the last launch. Copies the text. */
void findings_add_compiler(struct findings *findings, const char *name, const char *version);

/* Prints the findings of a launch, which are merged, and its verdict. */
void findings_print_launch(const struct findings *findings, const struct launch_record *launch);

/* The verdict of a launch in words: PASS and the like, what it says, and what was checked. */
struct launch_verdict {
    const char *name, *word, *about, *facts;
};

/* Returns the verdict of a launch whose findings are merged. Its texts are in `memory` or those of
 * the records. */
struct launch_verdict findings_verdict(const struct findings *findings,
                                       const struct launch_record *launch, struct memory *memory);

/* Returns what a fault says at its place, such as "thread 1 of block 0 reads ...", in `memory`. */
const char *fault_does(struct memory *memory, const struct fault *fault);

/* Returns what a thread of a race does, and into which line it was inlined, in `memory`. */
const char *race_side_text(struct memory *memory, const struct race_side *side,
                           const struct race_side *other);

/* Prints what stands around the verdict: the findings, and notes on what was not judged. */
void findings_print_messages(const struct findings *findings, const struct launch_record *launch,
                             const struct printer *printer);

/* Returns the message of a finding of the launch, in `memory`, as findings_print_launch() prints
 * it, or in another form. */
char *findings_message(struct memory *memory, const struct launch_record *launch,
                       const struct finding_record *finding, const struct message_form *form);

/* Returns the finding of the launch with that id, or the one that explains it. */
const struct finding_record *findings_find(const struct launch_record *launch, uint64_t id);

/* Prints how many launches have which verdict, if there are several. */
void findings_print_sum(const struct findings *findings);

/* Returns whether the verdict of a launch was printed. */
bool findings_has_verdict(const struct findings *findings);

/* Prints the verdict of a whole command, by its exit status. `is_bounded`: the user's options left
 * something out. `text` says more, or is "". */
void findings_print_verdict(struct findings *findings, const char *name, int status,
                            bool is_bounded, const char *text);

/* Returns whether a check of the last launch fails. */
bool findings_fail(const struct findings *findings);

/* Returns whether a finding of the last launch is a race, or a wrong access or barrier. */
bool findings_have_access(const struct findings *findings);

/* Leaves only such findings to the checks of the last launch with that compiler, whose code keeps
 * every access; and uses of uninitialized values if nothing else has failed. A check that fails
 * otherwise did not check this code. Returns whether a check of it fails. */
bool findings_keep_accesses(struct findings *findings, const char *compiler);

/* Returns whether there is a launch. */
bool findings_has_launch(const struct findings *findings);

/* Ends the last launch with that exit status, and prints it. A launch that does not end is as
 * complete as the whole.
 */
void findings_end_launch(struct findings *findings, int status);

/* Adds a check to the last launch. Copies texts, but not counterexamples,
 * races and the like. A finding without a place gets that of the kernel. */
void findings_add_check(struct findings *findings, const struct check_record *check);

/* Adds a remark to the checks of the last launch that have none. Copies the text. */
void findings_add_remark(struct findings *findings, const char *remark);

/* Writes the files, marked as incomplete. A pipe gets only the last version. Returns false after an
 * error message. */
bool findings_save(struct findings *findings);

/* Writes the files for the last time. Returns false after an error message. Call it then again,
 * with the status that is due to the error: it writes the other files. */
bool findings_end(struct findings *findings, int status);

/* Returns a list of copies of these texts. */
struct list findings_texts(struct findings *findings, const char *const *texts, size_t count);

/* ---- Writers: each returns false with errno set on error ---- */

/* JUnit's XML: a test suite for each launch, and a test case for each check or mutant. */
bool junit_write(const void *results, FILE *to);

/* SARIF 2.1.0: a result for each finding. Checks that find the same at the same places, as with two
 * compilers, share a result. */
bool sarif_write(const void *results, FILE *to);

/* Writes the name of a check in one line, such as "saxpy: races, model independent, nvcc". Returns
 * the text, which is in `memory`. */
const char *check_name(const struct check_record *check, struct memory *memory);

/* Returns what --minutes or a filter left out of a check, or null. The text is in `memory`. */
const char *check_partial(const struct check_record *check, struct memory *memory);

#endif
