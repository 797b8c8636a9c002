/* SPDX-License-Identifier: MIT
 *
 * Helpers that the sections of a page share: rows, verdicts, templates, tables, source lines and
 * accesses.
 */
#include "html.h"
#include "installation.h"
#include "members.h"
#include "page.h"
#include "record_snapshot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Rows ---- */

bool each_next(struct each *each)
{
    each->row = json_array_get(each->rows, each->next++);
    return each->row != NULL;
}

size_t page_count(const json_t *rows, page_test *is)
{
    size_t count = 0;

    for (struct each k = {.rows = rows}; each_next(&k);)
        count += is(k.row);
    return count;
}

size_t page_count_class(const json_t *rows, const char *class)
{
    size_t count = 0;

    for (struct each k = {.rows = rows}; each_next(&k);)
        count += strcmp(page_class(text_in(k.row, "verdict")), class) == 0;
    return count;
}

bool page_is(const json_t *row, const char *member, const char *text)
{
    return strcmp(text_in(row, member), text) == 0;
}

bool page_is_alike(const json_t *a, const json_t *b, const char *member)
{
    return page_is(a, member, text_in(b, member));
}

/* ---- Verdicts ---- */

struct sign {
    const char *class, *mark;
};

static const struct sign good = {"good", "✓"}, domain = {"domain", "◐"},
                         known_defect = {"known_defect", "!"}, bad = {"bad", "✗"},
                         none = {"none", "–"}, unknown = {"bad", "?"};

static const struct sign *const run_signs[VERDICTS] = {
    [VERDICT_CONFORMS] = &good,
    [VERDICT_CONFORMS_IN_DOMAIN] = &domain,
    [VERDICT_KNOWN_DEFECT] = &known_defect,
    [VERDICT_MISMATCH] = &bad,
    [VERDICT_FAULT] = &bad,
    [VERDICT_UNSUPPORTED] = &unknown,
    [VERDICT_SKIPPED] = &none,
    [VERDICT_PARTIAL] = &unknown,
};

static const struct sign *const race_signs[RACE_VERDICTS] = {
    [RACE_FREE] = &good, [RACE] = &known_defect,         [ORDER_DEPENDENT] = &known_defect,
    [RACE_WRONG] = &bad, [RACE_OF_SAME] = &known_defect, [RACE_UNSUPPORTED] = &unknown,
    [RACE_FAULT] = &bad, [RACE_SKIPPED] = &none,
};

static const struct sign change_signs[CHANGES] = {
    [CHANGE_SAME] = {"bad", "?"},    [CHANGE_CHANGED] = {"known_defect", "~"},
    [CHANGE_NEW] = {"domain", "+"},  [CHANGE_FIX] = {"good", "✓"},
    [CHANGE_MISSING] = {"bad", "?"}, [CHANGE_REGRESSION] = {"bad", "✗"},
};

static const struct sign *sign_of(const char *word)
{
    unsigned int verdict = words_value(&verdict_words, word),
                 race = words_value(&race_verdict_words, word);

    if (word[0] == '\0')
        return &none;
    if (verdict < VERDICTS)
        return run_signs[verdict];
    if (race < RACE_VERDICTS)
        return race_signs[race];
    for (int change = 0; change < CHANGES; change++)
        if (strcmp(change_name((enum change)change), word) == 0)
            return &change_signs[change];
    return &unknown;
}

const char *page_class(const char *verdict)
{
    return sign_of(verdict)->class;
}

const char *page_mark(const char *verdict)
{
    return sign_of(verdict)->mark;
}

/* ---- Markup ---- */

/* Returns the member that a path names, or null. */
static const json_t *member_of(const json_t *row, const char *path, size_t length)
{
    char steps[64], *rest = steps;

    snprintf(steps, sizeof steps, "%.*s", (int)length, path);
    while (rest != NULL && strcmp(steps, ".") != 0) {
        const char *step = strsep(&rest, ".");
        row = json_is_array(row) ? json_array_get(row, strtoul(step, NULL, 10))
                                 : json_object_get(row, step);
    }
    return row;
}

static bool is_some(const json_t *value)
{
    return json_is_true(value) || json_integer_value(value) > 0 || json_array_size(value) > 0 ||
           json_is_object(value) || json_string_length(value) > 0;
}

