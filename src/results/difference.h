/* SPDX-License-Identifier: MIT
 *
 * The differences between two snapshots, row by row.
 */
#ifndef SIMTCHECK_RESULTS_DIFFERENCE_H
#define SIMTCHECK_RESULTS_DIFFERENCE_H

#include "json_model.h"
#include "record_snapshot.h"

/* A row that both snapshots have, as a rule sees it. */
struct row_pair {
    const json_t *old_row, *new_row;
    enum change change;
    struct list details; /* clauses */
    struct memory *memory;
    const struct list *machine; /* as struct tool has it */
    bool is_steady;             /* results on the row's engine are reproducible */
};

/* Adds a detail. The row keeps the most severe change. */
void pair_note(struct row_pair *pair, enum change change, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A part of a snapshot as rows: a member of the snapshot, or the member at an offset of that part.
 */
struct part_rows {
    const char *name;          /* in the output of `compare` */
    const char *member;        /* of the snapshot */
    const struct table *inner; /* table of the part; null: the part is the rows */
    size_t inner_offset;
    const struct table *table; /* table of a row; null: rows are texts */
    /* The name of the only row. Null: the tables give the names of rows. */
    const char *only;
    bool has_version; /* the member at `version_offset` names a compiler and its version */
    size_t version_offset;
    void (*judge)(struct row_pair *pair); /* compares what the table lacks; null: nothing */
    /* Judges a row of the new snapshot only; null: it is neither right nor wrong. */
    void (*judge_new)(struct row_pair *pair);
    bool is_wrong; /* a row is a failure: one more is a regression, one fewer a fix */
};

/* Each ends with rows without a name. */
extern const struct part_rows rows_of_run[], rows_of_races[], rows_of_counters[], rows_of_code[],
    rows_of_limits[];

/* Returns all rows of that part, each with its engine, as an array that the caller owns. `other` is
 * the snapshot for the comparison. */
json_t *difference_rows(const struct part_rows *part, const json_t *snapshot, const json_t *other);

/* Notes the differences in the members of a table. */
void difference_members(struct row_pair *pair, const struct table *table);

/* Returns whether results on that engine are reproducible. On a GPU a race may or may not show. */
bool engine_is_steady(const char *engine);

/* Returns whether the JSON is a snapshot that can be compared. If not, writes a clause that says
 * why. */
bool difference_fits(const json_t *document, char *why, size_t size);

/* Returns the differences between two snapshots. Its texts and lists belong to the memory or the
 * snapshots. */
struct comparison_record difference_record(const char *old_path, const json_t *old_snapshot,
                                           const char *new_path, const json_t *new_snapshot,
                                           struct memory *memory);

/* Returns the differences as `compare --json` writes them. The caller owns the result. */
json_t *difference_report(const char *old_path, const json_t *old_snapshot, const char *new_path,
                          const json_t *new_snapshot);

/* Initializers of rows: the member within a part, and a member that names a compiler and its
 * version. */
#define WITHIN(part_table, structure, member)                                                      \
    .inner = &(part_table), .inner_offset = offsetof(structure, member)
#define OF_VERSION(structure, member)                                                              \
    .has_version = true, .version_offset = offsetof(structure, member)

/* Writes how fast the machine was for one engine as text: "sim: all rows are 22 % slower, which is
 * attributed to the machine". Returns false if the change is too small to report. */
bool machine_text(const char *engine, double share, char *text, size_t size);

#endif
