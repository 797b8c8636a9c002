/* SPDX-License-Identifier: MIT
 *
 * Mutants that somebody has argued to be equivalent: a table in Markdown, a row each of the
 * function, the line before and after the change, and the reason. Lines are found by their text,
 * for their numbers change.
 */
#ifndef SIMTCHECK_MUTATION_ARGUED_H
#define SIMTCHECK_MUTATION_ARGUED_H

#include "json_model.h"

struct argued_row {
    const char *where, *before, *after, *reason;
    int line;          /* of the table */
    unsigned int used; /* mutants that it has excused, or would have, had they not been proved */
    bool was_killed;   /* one that it would have excused does not live: the argument is wrong */
};

struct argued {
    struct argued_row *rows;
    size_t count;
    struct memory memory;
};

/* Rows of the file's tables whose first cell is in backquotes. False with a sentence. */
bool argued_read(const char *path, struct argued *argued, char *error, size_t error_size);
void argued_free(struct argued *argued);

/* The row of that mutant, whose lines are as mutant_lines() has them; null: there is none. */
struct argued_row *argued_find(const struct argued *argued, const char *where, const char *before,
                               const char *after);

#endif
