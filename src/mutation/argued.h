/* SPDX-License-Identifier: MIT
 *
 * The mutants that are argued to be equivalent. A table in Markdown has a row for each: the
 * function, the line before and after the change, and the reason. A row matches by the text of the
 * lines, because line numbers change.
 */
#ifndef SIMTCHECK_MUTATION_ARGUED_H
#define SIMTCHECK_MUTATION_ARGUED_H

#include "json_model.h"

struct argued_row {
    const char *where, *before, *after, *reason;
    int line;          /* line of the row in the file */
    unsigned int used; /* mutants that it excuses, including those proved equivalent */
    bool was_killed;   /* a mutant that it would excuse was killed: the argument is wrong */
};

struct argued {
    struct argued_row *rows;
    size_t count;
    struct memory memory;
};

/* Reads the rows of the file's tables whose first cell is in backquotes. Returns false with a
 * message in `error`. */
bool argued_read(const char *path, struct argued *argued, char *error, size_t error_size);
void argued_free(struct argued *argued);

/* Returns the row of that mutant, or null if no row matches. `before` and `after` are in the format
 * of mutant_lines(). */
struct argued_row *argued_find(const struct argued *argued, const char *where, const char *before,
                               const char *after);

#endif
