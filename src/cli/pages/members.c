/* SPDX-License-Identifier: MIT
 *
 * The members of the JSON files, from the field tables.
 */
#include "pages.h"

#include "json_model.h"
#include "kinds.h"
#include "record_check.h"
#include "record_package.h"
#include "record_snapshot.h"
#include "wing.h"

#include <stdlib.h>

enum { MAX_TABLES = 100 };

/* The page's tables, in the order in which members refer to them. */
static const struct table *tables[MAX_TABLES];
static size_t table_count;

static void add_table(const struct table *table)
{
    for (size_t k = 0; k < table_count; k++)
        if (tables[k] == table)
            return;
    if (table_count == MAX_TABLES)
        abort();
    tables[table_count++] = table;
}

static void print_type(FILE *page, const struct field *field);

static void print_words(FILE *page, const struct words *words)
{
    for (unsigned int k = 0; k < words->count; k++)
        fprintf(page, "%s`%s`", k == 0 ? "" : ", ", words_name(words, k));
}

static void print_record(FILE *page, const struct table *table)
{
    add_table(table);
    fprintf(page, "[%s](#%s)", table->name, table->name);
}

static void print_bits(FILE *page, const struct bits_word *word)
{
    for (const char *comma = ""; *comma == '\0' || word[-1].bits != 0; word++, comma = ", ")
        fprintf(page, "%s`%s`", comma, word->word);
}

static void print_items(FILE *page, const struct field *field)
{
    if (field->type == FIELD_MAP && field->words != NULL) {
        fputs("object, by ", page);
        print_words(page, field->words);
        fputs(", of ", page);
    } else {
        fputs(field->type == FIELD_MAP ? "object, by name, of " : "list of ", page);
    }
    if (field->table != NULL)
        print_record(page, field->table);
    else
        print_type(page, field->item);
}

static void print_type(FILE *page, const struct field *field)
{
    switch (field->type) {
    case FIELD_BOOL:
    case FIELD_BIT:
        fputs("boolean", page);
        return;
    case FIELD_COUNT:
        fputs("integer", page);
        return;
    case FIELD_NUMBER:
        fputs(field->flags & FIELD_POSITIVE ? "number above 0" : "number", page);
        return;
    case FIELD_TEXT:
    case FIELD_STRING:
        fputs("text", page);
        return;
    case FIELD_WORD:
        print_words(page, field->words);
        return;
    case FIELD_BITS:
        print_bits(page, field->bits_words);
        return;
    case FIELD_SET:
        fputs("list of ", page);
        print_words(page, field->words);
        return;
    case FIELD_COUNTS32:
        fprintf(page, "%zu integers", field->size / sizeof(uint32_t));
        return;
    case FIELD_COUNTS64:
        fprintf(page, "%zu integers", field->size / sizeof(uint64_t));
        return;
    case FIELD_NUMBERS:
        fprintf(page, "%zu numbers", field->size / sizeof(double));
        return;
    case FIELD_OBJECT:
    case FIELD_MEMBERS:
    case FIELD_POINTER:
        print_record(page, field->table);
        return;
    case FIELD_LIST:
    case FIELD_MAP:
        print_items(page, field);
        return;
    case FIELD_ANY:
        fputs("any value", page);
        return;
    }
}

static const char *compare_rule(const struct field *field)
{
    switch (field->compare) {
    case COMPARE_KEY:
        return "part of the row's name";
    case COMPARE_CHANGED:
        return "a difference is a change";
    case COMPARE_MORE_IS_WORSE:
        return "more is worse";
    case COMPARE_LESS_IS_WORSE:
        return "less is worse";
    case COMPARE_LACK:
        return "says why the part is missing";
    case COMPARE_CLAIM:
        return "true is better";
    case COMPARE_NOTHING:
        break;
    }
    return "";
}

static void print_members(FILE *page, const struct table *table, bool always)
{
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        bool is_optional = !always || field->has != NULL || (field->flags & FIELD_OPTIONAL) ||
                           ((field->flags & FIELD_KNOWN) && !(field->flags & FIELD_NULLABLE));
        if (field->flags & (FIELD_ONLY_WIRE | FIELD_FROM_PLACE))
            continue;
        if (field->type == FIELD_MEMBERS) {
            print_members(page, field->table, !is_optional);
            continue;
        }
        fprintf(page, "| `%s` | ", field->name);
        print_type(page, field);
        fprintf(page, "%s%s | %s |\n", field->flags & FIELD_NULLABLE ? ", or null" : "",
                is_optional ? " (optional)" : "", compare_rule(field));
    }
}

void write_members(FILE *page)
{
    table_count = 0;
    add_table(&check_results_table);
    add_table(&run_row_table);
    add_table(&race_record_table);
    add_table(&counter_table);
    add_table(&snapshot_table);
    add_table(&package_table);
    for (const struct wing *const *wing = wings; *wing != NULL; wing++)
        for (const struct results_kind *kind = (*wing)->kinds; kind != NULL && kind->name != NULL;
             kind++)
            add_table(kind->table);
    for (size_t k = 0; k < table_count; k++) {
        fprintf(page, "%s### %s\n\n| member | value | compare |\n| --- | --- | --- |\n",
                k > 0 ? "\n" : "", tables[k]->name);
        print_members(page, tables[k], true);
    }
}
