/* SPDX-License-Identifier: MIT
 *
 * Sections of a page: what has changed between two snapshots, environments, and the files.
 */
#include "difference_rates.h"
#include "html.h"
#include "members.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- What has changed ---- */

static bool has_changes(const struct page *page)
{
    return page->difference != NULL;
}

static void write_row(FILE *to, const json_t *row)
{
    json_t *detail;
    size_t d;

    html(to, "<li><span class=\"part\">%s</span> <b>%s</b>", text_in(row, "part"),
         text_in(row, "row"));
    json_array_foreach(json_object_get(row, "details"), d, detail)
    {
        html(to, "<span class=\"detail\">%s</span>", json_string_value(detail));
    }
    html(to, "</li>\n");
}

/* The rows of one word. What is worse is open, the rest folded. */
static void write_word(FILE *to, const struct page *page, enum change change)
{
    const char *word = change_name(change);
    json_int_t count = number_in(json_object_get(page->difference, "counts"), word);
    json_t *row;
    size_t r;

    if (count == 0 || change == CHANGE_SAME)
        return;
    html(to, "<details class=\"card\"%s><summary>", change >= CHANGE_FIX ? " open" : "");
    page_verdict(to, word);
    html(to, " <span class=\"count\">%lld</span></summary>\n<ul class=\"changes\">\n", count);
    json_array_foreach(json_object_get(page->difference, "rows"), r, row)
    {
        if (strcmp(text_in(row, "change"), word) == 0)
            write_row(to, row);
    }
    html(to, "</ul></details>\n");
}

static void write_partial(FILE *to, const struct page *page, const char *name, const char *complete)
{
    if (!json_is_true(json_object_get(page->difference, complete)))
        html(to,
             "<p class=\"note\"><code>%s</code> is partial: its snapshot was ended before all was "
             "in it.</p>\n",
             text_in(page->difference, name));
}

/* What is none of the rows'. */
static void write_machine(FILE *to, json_t *machine)
{
    json_t *share;
    const char *engine;
    char text[128];

    json_object_foreach(machine, engine, share)
    {
        if (rates_machine_tells(engine, json_number_value(share), text, sizeof text))
            html(to, "<p class=\"note\">Rates of %s.</p>\n", text);
    }
}

static void write_changes(FILE *to, const struct page *page)
{
    html(to, "<p>From <code>%s</code> to <code>%s</code>. The same: %lld rows.</p>\n",
         text_in(page->difference, "old"), text_in(page->difference, "new"),
         number_in(json_object_get(page->difference, "counts"), change_name(CHANGE_SAME)));
    write_partial(to, page, "old", "old_complete");
    write_partial(to, page, "new", "new_complete");
    write_machine(to, json_object_get(page->difference, "machine"));
    for (int change = CHANGES - 1; change >= 0; change--)
        write_word(to, page, (enum change)change);
}

const struct page_section page_changes = {"changes", "What changed", has_changes, write_changes};

/* ---- Environments ---- */

static bool has_environment(const struct page *page)
{
    return page->environment != NULL || page->difference != NULL;
}

/* A fact in words: texts as they are, several with commas between. */
static void write_fact(FILE *to, json_t *value)
{
    char *text;
    json_t *item;
    size_t k;

    if (json_is_string(value)) {
        html(to, "%s", json_string_value(value));
    } else if (json_is_null(value)) {
        html(to, "–");
    } else if (json_is_array(value)) {
        json_array_foreach(value, k, item)
        {
            html(to, k > 0 ? ", " : "");
            write_fact(to, item);
        }
    } else {
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        html(to, "%s", text);
        free(text);
    }
}

/* As a cell of a table. */
static void write_value(FILE *to, json_t *value)
{
    html(to, "<td>");
    write_fact(to, value);
    html(to, "</td>");
}

/* What differs, of a comparison. */
static void write_facts_changed(FILE *to, const json_t *facts)
{
    json_t *fact;
    size_t f;

    if (json_array_size(facts) == 0) {
        html(to, "<p>Environment and options are the same before and after.</p>\n");
        return;
    }
    html(to,
         "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Changed environment\">"
         "<table class=\"facts\"><caption>What differs</caption><thead><tr><th "
         "scope=\"col\">fact</th>"
         "<th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead><tbody>\n");
    json_array_foreach(facts, f, fact)
    {
        html(to, "<tr><th scope=\"row\">%s</th>", text_in(fact, "key"));
        write_value(to, json_object_get(fact, "old"));
        write_value(to, json_object_get(fact, "new"));
        html(to, "</tr>\n");
    }
    html(to, "</tbody></table></div>\n");
}

/* The facts of an environment, those within objects and arrays by their paths: "gpus.0.name". */
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
        html(to, "<tr><th scope=\"row\">%s</th>", prefix);
        write_value(to, value);
        html(to, "</tr>\n");
    }
}

static void write_environment(FILE *to, const struct page *page)
{
    if (page->difference != NULL)
        write_facts_changed(to, json_object_get(page->difference, "environment"));
    if (page->environment == NULL)
        return;
    html(to,
         "<details class=\"card\"%s><summary>All facts%s</summary>\n"
         "<table class=\"facts\"><caption>Environment</caption><thead><tr><th "
         "scope=\"col\">fact</th>"
         "<th scope=\"col\">value</th></tr></thead><tbody>\n",
         page->difference == NULL ? " open" : "",
         page->difference != NULL ? " of the newer snapshot" : "");
    write_facts(to, "", page->environment);
    html(to, "</tbody></table></details>\n");
}

const struct page_section page_environment = {"environment", "Environment", has_environment,
                                              write_environment};

/* ---- Files ---- */

static bool has_files(const struct page *page)
{
    return json_array_size(page->files) > 0;
}

static void write_files(FILE *to, const struct page *page)
{
    json_t *file;
    size_t f;

    html(to, "<ul class=\"plain\">\n");
    json_array_foreach(page->files, f, file)
    {
        html(to, "<li><code>%s</code>: %s%s%s</li>\n", text_in(file, "path"), text_in(file, "kind"),
             text_in(file, "note")[0] != '\0' ? ", " : "", text_in(file, "note"));
    }
    html(to, "</ul>\n");
}

const struct page_section page_files = {"files", "Files", has_files, write_files};
