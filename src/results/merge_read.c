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

bool merge_status_fits(const struct shard_results *shards, size_t k, bool fails)
{
    const struct shard_record *file = shards->files[k];

    return (file->status == EXIT_DIFFERS) == fails ||
           error_report("%s: invalid shard: its exit status is %d, but %s row fails", file->path,
                        (int)file->status, fails ? "a" : "no");
}
