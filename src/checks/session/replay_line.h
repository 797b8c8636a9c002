/* SPDX-License-Identifier: MIT
 *
 * The command line that runs a case again, as reports print it.
 */
#ifndef SIMTCHECK_CHECKS_REPLAY_LINE_H
#define SIMTCHECK_CHECKS_REPLAY_LINE_H

#include "case_id.h"

/* The command that the user gave, for kernels that are not those of the catalogue. */
struct replay_command {
    const char *name;
    const char *const *files, *const *nvcc, *const *flags;
    size_t file_count, nvcc_count, flag_count;
    const char *oracle, *against; /* null: not given */
    uint64_t ulps;
};

/* Cases are replayed by this command with --case from now on. Without one, cases are of the
 * catalogue: "simtcheck replay CASE". */
void replay_line_use(const struct replay_command *command);

/* The command line has "--compiler NAME" from now on. */
void replay_line_compiler(const char *name);

/* The command line has these options of barriers from now on. */
void replay_line_barriers(bool strict, bool of_warps);

/* Prints the command line that runs the case on that engine. */
void replay_line_print(const struct test_case *test, const struct engine_kind *engine);

/* Fills in "block 32x16, size 100" and returns it. */
enum { SHAPE_TEXT = 2 * WORD_SIZE + 16 };
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT]);

#endif
