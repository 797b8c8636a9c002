/* SPDX-License-Identifier: MIT
 *
 * The generated sections of docs/reference.md, docs/engines.md and docs/capabilities.md.
 */
#include "capability.h"
#include "help.h"
#include "json_model.h"
#include "kinds.h"
#include "outcome.h"
#include "pages.h"
#include "record_check.h"
#include "record_package.h"
#include "verdict_words.h"
#include "wing.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

/* Writes text for a cell of a table: in one line, with bars escaped. */
static void write_cell(FILE *page, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '|')
            fputs("\\|", page);
        else
            fputc(*text == '\n' ? ' ' : *text, page);
}

static void write_row(FILE *page, const char *name, const char *text)
{
    fprintf(page, "| `%s` | ", name);
    write_cell(page, text);
    fputs(" |\n", page);
}

/* ---- Commands ---- */

static void write_command(FILE *page, const struct command *command)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;
    char name[HELP_NAME], meaning[HELP_MEANING];

    fprintf(page, "\n### %s\n\n`simtcheck ", command->name);
    help_write_usage(page, command);
    fprintf(page, "`\n\n%c%s.%s%s\n\n    $ ", command->summary[0] - 'a' + 'A', command->summary + 1,
            command->help != NULL ? "\n" : "", command->help != NULL ? command->help : "");
    for (const char *c = command->example; *c != '\0'; c++)
        fprintf(page, "%c%s", *c, *c == '\n' ? "    " : "");
    fputs(command->parts->rows != NULL ? "\n\n| option | meaning |\n| --- | --- |\n" : "\n", page);
    while (option_next(command->parts, &part, &row)) {
        help_option(part, row, name, meaning);
        write_row(page, name, meaning);
    }
}

static void write_commands(FILE *page)
{
    const struct command *const *all = all_commands();

    fputs("| command | what it does |\n| --- | --- |\n", page);
    for (size_t c = 0; all[c] != NULL; c++)
        fprintf(page, "| [%s](#%s) | %s |\n", all[c]->name, all[c]->name, all[c]->summary);
    for (size_t c = 0; all[c] != NULL; c++)
        write_command(page, all[c]);
}

static void write_statuses(FILE *page)
{
    fputs("| exit status | meaning |\n| --- | --- |\n", page);
    for (const struct help_text *row = help_statuses; row->name != NULL; row++)
        fprintf(page, "| %s | %s |\n", row->name, row->text);
}

static void write_variables(FILE *page)
{
    fputs("| variable | meaning |\n| --- | --- |\n", page);
    for (const struct help_text *row = help_variables; row->name != NULL; row++)
        write_row(page, row->name, row->text);
}

/* ---- Verdicts and faults ---- */

static void write_verdicts(FILE *page)
{
    fputs("| verdict of `run` and `check` | meaning |\n| --- | --- |\n", page);
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        write_row(page, verdict_name((enum verdict)verdict),
                  verdict_meaning((enum verdict)verdict));
    fputs("\n| verdict of races | meaning |\n| --- | --- |\n", page);
    for (int verdict = 0; verdict < RACE_VERDICTS; verdict++)
        write_row(page, race_verdict_name((enum race_verdict)verdict),
                  race_verdict_meaning((enum race_verdict)verdict));
}

static void write_faults(FILE *page)
{
    fputs("| fault | meaning |\n| --- | --- |\n", page);
    for (enum fault_kind fault = FAULT_NONE + 1; fault < FAULT_KINDS; fault++)
        write_row(page, fault_name(fault), fault_meaning(fault));
}

/* Who detects which fault. */
static void write_detectors(FILE *page)
{
    fputs("| fault, by its verdict | `sim` | `cuda` | compute-sanitizer |\n"
          "| --- | --- | --- | --- |\n",
          page);
    for (enum fault_kind fault = FAULT_NONE + 1; fault < FAULT_KINDS; fault++)
        fprintf(page, "| `%s`: %s | yes | %s | %s |\n", fault_name(fault), fault_meaning(fault),
                fault_on_cuda(fault), fault_in_sanitizer(fault));
}

/* ---- JSON members ---- */

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

/* The words for a type. Those of a list are followed by what its items are. */
static const char *const type_words[] = {
    [FIELD_BOOL] = "boolean",
    [FIELD_BIT] = "boolean",
    [FIELD_COUNT] = "integer",
    [FIELD_NUMBER] = "number",
    [FIELD_TEXT] = "text",
    [FIELD_STRING] = "text",
    [FIELD_WORD] = "",
    [FIELD_BITS] = "",
    [FIELD_COUNTS32] = " integers",
    [FIELD_COUNTS64] = " integers",
    [FIELD_NUMBERS] = " numbers",
    [FIELD_OBJECT] = "",
    [FIELD_MEMBERS] = "",
    [FIELD_POINTER] = "",
    [FIELD_SET] = "list of ",
    [FIELD_LIST] = "list of ",
    [FIELD_MAP] = "object, by ",
    [FIELD_ANY] = "any value",
};

static const char *const compare_rules[] = {
    [COMPARE_NOTHING] = "",
    [COMPARE_KEY] = "part of the row's name",
    [COMPARE_CHANGED] = "a difference is a change",
    [COMPARE_MORE_IS_WORSE] = "more is worse",
    [COMPARE_LESS_IS_WORSE] = "less is worse",
    [COMPARE_LACK] = "says why the part is missing",
    [COMPARE_CLAIM] = "true is better",
};

