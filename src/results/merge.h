/* SPDX-License-Identifier: MIT
 *
 * Merges the results of shards. merge.c rejects files that do not belong together, so these
 * functions never see them.
 */
#ifndef SIMTCHECK_RESULTS_MERGE_H
#define SIMTCHECK_RESULTS_MERGE_H

#include "json_model.h"
#include "record_snapshot.h"
#include "session.h"

/* Parses the words of a shard's command, all of which are options. The words must stay valid while
 * the result is used. Returns the selection with which the command's request begins, or null after
 * an error message. */
typedef const struct selection *shard_options_reader(void *context, const char *command,
                                                     size_t count, char **words);

/* Merges the results in files of shards, saves and prints the whole. Returns the exit status. */
int merge_shards(const char *const *paths, size_t count, shard_options_reader *read, void *context,
                 const struct session *session);

/* The shards of one piece of work: all of them, each once, in order. */
struct shard_results {
    const struct selection *selection; /* the beginning of the request that the shards ran */
    const struct session *session;
    const struct shard_record *const *files;
    size_t count;
    struct memory *memory;
};

/* Those of the core, as struct results_kind has them (kinds.h). */
int merge_run(const struct shard_results *shards, json_t **merged);
int merge_races(const struct shard_results *shards, json_t **merged);

/* Reads the results of a shard. Returns false after an error message that names the file and the
 * member. */
bool merge_read(const struct shard_results *shards, size_t k, const struct table *table,
                void *record);

/* Checks that shard k + 1 ended as its rows say. Returns false after an error message. */
bool merge_status_fits(const struct shard_results *shards, size_t k, bool fails);

#endif
