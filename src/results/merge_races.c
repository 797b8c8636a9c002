/* SPDX-License-Identifier: MIT
 *
 * Shards of `races`, made one: each row is of one shard, whole.
 */
#include "merge.h"

#include "complain.h"
#include "races_report.h"

#include <stdio.h>
#include <string.h>

/* The shards' row of that variant and model, in *found; null: there is none. False after a sentence
 * where two shards have one. */
static bool find_row(const struct shard_results *shards, const struct variant *variant,
                     enum model model, json_t **found)
{
    *found = NULL;
    for (size_t k = 0; k < shards->count; k++) {
        json_t *row;
        size_t r;
        json_array_foreach(shards->results[k], r, row)
        {
            if (strcmp(merge_text(row, "id"), variant->id) != 0 ||
                strcmp(merge_text(row, "form"), form_name(variant->form)) != 0 ||
                strcmp(merge_text(row, "model"), model_name(model)) != 0)
                continue;
            if (*found != NULL)
                return complain("two shards have the row %s %s, %s", variant->id,
                                form_name(variant->form), model_name(model));
            *found = row;
        }
    }
    return true;
}

/* What the table shows of a row. */
static void print_row(const struct variant *variant, enum model model, const json_t *from)
{
    const json_t *search = json_object_get(from, "search");
    const char *verdict = merge_text(from, "verdict");
    struct race_row row = {
        .variant = variant,
        .model = model,
        .cases = merge_count(from, "cases"),
        .racing = merge_count(from, "racing"),
        .faults = merge_count(from, "faults"),
        .same_value = strcmp(verdict, "same-value race") == 0,
        .searched = json_is_object(search),
        .search = {.schedules = merge_count(search, "schedules"),
                   .delays = (unsigned int)merge_count(search, "delays"),
                   .wrong = json_is_true(json_object_get(search, "wrong"))},
        .as_claimed = json_is_true(json_object_get(from, "as_claimed")),
        .unavailable = strcmp(verdict, "unavailable") == 0 ? "" : NULL,
    };
    races_print_row(&row);
}

/* Has some shard been stopped by its failures, so that rows may lack? */
static bool may_lack_rows(const struct shard_results *shards)
{
    for (size_t k = 0; k < shards->count; k++)
        if (shards->statuses[k] == EXIT_DIFFERS)
            return true;
    return false;
}

/* Adds the rows of a variant; counts those that are judged, and those that are wrong. */
static bool add_rows(const struct shard_results *shards, const struct variant *variant,
                     json_t *rows, size_t *judged, size_t *wrong)
{
    for (int m = MODELS - 1; m >= 0; m--) {
        json_t *row;
        if (!shards->options->selection.cases.models[m])
            continue;
        if (!find_row(shards, variant, (enum model)m, &row))
            return false;
        if (row == NULL && !may_lack_rows(shards))
            return complain("no shard has the row %s %s, %s", variant->id, form_name(variant->form),
                            model_name((enum model)m));
        if (row == NULL)
            continue;
        json_array_append(rows, row);
        print_row(variant, (enum model)m, row);
        *judged += strcmp(merge_text(row, "verdict"), "unavailable") != 0;
        *wrong += !json_is_true(json_object_get(row, "as_claimed"));
    }
    return true;
}

int merge_races(const struct shard_results *shards, json_t **merged)
{
    const struct selection *selection = &shards->options->selection;
    json_t *rows = json_array();
    size_t judged = 0, wrong = 0;

    races_print_head();
    for (size_t v = 0; v < shards->catalogue->count; v++)
        if (selection_has(selection, &shards->catalogue->variants[v]) &&
            !add_rows(shards, &shards->catalogue->variants[v], rows, &judged, &wrong)) {
            json_decref(rows);
            return EXIT_USAGE;
        }
    races_number(rows, races_rows(&shards->options->selection, shards->catalogue));
    *merged = rows;
    return wrong > 0 ? EXIT_DIFFERS : judged == 0 ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}
