/* SPDX-License-Identifier: MIT */
#include "kinds.h"

const struct results_kind results_kinds[RESULTS_KINDS] = {
    [RESULTS_SNAPSHOT] = {"snapshot", &snapshot_table, false},
    [RESULTS_COMPARE] = {"compare", &comparison_table, false},
    [RESULTS_RUN] = {"run", &run_table, false},
    [RESULTS_COMPILERS] = {"compilers", &compilers_table, false},
    [RESULTS_COUNTERS] = {"counters", &counter_table, false},
    [RESULTS_RACES] = {"races", &race_record_table, true},
    [RESULTS_BENCHMARK] = {"ci/bench", &benchmark_table, false},
    [RESULTS_CHECK] = {"check", &check_results_table, false},
    [RESULTS_SOAK] = {"soak", &soak_table, false},
    [RESULTS_LITMUS] = {"litmus", &litmus_table, false},
};

const struct results_kind *results_kind_of(const json_t *document)
{
    for (size_t k = 0; k < RESULTS_KINDS; k++)
        if (results_kinds[k].is_list
                ? json_is_array(document) &&
                      (json_array_size(document) == 0 ||
                       model_is_marked(results_kinds[k].table, json_array_get(document, 0)))
                : model_is_marked(results_kinds[k].table, document))
            return &results_kinds[k];
    return NULL;
}

bool results_read(const struct results_kind *kind, const json_t *document,
                  union results_record *record, struct memory *memory, char *why, size_t size)
{
    return kind->is_list ? model_read_list(kind->table, document, &record->races, memory, why, size)
                         : model_read(kind->table, document, record, memory, why, size);
}

bool races_are_partial(const struct list *races)
{
    const struct race_record *rows = races->items;

    for (size_t r = 0; r < races->count; r++)
        if (rows[r].all_rows != races->count)
            return true;
    return races->count == 0;
}
