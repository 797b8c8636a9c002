/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include "merge.h"
#include "wing.h"

bool races_are_partial(const struct list *races)
{
    const struct race_record *rows = races->items;

    for (size_t r = 0; r < races->count; r++)
        if (rows[r].all_rows != races->count)
            return true;
    return races->count == 0;
}

const struct results_kind results_kinds[RESULTS_KINDS] = {
    [RESULTS_SNAPSHOT] = {.name = "snapshot",
                          .table = &snapshot_table,
                          .build = offsetof(struct snapshot_record, environment.build)},
    [RESULTS_COMPARE] = {.name = "compare", .table = &comparison_table},
    [RESULTS_RUN] = {.name = "run",
                     .table = &run_table,
                     .build = offsetof(struct run_record, build),
                     .merge = merge_run},
    [RESULTS_COUNTERS] = {.name = "counters", .table = &counter_table},
    [RESULTS_RACES] = {.name = "races",
                       .table = &race_record_table,
                       .is_list = true,
                       .merge = merge_races},
    [RESULTS_CHECK] = {.name = "check",
                       .table = &check_results_table,
                       .build = offsetof(struct check_results, build)},
};

static bool is_of(const json_t *document, const struct results_kind *kind)
{
    if (!kind->is_list)
        return model_is_marked(kind->table, document);
    return json_is_array(document) && (json_array_size(document) == 0 ||
                                       model_is_marked(kind->table, json_array_get(document, 0)));
}

const struct results_kind *results_kind(size_t k)
{
    if (k < RESULTS_KINDS)
        return &results_kinds[k];
    k -= RESULTS_KINDS;
    for (const struct wing *const *wing = wings; *wing != NULL; wing++)
        for (const struct results_kind *kind = (*wing)->kinds; kind != NULL && kind->name != NULL;
             kind++)
            if (k-- == 0)
                return kind;
    return NULL;
}

const struct results_kind *results_kind_of(const json_t *document)
{
    const struct results_kind *kind;

    for (size_t k = 0; (kind = results_kind(k)) != NULL; k++)
        if (is_of(document, kind))
            return kind;
    return NULL;
}

const void *results_read(const struct results_kind *kind, const json_t *document,
                         struct memory *memory, char *why, size_t size)
{
    size_t bytes = kind->is_list ? sizeof(struct list) : kind->table->size;
    void *record = memory_take(memory, bytes);
    bool good = kind->is_list ? model_read_list(kind->table, document, record, memory, why, size)
                              : model_read(kind->table, document, record, memory, why, size);

    return good ? record : NULL;
}
