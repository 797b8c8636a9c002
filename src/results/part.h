/* SPDX-License-Identifier: MIT
 *
 * The parts of a snapshot: how each is made, and how its rows compare.
 */
#ifndef SIMTCHECK_RESULTS_PART_H
#define SIMTCHECK_RESULTS_PART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct engine_kind;
struct engine_list;
struct field;
struct judging;
struct part_rows;
struct session;
struct snapshot_record;
struct snapshot_request;

/* On which of the snapshot's engines a part runs. */
enum part_engines {
    PART_WHOLE,      /* on all, in one piece */
    PART_EACH,       /* on one after the other: its member has a value for each, and must have rows
                        for each that the user names */
    PART_SIMULATORS, /* the same, on those that simulate */
    PART_GPU,        /* in one piece, if one of them has a GPU */
};

struct part {
    const char *name;           /* of its member, and of --part */
    const struct field *member; /* of a wing: its type, records and flags */
    enum part_engines engines;
    /* Makes it, and saves its results by session_save(). Returns the exit status. `engine`: null if
     * it runs in one piece. */
    int (*run)(const struct snapshot_request *request, const struct engine_list *engines,
               const struct engine_kind *engine, const struct session *session);
    const struct part_rows *rows; /* of `compare`; ends with one without a name */
    /* Judges it for a package; null: the package does, or it has no verdict. */
    void (*judge)(struct judging *judging, const char *name,
                  const struct snapshot_record *snapshot);
};

/* The parts of the core: run, races, counters, code. End with one without a name. */
extern const struct part core_parts[];

/* Returns the k-th part, those of the core first, then those of the wings (wing.h); null: there are
 * no more. */
const struct part *part_at(size_t k);

/* Returns the names of all parts; ends with null. */
const char *const *part_names(void);

/* Returns the name of the k-th part that a snapshot has and that this program lacks, because it was
 * built without that wing; null: there are no more. */
const char *part_unknown(const json_t *snapshot, size_t k);

/* Returns the k-th kind of rows that `compare` compares; null: there are no more. */
const struct part_rows *part_rows_at(size_t k);

#endif
