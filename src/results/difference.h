/* SPDX-License-Identifier: MIT
 *
 * What differs between two snapshots, row by row.
 */
#ifndef SIMTCHECK_COMMANDS_DIFFERENCE_H
#define SIMTCHECK_COMMANDS_DIFFERENCE_H

#include "json_model.h"
#include "record_snapshot.h"

/* A row of both snapshots, as a rule sees it. */
struct row_pair {
    const json_t *old_row, *new_row;
    enum change change;
    struct list details; /* sentence parts */
    struct memory *memory;
    const struct list *machine; /* throughput_machine() */
    bool is_steady;             /* runs on the row's engine come out alike each time */
};

/* Adds a detail; the row's change becomes the more telling. */
void pair_note(struct row_pair *pair, enum change change, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A part of a snapshot as rows: the member at an offset of struct snapshot_record, or the member at
 * an offset of that part. */
struct part_rows {
    const char *name;
    size_t offset;
    const struct table *inner; /* of the part; null: the part is the rows */
    size_t inner_offset;
    const struct table *table; /* of a row; null: rows are texts */
    /* The name of the only row; null: rows have names by their tables. */
    const char *only;
    bool has_version; /* the member at `version_offset` names a compiler and its version */
    size_t version_offset;
    void (*judge)(struct row_pair *pair); /* what the table does not say; null: nothing */
    bool is_wrong; /* a row is something wrong: one more is a regression, and one fewer a fix */
};

/* In the order of a report; ended by a part without a name. */
extern const struct part_rows part_rows[];

/* All rows of that part, each with its engine: an array, the caller's. `other`: the snapshot with
 * which it is compared. */
json_t *difference_rows(const struct part_rows *part, const json_t *snapshot, const json_t *other);

/* Notes the differences that tables of members tell. */
void difference_members(struct row_pair *pair, const struct table *table);

/* Whether runs on that engine come out alike each time. On a GPU a race may show or not. */
bool engine_is_steady(const char *engine);

/* Is the document a snapshot that can be compared? False, with a sentence part that says why not.
 */
bool difference_fits(const json_t *document, char *why, size_t size);

/* What differs between two snapshots. Texts and lists are the memory's or the snapshots'. */
struct comparison_record difference_record(const char *old_path, const json_t *old_snapshot,
                                           const char *new_path, const json_t *new_snapshot,
                                           struct memory *memory);

/* The same as `compare --json` writes it. The caller's. */
json_t *difference_report(const char *old_path, const json_t *old_snapshot, const char *new_path,
                          const json_t *new_snapshot);

/* ---- Rates and the ladder: what is slower, and what of it is the machine's ---- */

/* By engine that runs on a CPU, how fast the machine was for the new snapshot, as a share of how
 * fast it was for the old one, beyond what its pace says: a list of struct machine_record. It is
 * the change that three quarters of the engine's rows have at the least; 1 where there are fewer
 * than three rows, or where it is by more than twice, which is none of the machine. */
struct list throughput_machine(const json_t *old_snapshot, const json_t *new_snapshot,
                               struct memory *memory);

/* "host: all 22 % slower, which is taken for the machine's", of one of the above. False: it is too
 * little to be told. */
bool throughput_machine_tells(const char *engine, double share, char *text, size_t size);

void judge_rate(struct row_pair *pair);
void judge_rung(struct row_pair *pair);

#endif
