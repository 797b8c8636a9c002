/* SPDX-License-Identifier: MIT
 *
 * Results of shards, made one. Files that do not go together never come here: merge.c refuses them.
 */
#ifndef SIMTCHECK_COMMANDS_MERGE_H
#define SIMTCHECK_COMMANDS_MERGE_H

#include "json_model.h"
#include "session.h"

/* What the command of the shards was asked for, as far as merging depends on it. */
struct shard_work {
    struct selection selection;
    struct engine_list engines;
    uint64_t count; /* of programs that `compilers` draws */
    bool no_idioms;
};

/* Reads the options of a shard's command again, whose words are options alone. They last as long
 * as the work is used. Returns false after an error message. */
typedef bool shard_options_reader(const char *command, size_t count, char **words,
                                  struct shard_work *work);

/* Merges the results in files that shards have written, saves and prints the whole. Returns the
 * exit status. */
int merge_shards(const char *const *paths, size_t count, shard_options_reader *read,
                 struct session *session);

/* The shards of one piece of work: all of them, each once, in their order. */
struct shard_results {
    const struct shard_work *options; /* of the command that the shards ran */
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
int merge_compilers(const struct shard_results *shards, json_t **merged);

/* Reads what a shard's command has written. False after one sentence on standard error that names
 * the file and the member. */
bool merge_read(const struct shard_results *shards, size_t k, const struct table *table,
                void *record);

#endif