static void fill_value(FILE *to, char kind, const json_t *value)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";

    if (kind == '#')
        html(to, "%lld", json_integer_value(value));
    else if (kind == '=')
        html(to, "<span class=\"sign %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
             page_class(text), page_mark(text), text);
    else
        html(to, "%s", text);
}

/* Fills markup up to its end, or up to the {/} that ends a part. Returns the rest. If the stream is
 * null, it only skips. */
static const char *fill(FILE *to, const json_t *row, const char *markup)
{
    for (;;) {
        size_t length = strcspn(markup, "{");
        char kind = markup[length] == '{' ? markup[length + 1] : '\0';
        const char *name = markup + length + 1 + (kind != '\0' && strchr("#=?!*", kind) != NULL);
        size_t named = strcspn(name, "}");
        const json_t *value;

        if (to != NULL)
            fwrite(markup, 1, length, to);
        if (kind == '\0')
            return markup + length;
        markup = name + named + 1;
        if (kind == '/')
            return markup;
        value = member_of(row, name, named);
        if (kind == '*') {
            for (struct each k = {.rows = value}; to != NULL && each_next(&k);)
                fill(to, k.row, markup);
            markup = fill(NULL, NULL, markup);
        } else if (kind == '?' || kind == '!') {
            markup = fill(is_some(value) == (kind == '?') ? to : NULL, row, markup);
        } else if (to != NULL) {
            fill_value(to, kind, value);
        }
    }
}

void page_fill(FILE *to, const json_t *row, const char *markup)
{
    fill(to, row, markup);
}

void page_table(FILE *to, const char *caption, const char *const heads[])
{
    html(to,
         "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>"
         "<caption>%s</caption><thead><tr>",
         caption, caption);
    for (; *heads != NULL; heads++)
        html(to, "<th scope=\"col\">%s</th>", *heads);
    html(to, "</tr></thead><tbody>\n");
}

void page_table_end(FILE *to)
{
    html(to, "</tbody></table></div>\n");
}

/* ---- Lines of source ---- */

enum { LINES_AROUND = 2, LINES_SHOWN = 2 * LINES_AROUND + 1, LONGEST_SOURCE = 1 << 20 };

/* Returns whether the path is source code. A file of results may name any file, and only source
 * code is shown. */
static bool is_source(const char *path)
{
    static const char *const ends[] = {".cu", ".cuh", ".h", ".c"};
    const char *dot = strrchr(path, '.');
    bool is = false;

    for (size_t k = 0; dot != NULL && k < sizeof ends / sizeof *ends; k++)
        is = is || strcmp(dot, ends[k]) == 0;
    return is;
}

