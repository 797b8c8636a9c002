/* SPDX-License-Identifier: MIT
 *
 * Merges shards of `races`. Each row is in one shard.
 */
#include "merge.h"

#include "error_report.h"
#include "races_report.h"

#include <string.h>

/* Reads the rows of all shards into one list. Returns false after an error message. */
static bool read_rows(const struct shard_results *shards, struct list *rows)
{
    char why[512];

    for (size_t k = 0; k < shards->count; k++) {
        struct list part;
        bool fails = false;
        if (!model_read_list(&race_record_table, shards->files[k]->result, &part, shards->memory,
                             why, sizeof why))
            return error_report("%s: invalid shard: result%s%s", shards->files[k]->path,
                                why[0] == '[' ? "" : " ", why);
        for (size_t r = 0; r < part.count; r++) {
            const struct race_record *row = (const struct race_record *)part.items + r;
            fails = fails || !row->as_expected;
            LIST_ADD(shards->memory, rows, struct race_record) = *row;
        }
        if (!merge_status_fits(shards, k, fails))
            return false;
    }
    return true;
}

/* Sets *found to the row of that variant and model, or to null. Returns false after an error
 * message if there are two. */
static bool find_row(const struct list *rows, const struct variant *variant, enum model model,
                     const struct race_record **found)
{
    const struct race_record *row = rows->items;

    *found = NULL;
    for (const struct race_record *end = row + rows->count; row < end; row++) {
        if (strcmp(row->id, variant->id) != 0 || row->kind != variant->kind || row->model != model)
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
        if (shards->files[k]->status == EXIT_DIFFERS)
            return true;
    return false;
}

/* Prints the rows of a variant, and adds them to the whole. Returns false after an error message.
 */
static bool add_rows(const struct shard_results *shards, const struct list *rows,
                     const struct variant *variant, struct list *whole)
{
    for (int m = MODELS - 1; m >= 0; m--) {
        const struct race_record *row;
        if (!shards->selection->cases.models[m])
            continue;
        if (!find_row(rows, variant, (enum model)m, &row))
            return false;
        if (row == NULL && !may_lack_rows(shards))
            return error_report("no shard has the row %s %s, %s", variant->id,
                                variant_kind_name(variant->kind), model_name((enum model)m));
        if (row == NULL)
            continue;
        LIST_ADD(shards->memory, whole, struct race_record) = *row;
        races_print_record(shards->session, variant, row, false);
    }
    return true;
}

int merge_races(const struct shard_results *shards, json_t **merged)
{
    const struct catalogue *catalogue = shards->session->catalogue;
    struct list rows = list_take(shards->memory, 0, sizeof(struct race_record)),
                whole = list_take(shards->memory, 0, sizeof(struct race_record));
    size_t judged = 0, wrong = 0;

    if (!read_rows(shards, &rows))
        return EXIT_USAGE;
    races_print_head(shards->session);
    for (size_t v = 0; v < catalogue->count; v++)
        if (selection_has(shards->selection, &catalogue->variants[v]) &&
            !add_rows(shards, &rows, &catalogue->variants[v], &whole))
            return EXIT_USAGE;
    for (size_t r = 0; r < whole.count; r++) {
        struct race_record *row = (struct race_record *)whole.items + r;
        row->all_rows = races_rows(shards->selection, catalogue);
        judged += row->verdict != RACE_SKIPPED;
        wrong += !row->as_expected;
    }
    *merged = model_json_list(&race_record_table, &whole);
    return wrong > 0 ? EXIT_DIFFERS : judged == 0 ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}
