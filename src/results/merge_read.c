/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "error_report.h"

bool merge_read(const struct shard_results *shards, size_t k, const struct table *table,
                void *record)
{
    char why[512];

    return model_read(table, shards->files[k]->result, record, shards->memory, why, sizeof why) ||
           error_report("%s: invalid shard: result: %s", shards->files[k]->path, why);
}
