/* SPDX-License-Identifier: MIT
 *
 * Rewrites the generated sections of pages, and writes those of docs/reference.md.
 */
#include "error_report.h"
#include "help.h"
#include "outcome.h"
#include "pages.h"
#include "verdict_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Sections ---- */

static void write_option(const struct option_row *row, const char *usual, void *context)
{
    FILE *page = context;

    fprintf(page, "| `--%s%s%s` | ", row->name, row->argument != NULL ? " " : "",
            row->argument != NULL ? row->argument : "");
    write_cell(page, row->help);
    if (usual != NULL)
        fprintf(page, " (default: %s)", usual);
    fputs(" |\n", page);
}

static void write_command(FILE *page, const struct command *command)
{
    fprintf(page, "\n### %s\n\n`simtcheck ", command->name);
    help_write_usage(page, command);
    fprintf(page, "`\n\n%c%s.%s%s\n\n    $ ", command->summary[0] - 'a' + 'A', command->summary + 1,
            command->help != NULL ? "\n" : "", command->help != NULL ? command->help : "");
    for (const char *c = command->example; *c != '\0'; c++) {
        fputc(*c, page);
        if (*c == '\n')
            fputs("    ", page);
    }
    fputs("\n", page);
    if (command->parts->rows == NULL)
        return;
    fputs("\n| option | meaning |\n| --- | --- |\n", page);
    help_each_option(command, write_option, page);
}

static void write_commands(FILE *page)
{
    const struct command *const *commands = all_commands();

    fputs("| command | what it does |\n| --- | --- |\n", page);
    for (size_t c = 0; commands[c] != NULL; c++)
        fprintf(page, "| [%s](#%s) | %s |\n", commands[c]->name, commands[c]->name,
                commands[c]->summary);
    for (size_t c = 0; commands[c] != NULL; c++)
        write_command(page, commands[c]);
}

static void write_statuses(FILE *page)
{
    fputs("| exit status | meaning |\n| --- | --- |\n", page);
    for (const struct exit_text *exit = help_statuses; exit->text != NULL; exit++)
        fprintf(page, "| %d | %s |\n", exit->status, exit->text);
}

static void write_variables(FILE *page)
{
    fputs("| variable | meaning |\n| --- | --- |\n", page);
    for (const struct variable_text *variable = help_variables; variable->name != NULL; variable++)
        write_row(page, variable->name, variable->text);
}

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
    for (int fault = FAULT_NONE + 1; fault < FAULT_KINDS; fault++)
        write_row(page, fault_name((enum fault_kind)fault), fault_meaning((enum fault_kind)fault));
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

static const struct section {
    const char *name;
    void (*write)(FILE *page);
} sections[] = {
    {"commands", write_commands},
    {"statuses", write_statuses},
    {"variables", write_variables},
    {"verdicts", write_verdicts},
    {"faults", write_faults},
    {"members", write_members},
    {"capabilities", write_capabilities},
    {"detectors", write_detectors},
};

/* ---- The file ---- */

static char *read_text(const char *path)
{
    char *text = NULL, piece[4096];
    size_t size = 0, got;
    FILE *from = fopen(path, "r"), *to = from != NULL ? open_memstream(&text, &size) : NULL;

    while (to != NULL && (got = fread(piece, 1, sizeof piece, from)) > 0)
        fwrite(piece, 1, got, to);
    if (to != NULL)
        fclose(to);
    if (from != NULL)
        fclose(from);
    return text;
}

/* Writes the section that the line names. Returns false after an error message. */
static bool write_section(FILE *page, const char *path, const char *name, size_t length)
{
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        if (strlen(sections[k].name) == length && memcmp(sections[k].name, name, length) == 0) {
            sections[k].write(page);
            return true;
        }
    return error_report("%s: there is no generated section '%.*s'", path, (int)length, name);
}

/* Copies the text, with new sections. Returns false after an error message. */
static bool rewrite(FILE *page, const char *path, const char *text)
{
    static const char start[] = "<!-- generated: ", close[] = " -->\n", end[] = "<!-- end -->\n";
    const char *at;

    while ((at = strstr(text, start)) != NULL) {
        const char *name = at + sizeof start - 1, *old = strstr(name, close);
        const char *last = old != NULL ? strstr(old, end) : NULL;
        if (last == NULL)
            return error_report("%s: a generated section lacks its '<!-- end -->'", path);
        old += sizeof close - 1;
        fprintf(page, "%.*s\n", (int)(old - text), text);
        if (!write_section(page, path, name, (size_t)(strstr(name, close) - name)))
            return false;
        fputc('\n', page);
        text = last;
        fputs(end, page);
        text += sizeof end - 1;
    }
    fputs(text, page);
    return true;
}

static bool replace_file(const char *path, const char *text)
{
    FILE *to = fopen(path, "w");

    return (to != NULL && fputs(text, to) >= 0 && fclose(to) == 0) ||
           error_report("cannot write '%s': %s", path, strerror(errno));
}

bool rewrite_reference(const char *path, bool only_compare)
{
    char *old = read_text(path), *text = NULL;
    size_t size = 0;
    FILE *page = old != NULL ? open_memstream(&text, &size) : NULL;
    bool good;

    if (page == NULL)
        return error_report("cannot read '%s': %s", path, strerror(errno));
    good = rewrite(page, path, old);
    fclose(page);
    if (good && only_compare)
        good = strcmp(old, text) == 0 ||
               error_report("%s is out of date: run 'simtcheck-pages reference %s'", path, path);
    else if (good)
        good = replace_file(path, text);
    free(old);
    free(text);
    return good;
}
