/* SPDX-License-Identifier: MIT
 *
 * Work in shards, for several processes, GPUs or machines. The distribution depends on the request
 * only, and every piece is in exactly one shard.
 */
#ifndef SIMTCHECK_CASES_SHARD_H
#define SIMTCHECK_CASES_SHARD_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_SHARDS = 4096 };

/* Shard `number` of `count`, starting at 1. A count of 0 means that the work is not in shards. */
struct shard {
    uint64_t number, count;
};

/* Reads a shard such as "2/8". Returns false unless 1 <= number <= count <= MAX_SHARDS. */
bool shard_parse(const char *word, struct shard *shard);

/* Returns whether piece `piece` of some work is in the shard. The pieces are divided into groups of
 * `count` neighbours, and each piece of a group is in another shard. The order is drawn for each
 * group. Pieces that recur at regular intervals, such as the largest size of a block, are thus
 * spread over the shards. `salt` distinguishes works. */
bool shard_has(const struct shard *shard, uint64_t salt, uint64_t piece);

/* Returns a salt for a text. */
uint64_t shard_salt(const char *text);

#endif
