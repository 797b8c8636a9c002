/* SPDX-License-Identifier: MIT
 *
 * What differs between two snapshots, row by row.
 */
#ifndef SIMTCHECK_COMMANDS_DIFFERENCE_H
#define SIMTCHECK_COMMANDS_DIFFERENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* From the least telling on. */
enum change {
    CHANGE_SAME,
    CHANGE_CHANGED,    /* neither better nor worse: other code, other counts */
    CHANGE_NEW,        /* a row of the new snapshot alone */
    CHANGE_FIX,        /* what was wrong is right, or what was slow is fast */
    CHANGE_MISSING,    /* a row of the old snapshot alone */
    CHANGE_REGRESSION, /* what was right is wrong, or what was fast is slow */
};

enum { CHANGES = CHANGE_REGRESSION + 1 };

/* "REGRESSION". */
const char *change_name(enum change change);

/* A row of both snapshots, as a rule sees it. */
struct row_pair {
    json_t *old_row, *new_row;
    enum change change;
    json_t *details; /* sentence parts */
};

/* Adds a detail; the row's change becomes the more telling. */
void pair_note(struct row_pair *pair, enum change change, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A part of a snapshot as rows. */
struct part_rows {
    const char *name;
    const char *member;  /* of the document, that has them */
    const char *keys[4]; /* members that tell rows apart, up to a null */
    /* All rows of a snapshot, which know their engine: an array, the caller's. `other`: the
     * snapshot with which it is compared. */
    json_t *(*rows)(const json_t *snapshot, const json_t *other);
    void (*judge)(struct row_pair *pair);
    bool is_wrong; /* a row is something wrong: one more is a regression, and one fewer a fix */
};

/* In the order of a report; ended by a row without a name. */
extern const struct part_rows part_rows[];

/* Rows of an object of arrays by engine, each with its engine; the caller's. */
json_t *rows_by_engine(json_t *part);

/* Do runs on the row's engine come out alike each time? On a GPU a race may show or not. */
bool is_steady(const json_t *row);

/* Is the document a snapshot that can be compared? False, with a sentence part that says why not.
 */
bool difference_fits(const json_t *document, char *why, size_t size);

/* What differs, as `compare --json` writes it: "old" and "new", the paths, "old_complete" and
 * "new_complete"; "environment", what differs there and in the options: an array of objects "key",
 * "old", "new"; "machine", rates_machine(); "counts", how many rows by the name of their change;
 * and "rows", what became of each: an array of objects "change", "part", "row", "details". The
 * caller's. */
json_t *difference_report(const char *old_path, const json_t *old_snapshot, const char *new_path,
                          const json_t *new_snapshot);

#endif
