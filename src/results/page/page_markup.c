/* SPDX-License-Identifier: MIT
 *
 * What the sections of a page share: rows, verdicts, markup and tables.
 */
#include "error_report.h"
#include "exit_status.h"
#include "members.h"
#include "page.h"
#include "record_snapshot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
        count += is == NULL || is(k.row);
    return count;
}

bool page_is(const json_t *row, const char *member, const char *text)
{
    return strcmp(text_in(row, member), text) == 0;
}

json_t *page_groups(const json_t *rows, const char *markup)
{
    json_t *groups = json_array(), *by_text = json_object(), *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        char *text = page_text(NULL, markup, row);
        json_t *group = json_object_get(by_text, text);
        if (group == NULL) {
            group = json_array();
            json_array_append_new(groups, group);
            json_object_set(by_text, text, group);
        }
        json_array_append(group, row);
        free(text);
    }
    json_decref(by_text);
    return groups;
}

void page_note(json_t *page, const char *list, const char *format, ...)
{
    va_list arguments;
    json_t *text;

    va_start(arguments, format);
    text = json_vsprintf(format, arguments);
    va_end(arguments);
    json_array_append_new(json_object_get(page, list),
                          text != NULL ? text : json_string(PAGE_NO_NAME));
}

void page_note_code(json_t *page, const json_t *code, const char *path)
{
    for (struct each k = {.rows = json_object_get(code, "failures")}; each_next(&k);)
        page_note(page, "wrongs", "%s: ptxas %s rejects %s: %s", path, text_in(k.row, "ptxas"),
                  text_in(k.row, "module"), text_in(k.row, "reason"));
}

/* ---- Verdicts ---- */

/* How verdicts and changes are shown: by a class of page.css, and without color by a mark. Bit k of
 * the others stands for value k of enum verdict, enum race_verdict and enum change. */
struct sign {
    const char *class, *mark;
    unsigned int verdicts, races, changes;
};

static const struct sign signs[] = {
    {"good", "✓", 1u << VERDICT_CONFORMS, 1u << RACE_FREE, 1u << CHANGE_FIX},
    {"domain", "◐", 1u << VERDICT_CONFORMS_IN_DOMAIN, 0, 0},
    {"domain", "+", 0, 0, 1u << CHANGE_NEW},
    {"known_defect", "!", 1u << VERDICT_KNOWN_DEFECT,
     1u << RACE | 1u << ORDER_DEPENDENT | 1u << RACE_OF_SAME, 0},
    {"known_defect", "~", 0, 0, 1u << CHANGE_CHANGED},
    {"bad", "✗", 1u << VERDICT_MISMATCH | 1u << VERDICT_FAULT, 1u << RACE_WRONG | 1u << RACE_FAULT,
     1u << CHANGE_REGRESSION},
    {"none", "–", 1u << VERDICT_SKIPPED | 1u << VERDICT_UNSUPPORTED,
     1u << RACE_SKIPPED | 1u << RACE_UNSUPPORTED, 0},
    {"bad", "?", 0, 0, 0}, /* any other, and an unknown word */
};

static const struct sign *sign_of(const char *word)
{
    unsigned int verdict = 1u << words_value(&verdict_words, word),
                 race = 1u << words_value(&race_verdict_words, word),
                 change = 1u << words_value(&change_words, word);
    const struct sign *sign = signs;

    while (sign->mark[0] != '?' && !(sign->verdicts & verdict) && !(sign->races & race) &&
           !(sign->changes & change))
        sign++;
    return sign;
}

void page_add_sign(json_t *row)
{
    const json_t *verdict = json_object_get(row, "verdict");

    if (!json_is_string(verdict))
        return;
    json_object_set_new(row, "class", json_string(sign_of(json_string_value(verdict))->class));
    json_object_set_new(row, "mark", json_string(sign_of(json_string_value(verdict))->mark));
}

/* ---- Markup ---- */

/* Returns the member that a path names, or null. */
static json_t *member_of(const json_t *row, const char *path, size_t length)
{
    char steps[64], *rest = steps;

    snprintf(steps, sizeof steps, "%.*s", (int)length, path);
    while (rest != NULL && strcmp(steps, ".") != 0) {
        const char *step = strsep(&rest, ".");
        row = json_is_array(row) ? json_array_get(row, strtoul(step, NULL, 10))
                                 : json_object_get(row, step);
    }
    return (json_t *)(uintptr_t)row;
}

static bool is_some(const json_t *value)
{
    return json_is_true(value) || json_integer_value(value) > 0 || json_array_size(value) > 0 ||
           json_is_object(value) || json_string_length(value) > 0;
}

/* Returns whether a condition "name" or "name=word" holds. */
static bool holds(const json_t *row, const char *condition, size_t length)
{
    size_t name = strcspn(condition, "=:}");
    const json_t *value = member_of(row, condition, name);
    const char *text = json_string_value(value), *word = condition + name + 1;

    if (name == length)
        return is_some(value);
    length -= name + 1;
    return json_is_integer(value)
               ? json_integer_value(value) == atoll(word)
               : text != NULL && strlen(text) == length && memcmp(text, word, length) == 0;
}

json_t *page_value(const json_t *row, const char *name)
{
    size_t length = strcspn(name, ":}"), k;
    json_t *value = json_incref(member_of(row, name, length)), *item;

    for (name += length; *name == ':'; name += length) {
        json_t *all = value;
        length = strcspn(++name, ":}");
        value = json_array();
        json_array_foreach(all, k, item)
        {
            if (name[0] == '<'   ? k < strtoul(name + 1, NULL, 10)
                : name[0] == '>' ? k >= strtoul(name + 1, NULL, 10)
                                 : holds(item, name, length))
                json_array_append(value, item);
        }
        json_decref(all);
    }
    return value;
}

