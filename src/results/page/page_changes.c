/* SPDX-License-Identifier: MIT
 *
 * Sections of a page on everything but kernels: changes, environments and files.
 */
#include "difference.h"
#include "html.h"
#include "members.h"
#include "page.h"

/* ---- What has changed ---- */

/* Writes the rows of one kind of change. Kinds from CHANGE_FIX on are open, and the others are
 * folded. */
static void write_word(FILE *to, const json_t *difference, enum change change)
{
    const char *word = change_name(change);
    json_int_t count = number_in(json_object_get(difference, "counts"), word);
    json_t *head =
        json_pack("{s:s, s:I, s:b}", "word", word, "count", count, "open", change >= CHANGE_FIX);

    page_fill(to, head,
              "{?count}<details class=\"card\"{?open} open{/}><summary>{=word} "
              "<span class=\"soft\">{#count}</span></summary>\n<ul class=\"changes\">\n{/}");
    for (struct each k = {.rows = json_object_get(difference, "rows")}; each_next(&k);)
        if (count > 0 && page_is(k.row, "change", word))
            page_fill(to, k.row,
                      "<li><span class=\"soft\">{part}</span> <b>{row}</b>"
                      "{*details}<span class=\"detail\">{.}</span>{/}</li>\n");
    page_fill(to, head, "{?count}</ul></details>\n{/}");
    json_decref(head);
}

/* Writes how much faster or slower a whole machine has become. */
static void write_machine(FILE *to, json_t *machine)
{
    json_t *share;
    const char *engine;
    char text[128];

    json_object_foreach(machine, engine, share)
    {
        if (!machine_text(engine, json_number_value(share), text, sizeof text))
            continue;
        fputs("<p class=\"note\">Throughput of ", to);
        html_text(to, text);
        fputs(".</p>\n", to);
    }
}

void page_changes(FILE *to, const json_t *page)
{
    const json_t *difference = json_object_get(page, "difference");

    if (difference == NULL)
        return;
    page_fill(
        to, difference,
        "<p>From <code>{old}</code> to <code>{new}</code>. Unchanged rows: {#counts.SAME}."
        "</p>\n"
        "{!old_complete}<p class=\"note\"><code>{old}</code> is partial: the snapshot stopped "
        "early.</p>\n{/}"
        "{!new_complete}<p class=\"note\"><code>{new}</code> is partial: the snapshot stopped "
        "early.</p>\n{/}");
    write_machine(to, json_object_get(difference, "machine"));
    for (int change = CHANGES - 1; change >= 0; change--)
        if (change != CHANGE_SAME)
            write_word(to, difference, (enum change)change);
}

/* ---- Environments ---- */

static const struct page_column columns_changed[] = {
    PAGE_COLUMN("fact", struct fact_record, key),
    PAGE_COLUMN("before", struct fact_record, before),
    PAGE_COLUMN("after", struct fact_record, after),
    {.head = NULL},
};
static const struct page_table table_changed = {"What differs", "environment", &fact_table,
                                                columns_changed};

static const struct page_column columns_all[] = {
    PAGE_COLUMN("fact", struct fact_record, key),
    PAGE_COLUMN("value", struct fact_record, before),
    {.head = NULL},
};
static const struct page_table table_all = {"Environment", "facts", &fact_table, columns_all};

/* Adds the facts of an environment to an array. A fact within an object or array has a path as its
 * name, such as "gpus.0.name". */
static void add_facts(json_t *facts, const char *path, json_t *value)
{
    const char *name;
    json_t *member, *inner;
    size_t k;

    if (json_is_object(value)) {
        json_object_foreach(value, name, member)
        {
            inner = json_sprintf("%s%s%s", path, path[0] != '\0' ? "." : "", name);
            add_facts(facts, json_string_value(inner), member);
            json_decref(inner);
        }
    } else if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        json_array_foreach(value, k, member)
        {
            inner = json_sprintf("%s.%zu", path, k);
            add_facts(facts, json_string_value(inner), member);
            json_decref(inner);
        }
    } else {
        json_array_append_new(facts, json_pack("{s:s, s:O}", "key", path, "old", value));
    }
}

void page_environment(FILE *to, const json_t *page)
{
    const json_t *difference = json_object_get(page, "difference");
    json_t *environment = json_object_get(page, "environment"), *all = json_pack("{s:[]}", "facts");

    if (json_array_size(json_object_get(difference, "environment")) > 0)
        page_table(to, &table_changed, difference);
    else if (difference != NULL)
        fputs("<p>Environment and options are the same before and after.</p>\n", to);
    if (environment != NULL) {
        add_facts(json_object_get(all, "facts"), "", environment);
        page_fill(to, page,
                  "<details class=\"card\"{!difference} open{/}><summary>All facts"
                  "{?difference} of the newer snapshot{/}</summary>\n");
        page_table(to, &table_all, all);
        fputs("</details>\n", to);
    }
    json_decref(all);
}

/* ---- Files ---- */

const char page_files[] = "<ul class=\"plain\">\n"
                          "{*files}<li><code>{path}</code>: {kind}{?note}, {note}{/}</li>\n{/}"
                          "</ul>\n";
