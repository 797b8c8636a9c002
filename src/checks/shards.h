/* SPDX-License-Identifier: MIT
 *
 * The file of a shard: what its command writes with --json, and beside it all by which `merge`
 * tells whether it goes together with the others.
 */
#ifndef SIMTCHECK_COMMANDS_SHARDS_H
#define SIMTCHECK_COMMANDS_SHARDS_H

#include "options.h"

#include <jansson.h>

enum { SHARD_VERSION = 1 };

/* Can the work of the options be done in shards, if it is to be? Else one sentence on standard
 * error says why not. */
bool shards_fit(const struct options *options);

/* "shard 2/8". */
void shards_name(const struct shard *shard, char name[32]);

/* Keeps what an engine says of itself, for the file; null: it is not available. */
void shards_note_engine(const char *engine, const char *description);

/* At its end: how much was in the shard, in such pieces, and who tells the verdict of all. */
void shards_print_end(const struct shard *shard, uint64_t count, const char *pieces);

/* The file's value around what the command would write, which it takes over. The caller's. */
json_t *shards_wrap(const struct options *options, json_t *result);

/* At the end of the command: the file's value with its exit status, the caller's; null: nothing was
 * to be written. A shard whose file has none was killed. */
json_t *shards_end(int status);

#endif
