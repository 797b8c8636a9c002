/* SPDX-License-Identifier: MIT
 *
 * Results of shards, made one. Files that do not go together never come here: merge.c refuses them.
 */
#ifndef SIMTCHECK_COMMANDS_MERGE_H
#define SIMTCHECK_COMMANDS_MERGE_H

#include "json_model.h"
#include "options.h"

/* The shards of one piece of work: all of them, each once, in their order. */
struct shard_results {
    const struct options *options; /* of the command that the shards ran */
    const struct catalogue *catalogue;
    const json_t **results;   /* what each would have written without --shard */
    const char *const *paths; /* of the files that they are in */
    const int *statuses;
    size_t count;
    struct memory *memory;
};

/* Print what the command would have and return its exit status; *merged is what it would have
 * written, the caller's. Null after one sentence on standard error that names what is not as a
 * shard writes it. */
int merge_run(const struct shard_results *shards, json_t **merged);
int merge_races(const struct shard_results *shards, json_t **merged);
int merge_toolchain(const struct shard_results *shards, json_t **merged);

/* Reads what a shard's command has written. False after one sentence on standard error that names
 * the file and the member. */
bool merge_read(const struct shard_results *shards, size_t k, const struct table *table,
                void *record);

#endif
