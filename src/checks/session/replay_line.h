/* SPDX-License-Identifier: MIT
 *
 * The command line that runs a case again, as reports print it.
 */
#ifndef SIMTCHECK_CHECKS_REPLAY_LINE_H
#define SIMTCHECK_CHECKS_REPLAY_LINE_H

#include "case_id.h"

struct session;

/* The command that runs cases again: that of the user, who checks kernels outside the catalogue. */
struct replay_command {
    const char *name;     /* null: `replay`, for cases of the catalogue */
    const char *compiler; /* null: not given */
    uint64_t launch;      /* 0: not given */
    const char *const *files, *const *nvcc, *const *flags;
    size_t file_count, nvcc_count, flag_count;
    const struct size_names *sizes; /* null: none has a name of its own */
    const char *oracle, *against;   /* null: not given */
    const struct allowance_list *allowed;
    uint64_t ulps;
    bool exact_floats, reference_double;
};

/* Returns the whole command that runs a case, or null when memory runs out. The caller frees it. */
char *replay_line_command(const struct session *session, const char *case_id);

/* Writes the shape as "block 32x16, size 100", or as "size 100" for a launch that sets its own
 * block, and with "any size" for a launch that does not depend on it. Returns the text. */
enum { SHAPE_TEXT = 2 * WORD_SIZE + 16 };
/* Writes the sizes of a launch in words, such as "n = 1", or those from `least` to `most`, such as
 * "n = 0..1025". Writes "" for a launch without sizes. Returns the text. */
enum { SIZES_TEXT = MAX_SIZES * 80, SIZES_FEW = 4 };
const char *sizes_text(const struct variant *variant, const uint64_t least[MAX_SIZES],
                       const uint64_t most[MAX_SIZES], char text[SIZES_TEXT]);

const char *shape_text(const struct variant *variant, const struct shape *shape,
                       char text[SHAPE_TEXT]);

/* Writes the shape and the values as "size 100, values zeros". Returns the text. */
enum { INPUT_TEXT = SHAPE_TEXT + WORD_SIZE + 16 };
const char *input_text(const struct test_case *test, char text[INPUT_TEXT]);

#endif
