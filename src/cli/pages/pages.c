/* SPDX-License-Identifier: MIT
 *
 * simtcheck-pages man|completion: writes the man page, or the completion for bash.
 * simtcheck-pages reference|compare FILE: rewrites the generated sections of FILE, or compares
 * them.
 */
#include "pages.h"

#include "atomic_file.h"
#include "error_report.h"
#include "exit_status.h"
#include "help.h"
#include "tools.h"
#include "whole_file.h"
#include "wing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- The man page ---- */

/* Writes text with the characters of troff escaped. A line does not start with a request. */
static void write_escaped(FILE *to, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            fputs("\\&", to);
        if (*c == '\\')
            fputs("\\e", to);
        else if (*c == '-')
            fputs("\\-", to);
        else if (*c == '\'')
            fputs("\\(aq", to);
        else
            fputc(*c, to);
    }
}

/* Writes troff with an escaped text for each "%". */
static void write_troff(FILE *to, const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    for (; *format != '\0'; format++)
        if (*format == '%')
            write_escaped(to, va_arg(texts, const char *));
        else
            fputc(*format, to);
    va_end(texts);
}

static void write_man_command(FILE *to, const struct command *command)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;
    char name[HELP_NAME], meaning[HELP_MEANING];

    fputs(".SS simtcheck ", to);
    help_write_usage(to, command);
    fprintf(to, "\n%c", command->summary[0] - 'a' + 'A');
    write_troff(to, "%.\n", command->summary + 1);
    if (command->help != NULL)
        write_troff(to, "%\n", command->help);
    write_troff(to, ".PP\nExample:\n.PP\n.nf\n.RS 4\n%\n.RE\n.fi\n", command->example);
    while (option_next(command->parts, &part, &row)) {
        help_option(part, row, name, meaning);
        write_troff(to, ".TP\n\\fB\\-\\-%\\fR", row->name);
        if (row->argument != NULL)
            write_troff(to, " \\fI%\\fR", row->argument);
        write_troff(to, "\n%\n", meaning);
    }
}

static void write_man(FILE *to)
{
    fprintf(
        to,
        ".TH SIMTCHECK 1 \"\" \"simtcheck %s\" \"User Commands\"\n"
        ".SH NAME\nsimtcheck \\- check CUDA kernels on a simulated and on a real GPU\n"
        ".SH SYNOPSIS\n.B simtcheck\n.I COMMAND\n[OPTIONS]\n"
        ".SH DESCRIPTION\nsimtcheck checks CUDA kernels for races, wrong memory accesses, wrong "
        "barriers and results that depend on the order of threads.\nIt runs a kernel on a CPU "
        "simulator of PTX, which needs no GPU, and on a GPU if there is one.\n"
        ".SH COMMANDS\n",
        SIMTCHECK_VERSION);
    for (const struct command *const *command = all_commands(); *command != NULL; command++)
        write_man_command(to, *command);
    fputs(".SH EXIT STATUS\n", to);
    for (const struct help_text *row = help_statuses; row->name != NULL; row++)
        write_troff(to, ".TP\n%\n%\n", row->name, row->text);
    fputs(".SH ENVIRONMENT\n", to);
    for (const struct help_text *row = help_variables; row->name != NULL; row++)
        write_troff(to, ".TP\n.B %\n%\n", row->name, row->text);
}

/* ---- Completion ---- */

/* Writes the case of an option's value: its words, or files. */
static void write_values(FILE *to, const struct command *command, const struct option_row *row)
{
    const char *values = row->type->values;
    const char *const *choices = option_words(row);

    if (row->argument == NULL || (values == NULL && choices == NULL))
        return;
    fprintf(to, "    %s:--%s) ", command->name, row->name);
    if (choices != NULL || strcmp(values, "FILE") != 0) {
        fputs("words='", to);
        for (size_t k = 0; choices != NULL && choices[k] != NULL; k++)
            fprintf(to, "%s%s", k > 0 ? " " : "", choices[k]);
        fprintf(to, "%s'", choices == NULL ? values : "");
    }
    fputs(" ;;\n", to);
}

static void write_completion(FILE *to)
{
    const struct command *const *all = all_commands(), *const * command;
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    fputs("# Completion of simtcheck for bash.\n"
          "_simtcheck()\n"
          "{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
          "words=''\n\n"
          "    case ${COMP_WORDS[1]}:$previous in\n",
          to);
    for (command = all; *command != NULL; command++, part = NULL)
        while (option_next((*command)->parts, &part, &row))
            write_values(to, *command, row);
    fputs("    *)\n        case $COMP_CWORD:${COMP_WORDS[1]} in\n        1:*) words='", to);
    for (command = all; *command != NULL; command++)
        fprintf(to, "%s ", (*command)->name);
    fputs("--help --version' ;;\n", to);
    for (command = all; *command != NULL; command++, part = NULL) {
        fprintf(to, "        *:%s) words='--help", (*command)->name);
        while (option_next((*command)->parts, &part, &row))
            fprintf(to, " --%s", row->name);
        fputs("' ;;\n", to);
    }
    fputs("        esac\n"
          "        [[ $COMP_CWORD == 1 || $current == -* ]] || words='' ;;\n"
          "    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "}\n"
          "complete -o default -F _simtcheck simtcheck\n",
          to);
}

/* ---- Sections of Markdown files ---- */

/* Copies the text, with new sections. Returns false after an error message. */
static bool rewrite(FILE *page, const char *path, const char *text)
{
    static const char start[] = "<!-- generated: ", close[] = " -->\n", end[] = "<!-- end -->\n";
    const char *at;

    while ((at = strstr(text, start)) != NULL) {
        const char *name = at + sizeof start - 1, *old = strstr(name, close);
        const char *last = old != NULL ? strstr(old, end) : NULL;
        const struct section *section = sections;
        if (last == NULL)
            return error_report("%s: a generated section lacks its '<!-- end -->'", path);
        while (section->name != NULL && (strncmp(section->name, name, (size_t)(old - name)) != 0 ||
                                         section->name[old - name] != '\0'))
            section++;
        if (section->name == NULL)
            return error_report("%s: there is no generated section '%.*s'", path, (int)(old - name),
                                name);
        fprintf(page, "%.*s\n", (int)(old + sizeof close - 1 - text), text);
        section->write(page);
        fprintf(page, "\n%s", end);
        text = last + sizeof end - 1;
    }
    fputs(text, page);
    return true;
}

static bool write_text(const void *text, FILE *to)
{
    return fputs(text, to) >= 0;
}

/* Rewrites the sections of a file, unless `only_compare`. Returns false after an error message,
 * also if the file differs from what it should be. */
static bool rewrite_file(const char *path, bool only_compare)
{
    size_t size;
    char *old = read_whole_file(path, &size), *text = NULL;
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
        good = file_write(write_text, text, path);
    free(old);
    free(text);
    return good;
}

/* ---- The program ---- */

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool is_compare = strcmp(what, "compare") == 0;

    wings_use(all_wings);
    if (argc == 2 && strcmp(what, "man") == 0)
        write_man(stdout);
    else if (argc == 2 && strcmp(what, "completion") == 0)
        write_completion(stdout);
    else if (argc == 3 && (is_compare || strcmp(what, "reference") == 0))
        return rewrite_file(argv[2], is_compare) ? EXIT_CONFORMS : EXIT_DIFFERS;
    else
        return error_report("give man, completion, reference FILE or compare FILE"), EXIT_USAGE;
    return fflush(stdout) == 0 ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}