static void put_value(FILE *to, char kind, const json_t *value)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";

    if (kind == '#') {
        fprintf(to, "%lld",
                json_is_array(value) ? (json_int_t)json_array_size(value)
                                     : json_integer_value(value));
    } else if (kind == '~') {
        fputs(json_integer_value(value) == 1 ? "" : "s", to);
    } else if (kind == '=') {
        fprintf(to, "<span class=\"sign %s\"><span aria-hidden=\"true\">%s</span> ",
                sign_of(text)->class, sign_of(text)->mark);
        html_text(to, text);
        fputs("</span>", to);
    } else if (kind == '-') {
        fputs(text, to);
    } else {
        html_text(to, text);
    }
}

static void put_part(FILE *to, const struct page_part *part, const char *name, const json_t *row)
{
    size_t length = strcspn(name, "}");

    while (part != NULL && part->name != NULL &&
           (strlen(part->name) != length || memcmp(part->name, name, length) != 0))
        part++;
    if (part == NULL || part->name == NULL)
        abort(); /* no part of the list: a bug in this program */
    if (part->write != NULL)
        part->write(to, row);
    else
        page_table(to, part, row);
}

/* Fills markup up to its end, or up to the {/} that ends a part. Returns the rest. If the stream is
 * null, it only skips. `k` is the index of the item that the row is. */
static const char *fill(FILE *to, const struct page_part *parts, const char *markup,
                        const json_t *row, size_t k)
{
    for (;;) {
        size_t length = strcspn(markup, "{");
        char kind = markup[length] == '{' ? markup[length + 1] : '\0';
        const char *name = markup + length + 1 + (kind != '\0' && strchr("#~=-?!*@", kind) != NULL);
        json_t *value;

        if (to != NULL)
            fwrite(markup, 1, length, to);
        if (kind == '\0')
            return markup + length;
        markup = strchr(name, '}') + 1;
        if (kind == '/')
            return markup;
        value = to != NULL ? page_value(row, name) : NULL;
        if (kind == '?' || kind == '!') {
            bool is = name[strcspn(name, "=:}")] == '=' ? holds(row, name, strcspn(name, "}"))
                                                        : is_some(value);
            markup = fill(is == (kind == '?') ? to : NULL, parts, markup, row, k);
        } else if (kind == '*') {
            for (struct each item = {.rows = value}; each_next(&item);)
                fill(to, parts, markup, item.row, item.next - 1);
            markup = fill(json_is_object(value) ? to : NULL, parts, markup, value, 0);
        } else if (to != NULL && kind == '@') {
            put_part(to, parts, name, row);
        } else if (to != NULL && kind == ',') {
            fputs(k > 0 ? ", " : "", to);
        } else if (to != NULL) {
            put_value(to, kind, value);
        }
        json_decref(value);
    }
}

void page_fill(FILE *to, const struct page_part *parts, const char *markup, const json_t *row)
{
    fill(to, parts, markup, row, 0);
}

char *page_text(const struct page_part *parts, const char *markup, const json_t *row)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to != NULL)
        page_fill(to, parts, markup, row);
    if (to == NULL || fclose(to) != 0) {
        error_report("out of memory");
        exit(EXIT_ENVIRONMENT);
    }
    return text;
}

/* ---- Tables ---- */

/* Writes a value as text. Several values are separated by commas. */
static void put_any(FILE *to, const json_t *value)
{
    if (json_is_string(value)) {
        html_text(to, json_string_value(value));
    } else if (json_is_null(value)) {
        fputs("–", to);
    } else if (json_is_array(value)) {
        for (struct each k = {.rows = value}; each_next(&k);) {
            fputs(k.next > 1 ? ", " : "", to);
            put_any(to, k.row);
        }
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        html_text(to, text);
        free(text);
    }
}

static bool is_number(const struct field *field)
{
    return field->type == FIELD_COUNT || field->type == FIELD_NUMBER;
}

static void put_cell(FILE *to, const struct page_part *table, const struct page_column *column,
                     const json_t *row)
{
    const struct field *field = table_field(table->fields, column->member);
    const json_t *value = model_member(field, row);
    bool is_first = column == table->columns;

    fputs(is_first                                        ? "<th scope=\"row\">"
          : !is_number(field)                             ? "<td>"
          : column->is_bad != NULL && column->is_bad(row) ? "<td class=\"number bad\">"
                                                          : "<td class=\"number\">",
          to);
    if (column->markup != NULL)
        page_fill(to, NULL, column->markup, row);
    else if (column->write != NULL)
        column->write(to, row);
    else if (field->type == FIELD_NUMBER)
        fprintf(to, "%.3f", json_number_value(value));
    else
        put_any(to, value);
    fputs(is_first ? "</th>" : "</td>", to);
}

void page_table(FILE *to, const struct page_part *table, const json_t *row)
{
    char *caption = page_text(NULL, table->caption, row);
    json_t *rows = page_value(row, table->rows);

    fprintf(to,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>"
            "<caption>%s</caption><thead><tr>",
            caption, caption);
    for (const struct page_column *column = table->columns; column->head != NULL; column++)
        fprintf(to, "<th scope=\"col\">%s</th>", column->head);
    fputs("</tr></thead><tbody>\n", to);
    for (struct each k = {.rows = rows}; each_next(&k);) {
        fputs("<tr>", to);
        for (const struct page_column *column = table->columns; column->head != NULL; column++)
            put_cell(to, table, column, k.row);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
    json_decref(rows);
    free(caption);
}
