/* SPDX-License-Identifier: MIT
 *
 * Sections of a page on what has changed, and on environments.
 */
#include "difference.h"
#include "members.h"
#include "page.h"

/* ---- What has changed ---- */

static const char changes[] =
    "{*difference}<p>From <code>{old}</code> to <code>{new}</code>. Unchanged rows: {#counts.SAME}."
    "</p>\n"
    "{!old_complete}<p class=\"note\"><code>{old}</code> is partial: the snapshot stopped early."
    "</p>\n{/}"
    "{!new_complete}<p class=\"note\"><code>{new}</code> is partial: the snapshot stopped early."
    "</p>\n{/}{@machine}{/}"
    "{*changes}<details class=\"card\"{?open} open{/}><summary>{=word} "
    "<span class=\"soft\">{#rows}</span></summary>\n<ul class=\"changes\">\n"
    "{*rows}<li><span class=\"soft\">{part}</span> <b>{row}</b>"
    "{*details}<span class=\"detail\">{.}</span>{/}</li>\n{/}</ul></details>\n{/}";

/* Writes how much faster or slower a whole machine has become. */
static void write_machine(FILE *to, const json_t *difference)
{
    json_t *share;
    const char *engine;
    char text[128];

    json_object_foreach(json_object_get(difference, "machine"), engine, share)
    {
        if (!machine_text(engine, json_number_value(share), text, sizeof text))
            continue;
        fputs("<p class=\"note\">Throughput of ", to);
        html_text(to, text);
        fputs(".</p>\n", to);
    }
}

/* Returns the rows of each kind of change, the most severe first. Kinds from CHANGE_FIX on are
 * open, and the others are folded. */
static json_t *changes_of(const json_t *difference)
{
    json_t *all = json_array();
    char name[64];

    for (int change = CHANGES - 1; change > CHANGE_SAME; change--) {
        const char *word = change_name((enum change)change);
        json_t *rows;
        snprintf(name, sizeof name, "rows:change=%s", word);
        rows = page_value(difference, name);
        if (json_array_size(rows) > 0)
            json_array_append_new(all, json_pack("{s:s, s:b, s:O}", "word", word, "open",
                                                 change >= CHANGE_FIX, "rows", rows));
        json_decref(rows);
    }
    return all;
}

/* Returns the text of a fact, such as the version of a driver, or "" if it is not one text. */
static const char *fact_text(const json_t *fact, const char *name)
{
    const json_t *value = json_object_get(fact, name);

    return json_is_array(value) && json_array_size(value) == 1
               ? json_string_value(json_array_get(value, 0))
           : json_is_string(value) ? json_string_value(value)
                                   : "";
}

/* Returns what the newer snapshot is of: another driver, another toolkit, or another file. */
static json_t *subject_of(const json_t *difference)
{
    static const struct {
        const char *key, *title;
    } subjects[] = {{"driver", "Driver"}, {"toolkit", "Toolkit"}, {"ptxas", "ptxas"}};

    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
        for (struct each k = {.rows = json_object_get(difference, "environment")}; each_next(&k);) {
            const char *before = fact_text(k.row, "old"), *after = fact_text(k.row, "new");
            if (page_is(k.row, "key", subjects[s].key) && before[0] != '\0' && after[0] != '\0')
                return json_sprintf("%s %s to %s", subjects[s].title, before, after);
        }
    return json_sprintf("%s to %s", text_in(difference, "old"), text_in(difference, "new"));
}

json_t *page_change_verdict(const json_t *page)
{
    const json_t *difference = json_object_get(page, "difference"),
                 *counts = json_object_get(difference, "counts");
    json_int_t worse = number_in(counts, "REGRESSION"), missing = number_in(counts, "MISSING");
    json_t *subject = difference != NULL ? subject_of(difference) : NULL, *verdict;
    char lost[64] = "", regressions[64] = "";

    if (difference == NULL)
        return NULL;
    if (worse > 0)
        snprintf(regressions, sizeof regressions, "%lld regression%s%s", worse,
                 worse == 1 ? "" : "s", missing > 0 ? ", " : "");
    if (missing > 0)
        snprintf(lost, sizeof lost, "%lld missing row%s", missing, missing == 1 ? "" : "s");
    verdict = json_pack("{s:s, s:o}", "class", worse + missing > 0 ? "bad" : "good", "text",
                        json_sprintf("%s: %s%s%s", json_string_value(subject),
                                     worse + missing > 0 ? "do not accept: " : "accept",
                                     regressions, lost));
    json_decref(subject);
    return verdict;
}

/* ---- Environments ---- */

static const char environment[] =
    "{*difference}{?environment}{@changed}{/}"
    "{!environment}<p>Environment and options are the same before and after.</p>\n{/}{/}"
    "{?environment}<details class=\"card\"{!difference} open{/}><summary>All facts"
    "{?difference} of the newer snapshot{/}</summary>\n{@facts}</details>\n{/}";

static const struct page_column columns_changed[] = {
    PAGE_COLUMN("fact", struct fact_record, key),
    PAGE_COLUMN("before", struct fact_record, before),
    PAGE_COLUMN("after", struct fact_record, after),
    {.head = NULL},
};
static const struct page_column columns_all[] = {
    PAGE_COLUMN("fact", struct fact_record, key),
    PAGE_COLUMN("value", struct fact_record, before),
    {.head = NULL},
};

static const struct page_part parts[] = {
    {.name = "machine", .write = write_machine},
    {"changed", NULL, "What differs", "environment", &fact_table, columns_changed},
    {"facts", NULL, "Environment", "facts", &fact_table, columns_all},
    {.name = NULL},
};

const struct page_section page_change_sections[] = {
    {"changes", "What changed", changes, parts, NULL, NULL, NULL},
    {"environment", "Environment", environment, parts, NULL, NULL, NULL},
    {.id = NULL},
};

/* Adds the facts of an environment to an array. A fact within an object or array has a path as its
 * name, such as "gpus.0.name". */
static void add_facts(json_t *all, const char *path, json_t *value)
{
    const char *name;
    json_t *member, *inner;
    size_t k;

    if (json_is_object(value)) {
        json_object_foreach(value, name, member)
        {
            inner = json_sprintf("%s%s%s", path, path[0] != '\0' ? "." : "", name);
            add_facts(all, json_string_value(inner), member);
            json_decref(inner);
        }
    } else if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        json_array_foreach(value, k, member)
        {
            inner = json_sprintf("%s.%zu", path, k);
            add_facts(all, json_string_value(inner), member);
            json_decref(inner);
        }
    } else if (value != NULL) {
        json_array_append_new(all, json_pack("{s:s, s:O}", "key", path, "old", value));
    }
}

void page_add_changes(json_t *page)
{
    json_t *all = json_array();

    add_facts(all, "", json_object_get(page, "environment"));
    json_object_set_new(page, "facts", all);
    json_object_set_new(page, "changes", changes_of(json_object_get(page, "difference")));
}