/* Opens a file within a folder. Returns null if it is elsewhere or if its path is too long. */
static FILE *open_within(const char *folder, const char *file)
{
    char path[PATH_MAX], root[PATH_MAX], target[PATH_MAX];
    struct stat status;
    size_t length;

    if (snprintf(path, sizeof path, "%s%s%s", file[0] == '/' ? "" : folder,
                 file[0] == '/' ? "" : "/", file) >= (int)sizeof path ||
        realpath(folder, root) == NULL || realpath(path, target) == NULL)
        return NULL;
    length = strlen(root);
    if (strncmp(target, root, length) != 0 || (target[length] != '/' && length > 1) ||
        !is_source(target) || stat(target, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > LONGEST_SOURCE)
        return NULL;
    return fopen(target, "r");
}

static FILE *open_source(const char *file)
{
    char kernels[PATH_MAX];
    FILE *from = NULL;

    installation_data("kernels", kernels, sizeof kernels);
    if (strchr(kernels, '/') != NULL && strncmp(file, "kernels/", 8) == 0)
        from = open_within(kernels, file + 8);
    return from == NULL && file[0] != '\0' ? open_within(".", file) : from;
}

/* Reads lines, starting with number `first`, and returns how many. The caller owns each. */
static int read_lines(FILE *from, json_int_t first, char *lines[LINES_SHOWN])
{
    char *text = NULL;
    size_t room = 0;
    int count = 0;

    for (json_int_t k = 1; count < LINES_SHOWN && getline(&text, &room, from) >= 0; k++) {
        if (k < first)
            continue;
        text[strcspn(text, "\r\n")] = '\0';
        lines[count++] = text;
        text = NULL;
        room = 0;
    }
    free(text);
    return count;
}

/* Writes the lines around that line without their common indentation. Returns false if the file has
 * no such line. */
static bool write_lines(FILE *to, FILE *from, json_int_t line)
{
    json_int_t first = line > LINES_AROUND ? line - LINES_AROUND : 1;
    char *lines[LINES_SHOWN];
    int count = read_lines(from, first, lines);
    size_t blank = SIZE_MAX;

    for (int k = 0; k < count; k++) {
        size_t own = strspn(lines[k], " \t");
        if (lines[k][own] != '\0' && own < blank)
            blank = own;
    }
    for (int k = 0; k < count; k++) {
        html(to, first + k == line ? "<mark><i>%lld</i> %s</mark>" : "<i>%lld</i> %s\n", first + k,
             strlen(lines[k]) < blank ? "" : lines[k] + blank);
        free(lines[k]);
    }
    return first + count > line;
}

void page_code(FILE *to, const char *file, json_int_t line)
{
    FILE *from = line > 0 && line < LONGEST_SOURCE ? open_source(file) : NULL;

    html(to, "<p class=\"where\"><code>%s:%lld</code></p>\n", file, line);
    if (from == NULL)
        return;
    html(to, "<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"%s, line %lld\">",
         file, line);
    if (!write_lines(to, from, line))
        html(to, "This version of the file has no such line.");
    html(to, "</pre>\n");
    fclose(from);
}

/* ---- Accesses ---- */

/* Writes the values of an access as 32-bit numbers. */
static void write_values(FILE *to, const json_t *side)
{
    const json_t *before = json_object_get(side, "old"), *after = json_object_get(side, "new"),
                 *value = json_object_get(side, "value");

    if (before != NULL && after != NULL)
        html(to, ", %d to %d", (int)json_integer_value(before), (int)json_integer_value(after));
    else if (after != NULL || value != NULL)
        html(to, ", %d", (int)json_integer_value(after != NULL ? after : value));
}

static void write_side(FILE *to, const json_t *side, const char *lead)
{
    html(to, "<div class=\"side\"><p><b>%s</b>", lead);
    page_fill(to, side,
              " thread ({#thread.0},{#thread.1},{#thread.2}) of block "
              "({#block.0},{#block.1},{#block.2}){?grid} of grid {#grid}{/} ");
    if (page_is(side, "access", "atomic"))
        page_fill(to, side, "<b>updates</b> it atomically with {scope} scope");
    else
        page_fill(to, side,
                  page_is(side, "access", "write") ? "<b>writes</b> it{?volatile} (volatile){/}"
                                                   : "<b>reads</b> it{?volatile} (volatile){/}");
    write_values(to, side);
    page_fill(to, side, ", in <code>{kernel}</code></p>\n");
    page_code(to, text_in(side, "file"), number_in(side, "line"));
    page_fill(to, side,
              "{?inlined_at}<p class=\"where\">inlined at <code>{inlined_at}</code></p>\n{/}"
              "</div>\n");
}

void page_pair(FILE *to, const json_t *pair)
{
    page_fill(to, pair, "<div class=\"pair\"><p><b>{place}</b></p>\n<div class=\"sides\">\n");
    write_side(to, json_object_get(pair, "first"), "first");
    write_side(to, json_object_get(pair, "second"), "then");
    page_fill(to, pair,
              "</div>\n<p class=\"soft\">{missing}{?strong}; both are strong: no race, but their "
              "order may matter{/}</p></div>\n");
}

/* ---- Cases ---- */

void page_replay(FILE *to, const char *case_id)
{
    if (case_id[0] != '\0')
        html(to,
             "<pre class=\"command\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"Command\">simtcheck replay %s</pre>\n",
             case_id);
}

void page_outcome(FILE *to, const json_t *counterexample)
{
    if (json_object_get(counterexample, "fault") != NULL)
        page_fill(to, counterexample, "<b>{fault.kind}</b>: {fault.text}");
    else if (json_object_get(counterexample, "expected") != NULL)
        page_fill(to, counterexample,
                  "<code>{place}</code>: expected <code>{expected}</code>, got <code>{got}</code>");
    else
        page_fill(to, counterexample, "{outcome}");
}
