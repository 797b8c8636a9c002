/* SPDX-License-Identifier: MIT
 *
 * simtcheck-pages man|completion: writes the man page, or the completion for bash.
 * simtcheck-pages reference|compare FILE: rewrites the generated sections of FILE, or compares
 * them.
 */
#include "pages.h"

#include "error_report.h"
#include "exit_status.h"
#include "help.h"
#include "tools.h"
#include "wing.h"

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

static void write_man_option(const struct option_row *row, const char *usual, void *context)
{
    FILE *to = context;

    fputs(".TP\n\\fB\\-\\-", to);
    write_escaped(to, row->name);
    fputs("\\fR", to);
    if (row->argument != NULL) {
        fputs(" \\fI", to);
        write_escaped(to, row->argument);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    write_escaped(to, row->help);
    if (usual != NULL) {
        fputs(" (default: ", to);
        write_escaped(to, usual);
        fputc(')', to);
    }
    fputc('\n', to);
}

static void write_man_command(FILE *to, const struct command *command)
{
    fputs(".SS simtcheck ", to);
    help_write_usage(to, command);
    fprintf(to, "\n%c", command->summary[0] - 'a' + 'A');
    write_escaped(to, command->summary + 1);
    fputs(".\n", to);
    if (command->help != NULL) {
        write_escaped(to, command->help);
        fputc('\n', to);
    }
    fputs(".PP\nExample:\n.PP\n.nf\n.RS 4\n", to);
    write_escaped(to, command->example);
    fputs("\n.RE\n.fi\n", to);
    help_each_option(command, write_man_option, to);
}

void write_man(FILE *to)
{
    const struct command *const *commands = all_commands();

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
    for (size_t c = 0; commands[c] != NULL; c++)
        write_man_command(to, commands[c]);
    fputs(".SH EXIT STATUS\n", to);
    for (const struct exit_text *exit = help_statuses; exit->text != NULL; exit++) {
        fprintf(to, ".TP\n%d\n", exit->status);
        write_escaped(to, exit->text);
        fputc('\n', to);
    }
    fputs(".SH ENVIRONMENT\n", to);
    for (const struct variable_text *variable = help_variables; variable->name != NULL;
         variable++) {
        fprintf(to, ".TP\n.B %s\n", variable->name);
        write_escaped(to, variable->text);
        fputc('\n', to);
    }
}

/* ---- Completion ---- */

struct completion {
    FILE *to;
    const struct command *command;
};

static void write_option_name(const struct option_row *row, const char *usual, void *context)
{
    (void)usual;
    fprintf(((struct completion *)context)->to, " --%s", row->name);
}

/* Writes the case of an option's value: its words, or files. */
static void write_option_values(const struct option_row *row, const char *usual, void *context)
{
    struct completion *completion = context;
    const char *values = row->type->values;
    const char *const *choices = option_words(row);

    (void)usual;
    if (row->argument == NULL || (values == NULL && choices == NULL))
        return;
    fprintf(completion->to, "    %s:--%s) ", completion->command->name, row->name);
    if (choices != NULL) {
        fputs("words='", completion->to);
        for (size_t k = 0; choices[k] != NULL; k++)
            fprintf(completion->to, "%s%s", k > 0 ? " " : "", choices[k]);
        fputs("'", completion->to);
    } else if (strcmp(values, "FILE") != 0) {
        fprintf(completion->to, "words='%s'", values);
    }
    fputs(" ;;\n", completion->to);
}

void write_completion(FILE *to)
{
    const struct command *const *commands = all_commands();

    fputs("# Completion of simtcheck for bash.\n"
          "_simtcheck()\n"
          "{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
          "words=''\n\n"
          "    case ${COMP_WORDS[1]}:$previous in\n",
          to);
    for (size_t c = 0; commands[c] != NULL; c++)
        help_each_option(commands[c], write_option_values, &(struct completion){to, commands[c]});
    fputs("    *)\n        case $COMP_CWORD:${COMP_WORDS[1]} in\n        1:*) words='", to);
    for (size_t c = 0; commands[c] != NULL; c++)
        fprintf(to, "%s ", commands[c]->name);
    fputs("--help --version' ;;\n", to);
    for (size_t c = 0; commands[c] != NULL; c++) {
        fprintf(to, "        *:%s) words='--help", commands[c]->name);
        help_each_option(commands[c], write_option_name, &(struct completion){to, commands[c]});
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
        return rewrite_reference(argv[2], is_compare) ? EXIT_CONFORMS : EXIT_DIFFERS;
    else
        return error_report("give man, completion, reference FILE or compare FILE"), EXIT_USAGE;
    return fflush(stdout) == 0 ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}