static void write_words(FILE *page, const struct words *words)
{
    for (unsigned int k = 0; k < words->count; k++)
        fprintf(page, "%s`%s`", k == 0 ? "" : ", ", words_name(words, k));
}

static void write_type(FILE *page, const struct field *field)
{
    bool is_fixed = field->type == FIELD_COUNTS32 || field->type == FIELD_COUNTS64 ||
                    field->type == FIELD_NUMBERS;

    if (is_fixed)
        fprintf(page, "%zu", field_elements(field));
    fputs(type_words[field->type], page);
    if (field->type == FIELD_NUMBER && field->flags & FIELD_POSITIVE)
        fputs(" above 0", page);
    if (field->words != NULL)
        write_words(page, field->words);
    if (field->type == FIELD_MAP)
        fputs(field->words != NULL ? ", of " : "name, of ", page);
    if (field->table != NULL) {
        add_table(field->table);
        fprintf(page, "[%s](#%s)", field->table->name, field->table->name);
    } else if (field->item != NULL) {
        write_type(page, field->item);
    }
}

static void write_fields(FILE *page, const struct table *table, bool always)
{
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        bool is_optional = !always || field->has != NULL || (field->flags & FIELD_OPTIONAL) ||
                           ((field->flags & FIELD_KNOWN) && !(field->flags & FIELD_NULLABLE));
        if (field->flags & (FIELD_ONLY_WIRE | FIELD_FROM_PLACE))
            continue;
        if (field->type == FIELD_MEMBERS) {
            write_fields(page, field->table, !is_optional);
            continue;
        }
        fprintf(page, "| `%s` | ", field->name);
        write_type(page, field);
        fprintf(page, "%s%s | %s |\n", field->flags & FIELD_NULLABLE ? ", or null" : "",
                is_optional ? " (optional)" : "", compare_rules[field->compare]);
    }
}

static void write_members(FILE *page)
{
    static const struct table *const first[] = {&check_results_table, &run_row_table,
                                                &race_record_table,   &counter_table,
                                                &snapshot_table,      &package_table};
    const struct results_kind *kind;

    for (size_t k = 0; k < sizeof first / sizeof *first; k++)
        add_table(first[k]);
    for (size_t k = RESULTS_KINDS; (kind = results_kind(k)) != NULL; k++)
        add_table(kind->table);
    for (size_t k = 0; k < table_count; k++) {
        fprintf(page, "%s### %s\n\n| member | value | compare |\n| --- | --- | --- |\n",
                k > 0 ? "\n" : "", tables[k]->name);
        write_fields(page, tables[k], true);
    }
}

/* ---- Capabilities ---- */

/* Writes the names of the supported instructions of a chapter, in lines of the page. */
static void write_supported(FILE *page, const struct capability *list, const struct capability *end)
{
    enum { COLUMNS = 120 };
    int column = fprintf(page, "## %s (%s)\n\nSupported:", list->title, list->chapter);
    const char *comma = "";

    column = (int)strlen("Supported:");
    for (; list < end; list++) {
        int length = (int)strlen(list->name) + 4; /* with quotes, a space and a comma */
        bool is_full = column + length > COLUMNS;
        if (capability_status(list) != CAPABILITY_SUPPORTED)
            continue;
        fprintf(page, "%s%s`%s`", comma, is_full ? "\n" : " ", list->name);
        column = is_full ? length : column + length;
        comma = ",";
    }
    fputs(comma[0] != '\0' ? ".\n" : " none.\n", page);
}

static void write_missing(FILE *page, const struct capability *capability)
{
    fprintf(page, "| `%s` | %s | ", capability->name,
            capability_status_name(capability_status(capability)));
    for (const struct form **form = capability->missing; *form != NULL; form++) {
        bool has_operands = (*form)->operands[0] != '\0';
        fputs(form > capability->missing ? "; " : "", page);
        if (strcmp((*form)->pattern, capability->name) != 0 || has_operands) {
            fputc('`', page);
            write_cell(page, (*form)->pattern);
            fprintf(page, "%s%s`: ", has_operands ? " " : "", (*form)->operands);
        }
        fputs((*form)->meaning, page);
    }
    fputs(" |\n", page);
}

static void write_capabilities(FILE *page)
{
    size_t count;
    struct capability *list = capabilities_list(&count), *end = list + count, *next;

    for (struct capability *chapter = list; chapter < end; chapter = next) {
        const char *head = "\n| instruction | status | what is rejected |\n| --- | --- | --- |\n";
        for (next = chapter; next < end && next->chapter == chapter->chapter; next++)
            ;
        fputs(chapter > list ? "\n" : "", page);
        write_supported(page, chapter, next);
        for (; chapter < next; chapter++)
            if (chapter->missing != NULL) {
                fputs(head, page);
                head = "";
                write_missing(page, chapter);
            }
    }
    capabilities_free(list, count);
}

const struct section sections[] = {
    {"commands", write_commands},
    {"statuses", write_statuses},
    {"variables", write_variables},
    {"verdicts", write_verdicts},
    {"faults", write_faults},
    {"members", write_members},
    {"capabilities", write_capabilities},
    {"detectors", write_detectors},
    {NULL, NULL},
};
