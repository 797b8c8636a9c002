/* SPDX-License-Identifier: MIT
 *
 * Sections of a page on everything but kernels: changes, environments and files.
 */
#include "difference.h"
#include "html.h"
#include "members.h"
#include "page.h"

#include <stdlib.h>

/* ---- What has changed ---- */

/* Writes the rows of one kind of change. Kinds from CHANGE_FIX on are open, and the others are
 * folded. */
static void write_word(FILE *to, const json_t *difference, enum change change)
{
    const char *word = change_name(change);
    json_t *head = json_pack("{s:s, s:I}", "word", word, "count",
                             number_in(json_object_get(difference, "counts"), word));

    if (number_in(head, "count") > 0) {
        html(to, "<details class=\"card\"%s>", change >= CHANGE_FIX ? " open" : "");
        page_fill(to, head,
                  "<summary>{=word} <span class=\"soft\">{#count}</span></summary>\n"
                  "<ul class=\"changes\">\n");
        for (struct each k = {.rows = json_object_get(difference, "rows")}; each_next(&k);)
            if (page_is(k.row, "change", word))
                page_fill(to, k.row,
                          "<li><span class=\"soft\">{part}</span> <b>{row}</b>"
                          "{*details}<span class=\"detail\">{.}</span>{/}</li>\n");
        html(to, "</ul></details>\n");
    }
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
        if (machine_text(engine, json_number_value(share), text, sizeof text))
            html(to, "<p class=\"note\">Throughput of %s.</p>\n", text);
    }
}

/* Writes that a snapshot is incomplete. Only a literal `true` marks it as complete. */
static void write_partial(FILE *to, const json_t *difference, const char *member, const char *name)
{
    if (!json_is_true(json_object_get(difference, member)))
        html(to, "<p class=\"note\"><code>%s</code> is partial: the snapshot stopped early.</p>\n",
             text_in(difference, name));
}

void page_changes(FILE *to, const struct page *page)
{
    const json_t *difference = page->difference;

    if (difference == NULL)
        return;
    page_fill(
        to, difference,
        "<p>From <code>{old}</code> to <code>{new}</code>. Unchanged rows: {#counts.SAME}.</p>\n");
    write_partial(to, difference, "old_complete", "old");
    write_partial(to, difference, "new_complete", "new");
    write_machine(to, json_object_get(difference, "machine"));
    for (int change = CHANGES - 1; change >= 0; change--)
        if (change != CHANGE_SAME)
            write_word(to, difference, (enum change)change);
}

/* ---- Environments ---- */

/* Writes a fact as text. Several values are separated by commas. */
static void write_fact(FILE *to, const json_t *value)
{
    if (json_is_string(value)) {
        html(to, "%s", json_string_value(value));
    } else if (json_is_null(value)) {
        html(to, "–");
    } else if (json_is_array(value)) {
        for (struct each k = {.rows = value}; each_next(&k);) {
            html(to, k.next > 1 ? ", " : "");
            write_fact(to, k.row);
        }
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        html(to, "%s", text);
        free(text);
    }
}

static void write_facts_row(FILE *to, const char *key, const json_t *one, const json_t *other)
{
    html(to, "<tr><th scope=\"row\">%s</th><td>", key);
    write_fact(to, one);
    if (other != NULL) {
        html(to, "</td><td>");
        write_fact(to, other);
    }
    html(to, "</td></tr>\n");
}

/* Writes the differences between two environments. */
static void write_facts_changed(FILE *to, const json_t *facts)
{
    if (json_array_size(facts) == 0) {
        html(to, "<p>Environment and options are the same before and after.</p>\n");
        return;
    }
    page_table(to, "What differs", (const char *const[]){"fact", "before", "after", NULL});
    for (struct each k = {.rows = facts}; each_next(&k);)
        write_facts_row(to, text_in(k.row, "key"), json_object_get(k.row, "old"),
                        json_object_get(k.row, "new"));
    page_table_end(to);
}

/* Writes the facts of an environment. A fact within an object or array has a path as its name, such
 * as "gpus.0.name". */
static void write_facts(FILE *to, const char *prefix, json_t *value)
{
    char key[256];
    const char *name;
    json_t *member;
    size_t k;

    if (json_is_object(value)) {
        json_object_foreach(value, name, member)
        {
            snprintf(key, sizeof key, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", name);
            write_facts(to, key, member);
        }
    } else if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        json_array_foreach(value, k, member)
        {
            snprintf(key, sizeof key, "%s.%zu", prefix, k);
            write_facts(to, key, member);
        }
    } else {
        write_facts_row(to, prefix, value, NULL);
    }
}

void page_environment(FILE *to, const struct page *page)
{
    bool changed = page->difference != NULL;

    if (changed)
        write_facts_changed(to, json_object_get(page->difference, "environment"));
    if (page->environment == NULL)
        return;
    html(to, "<details class=\"card\"%s><summary>All facts%s</summary>\n", changed ? "" : " open",
         changed ? " of the newer snapshot" : "");
    page_table(to, "Environment", (const char *const[]){"fact", "value", NULL});
    write_facts(to, "", page->environment);
    page_table_end(to);
    html(to, "</details>\n");
}

/* ---- Files ---- */

void page_files(FILE *to, const struct page *page)
{
    page_fill(to, page->files,
              "<ul class=\"plain\">\n"
              "{*.}<li><code>{path}</code>: {kind}{?note}, {note}{/}</li>\n{/}</ul>\n");
}
