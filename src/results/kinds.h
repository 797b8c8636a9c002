/* SPDX-License-Identifier: MIT
 *
 * The kinds of files that commands write with --out and --json, and the reading of them.
 */
#ifndef SIMTCHECK_RESULTS_KINDS_H
#define SIMTCHECK_RESULTS_KINDS_H

#include "json_model.h"
#include "record_check.h"
#include "record_snapshot.h"

enum results_id {
    RESULTS_SNAPSHOT,
    RESULTS_COMPARE,
    RESULTS_RUN,
    RESULTS_COUNTERS,
    RESULTS_RACES,
    RESULTS_CHECK,
};

enum { RESULTS_KINDS = RESULTS_CHECK + 1 };

struct judging;
struct shard_results;

struct results_kind {
    const char *name;          /* of the command */
    const struct table *table; /* of the file, or of its rows */
    bool is_list;              /* then the record is a struct list */
    size_t build; /* the offset in a record of the text build_identity; 0: the file has none */
    /* Judges a wing's file for a package; null: it has no verdict. */
    void (*judge)(struct judging *judging, const char *name, const void *record);
    /* Returns a snapshot with the file as its only part, for `compare`, or null with a clause that
     * says why the results cannot be compared. The caller owns it. Null: `compare` takes no such
     * file. */
    json_t *(*as_snapshot)(const json_t *document, char *why, size_t size);
    /* Prints what the command would have printed without shards, and returns its exit status. Sets
     * *merged to the JSON that it would have written, which the caller owns. *merged is null after
     * an error message about a malformed shard. Null: the command does not work in shards. */
    int (*merge)(const struct shard_results *shards, json_t **merged);
};

/* Those of the core, indexed by enum results_id. */
extern const struct results_kind results_kinds[RESULTS_KINDS];

/* Returns kind k, of the core or of a wing, or null after the last. */
const struct results_kind *results_kind(size_t k);

/* Returns the kind of a file, of the core or of a wing, or null if no command writes it. */
const struct results_kind *results_kind_of(const json_t *document);

/* Reads the record of a file, which belongs to the memory. Returns null with a clause that names
 * the wrong member. */
const void *results_read(const struct results_kind *kind, const json_t *document,
                         struct memory *memory, char *why, size_t size);

/* Returns whether rows are missing. Each row has the number of rows of a complete file. */
bool races_are_partial(const struct list *races);

#endif
