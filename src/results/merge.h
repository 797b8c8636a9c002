/* SPDX-License-Identifier: MIT
 *
 * Results of shards, made one. Files that do not go together never come here: merge.c refuses them.
 */
#ifndef SIMTCHECK_COMMANDS_MERGE_H
#define SIMTCHECK_COMMANDS_MERGE_H

#include "options.h"

#include <jansson.h>

/* The shards of one piece of work: all of them, each once, in their order. */
struct shard_results {
    const struct options *options; /* of the command that the shards ran */
    const struct catalogue *catalogue;
    json_t *const *results;   /* what each would have written without --shard */
    const char *const *paths; /* of the files that they are in */
    const int *statuses;
    size_t count;
    bool complete; /* none has stopped after --errors failures */
};

/* Print what the command would have and return its exit status; *merged is what it would have
 * written, the caller's. Null after one sentence on standard error that names what is not as a
 * shard writes it. */
int merge_run(const struct shard_results *shards, json_t **merged);
int merge_races(const struct shard_results *shards, json_t **merged);
int merge_toolchain(const struct shard_results *shards, json_t **merged);

/* A member that is a text; "" where it is none. */
const char *merge_text(const json_t *object, const char *name);
/* A member that is a count; 0 where it is none. */
uint64_t merge_count(const json_t *object, const char *name);
/* Is it an array of texts? */
bool merge_is_of_words(const json_t *array);

#endif
