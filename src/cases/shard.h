/* SPDX-License-Identifier: MIT
 *
 * Work in shards, for several processes, GPUs or machines: which piece is whose. It depends on what
 * is asked for alone, and every piece is in one shard.
 */
#ifndef SIMTCHECK_CASES_SHARD_H
#define SIMTCHECK_CASES_SHARD_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_SHARDS = 4096 };

/* Shard `number` of `count`, from 1 on. A count of 0: the work is not in shards. */
struct shard {
    uint64_t number, count;
};

/* Reads "2/8". False where it is none: the number is 1 to count, count at most MAX_SHARDS. */
bool shard_parse(const char *word, struct shard *shard);

/* Is piece `piece` of some work in the shard? Of any `count` neighbours each is in another shard,
 * in an order drawn for each such group: what comes again in every so many pieces, such as the
 * largest size of a block, is not always the same shard's. `salt` tells one work from another. */
bool shard_has(const struct shard *shard, uint64_t salt, uint64_t piece);

/* A salt of a text. */
uint64_t shard_salt(const char *text);

#endif
