/* SPDX-License-Identifier: MIT
 *
 * Merges shards of `races`. Each row is in one shard.
 */
#include "merge.h"

#include "error_report.h"
#include "races_report.h"

#include <string.h>

struct merging {
    const struct shard_results *shards;
    struct list *parts; /* of struct race_record, by shard */
    struct list rows;   /* the merged rows */
    size_t judged, wrong;
};

static bool read_parts(struct merging *merging)
{
    const struct shard_results *shards = merging->shards;
    char why[512];

    merging->parts = memory_take(shards->memory, shards->count * sizeof *merging->parts);
    for (size_t k = 0; k < shards->count; k++)
        if (!model_read_list(&race_record_table, shards->results[k], &merging->parts[k],
                             shards->memory, why, sizeof why))
            return error_report("%s: invalid shard: result%s%s", shards->paths[k],
                                why[0] == '[' ? "" : " ", why);
    return true;
}

/* Sets *found to the shards' row of that variant and model, or to null. Returns false after an
 * error message if two shards have one. */
static bool find_row(const struct merging *merging, const struct variant *variant, enum model model,
                     const struct race_record **found)
{
    *found = NULL;
    for (size_t k = 0; k < merging->shards->count; k++)
        for (size_t r = 0; r < merging->parts[k].count; r++) {
            const struct race_record *row = (const struct race_record *)merging->parts[k].items + r;
            if (strcmp(row->id, variant->id) != 0 || row->kind != variant->kind ||
                row->model != model)
                continue;
            if (*found != NULL)
                return error_report("two shards have the row %s %s, %s", variant->id,
                                    variant_kind_name(variant->kind), model_name(model));
            *found = row;
        }
    return true;
}

/* Returns whether failures stopped a shard, so that rows may be missing. */
static bool may_lack_rows(const struct shard_results *shards)
{
    for (size_t k = 0; k < shards->count; k++)
        if (shards->statuses[k] == EXIT_DIFFERS)
            return true;
    return false;
}

/* Adds the rows of a variant. Counts the judged rows and the wrong ones. */
static bool add_rows(struct merging *merging, const struct variant *variant)
{
    const struct shard_results *shards = merging->shards;

    for (int m = MODELS - 1; m >= 0; m--) {
        const struct race_record *row;
        if (!shards->selection->cases.models[m])
            continue;
        if (!find_row(merging, variant, (enum model)m, &row))
            return false;
        if (row == NULL && !may_lack_rows(shards))
            return error_report("no shard has the row %s %s, %s", variant->id,
                                variant_kind_name(variant->kind), model_name((enum model)m));
        if (row == NULL)
            continue;
        LIST_ADD(shards->memory, &merging->rows, struct race_record) = *row;
        races_print_record(variant, row, false);
        merging->judged += row->verdict != RACE_SKIPPED;
        merging->wrong += !row->as_expected;
    }
    return true;
}

int merge_races(const struct shard_results *shards, json_t **merged)
{
    struct merging merging = {.shards = shards};
    const struct catalogue *catalogue = shards->session->catalogue;

    if (!read_parts(&merging))
        return EXIT_USAGE;
    merging.rows = list_take(shards->memory, 0, sizeof(struct race_record));
    races_print_head();
    for (size_t v = 0; v < catalogue->count; v++)
        if (selection_has(shards->selection, &catalogue->variants[v]) &&
            !add_rows(&merging, &catalogue->variants[v]))
            return EXIT_USAGE;
    for (size_t r = 0; r < merging.rows.count; r++)
        ((struct race_record *)merging.rows.items)[r].all_rows =
            races_rows(shards->selection, catalogue);
    *merged = model_json_list(&race_record_table, &merging.rows);
    return merging.wrong > 0     ? EXIT_DIFFERS
           : merging.judged == 0 ? EXIT_UNAVAILABLE
                                 : EXIT_CONFORMS;
}
