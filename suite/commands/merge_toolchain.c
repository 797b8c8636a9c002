/* SPDX-License-Identifier: MIT */
#include "merge.h"

int merge_toolchain(const struct shard_results *shards, json_t **merged)
{
    (void)shards;
    (void)merged;
    return 2;
}
