/* SPDX-License-Identifier: MIT */
#include "shard.h"

#include "input_values.h"

#include <inttypes.h>
#include <stdio.h>

bool shard_parse(const char *word, struct shard *shard)
{
    int length = -1;

    return word[0] >= '0' && word[0] <= '9' &&
           sscanf(word, "%" SCNu64 "/%" SCNu64 "%n", &shard->number, &shard->count, &length) == 2 &&
           length > 0 && word[length] == '\0' && shard->number >= 1 &&
           shard->number <= shard->count && shard->count <= MAX_SHARDS;
}

bool shard_has(const struct shard *shard, uint64_t salt, uint64_t piece)
{
    uint64_t group;

    if (shard->count <= 1)
        return true;
    group = piece / shard->count;
    return (piece + values_hash(salt, group)) % shard->count == shard->number - 1;
}

uint64_t shard_salt(const char *text)
{
    uint64_t salt = 0;

    for (; *text != '\0'; text++)
        salt = values_hash(salt, (unsigned char)*text);
    return salt;
}
