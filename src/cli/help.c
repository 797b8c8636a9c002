/* SPDX-License-Identifier: MIT */
#include "help.h"

#include "exit_status.h"

#include <string.h>

enum { COLUMN = 26, WORD = 23, SUMMARY_COLUMN = 14, WIDTH = 80 };

const struct exit_text help_statuses[] = {
    {EXIT_CONFORMS, "every check passed, or failed as --expect lists"},
    {EXIT_DIFFERS, "a check failed: the kernel does not conform, or a result is worse"},
    {EXIT_USAGE, "bad usage: the message names the input and what would be right"},
    {EXIT_ENVIRONMENT, "could not finish: a required engine is missing, workers were killed, "
                       "output cannot be written, or the run was stopped"},
    {EXIT_UNAVAILABLE, "skipped: the requested engine is not available on this machine, or "
                       "--minutes left no time to check a launch"},
    {0, NULL},
};

const struct variable_text help_variables[] = {
    {"SIMTCHECK_REQUIRE", "the name of an engine: as --require, for the runs that use it"},
    {"SIMTCHECK_CLANG", "the clang++ that compiles kernels (default: the newest on the PATH)"},
    {"SIMTCHECK_CC", "the C compiler of --oracle (default: the one that built simtcheck, or cc)"},
    {"SIMTCHECK_CXX",
     "the C++ compiler of --oracle (default: the one that built simtcheck, or c++)"},
    {"SIMTCHECK_CUPTI", "the libcupti.so of capture (default: that of nvcc's toolkit)"},
    {"SIMTCHECK_CACHE_MIB", "size of the compilations that check keeps in XDG_CACHE_HOME or "
                            "~/.cache, in MiB; 0 keeps none "
                            "(default: 1024)"},
    {"SIMTCHECK_TOOL_SECONDS",
     "time limit of a compilation, or of another tool such as git (default: 600)"},
    {"SIMTCHECK_TODAY", "the date by which the entries of --expect expire, as YYYY-MM-DD (default: "
                        "today, in UTC)"},
    {"TMPDIR", "the folder for temporary files (default: /tmp)"},
    {NULL, NULL},
};

void help_print(const struct command *const commands[])
{
    printf("usage: simtcheck COMMAND [OPTIONS]\n"
           "Checks CUDA kernels for races, wrong accesses and order-dependent results.\n\n");
    for (size_t c = 0; commands[c] != NULL; c++)
        printf("  %-*s%s\n", SUMMARY_COLUMN, commands[c]->name, commands[c]->summary);
    printf("\n'simtcheck COMMAND --help' describes a command. Exit status: 0 conforms,\n"
           "1 does not, 2 bad usage, 3 could not finish, 77 skipped\n");
}

/* Prints text from `column` on, in lines of at most WIDTH characters. A line break in the text
 * stays. */
static void print_wrapped(const char *text, int column)
{
    int at = column;

    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (at > column && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        }
        at += printf("%s%.*s", at > column ? " " : "", length, text);
        text += length;
        if (*text == '\n') {
            printf("\n%*s", column, "");
            at = column;
        }
        text += *text != '\0';
    }
}

static void print_option(const struct option_row *row, const char *usual, void *context)
{
    char name[64], text[1024];

    (void)context;
    snprintf(name, sizeof name, "--%s%s%s", row->name, row->argument != NULL ? " " : "",
             row->argument != NULL ? row->argument : "");
    if (strlen(name) > WORD)
        printf("  %s\n%*s", name, COLUMN, "");
    else
        printf("  %-*s ", WORD, name);
    snprintf(text, sizeof text, "%s%s%s%s", row->help, usual != NULL ? " (default: " : "",
             usual != NULL ? usual : "", usual != NULL ? ")" : "");
    print_wrapped(text, COLUMN);
    putchar('\n');
}

void help_each_option(const struct command *command, help_visit *visit, void *context)
{
    for (const struct option_part *part = command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            if (option_part_has(part, row))
                visit(row, option_part_default(part, row), context);
}

void help_write_usage(FILE *to, const struct command *command)
{
    const char *arguments = command->arguments != NULL ? command->arguments : "",
               *blank = command->arguments != NULL ? " " : "",
               *options = command->parts->rows != NULL ? " [OPTIONS]" : "";

    if (command->takes_program)
        fprintf(to, "%s%s --%s%s", command->name, options, blank, arguments);
    else
        fprintf(to, "%s%s%s%s%s", command->name, blank, arguments, options,
                command->takes_flags ? " [-- COMPILER FLAGS]" : "");
}

static void count_option(const struct option_row *row, const char *usual, void *context)
{
    (void)row;
    (void)usual;
    ++*(size_t *)context;
}

void help_print_command(const struct command *command)
{
    size_t count = 0;

    help_each_option(command, count_option, &count);
    fputs("usage: simtcheck ", stdout);
    help_write_usage(stdout, command);
    printf("\n\n%c%s.", command->summary[0] - 'a' + 'A', command->summary + 1);
    if (command->help != NULL) {
        putchar('\n');
        print_wrapped(command->help, 0);
    }
    printf("\n\nExample:\n  %s", command->example);
    fputs(count > 0 ? "\n\nOptions:\n" : "\n", stdout);
    help_each_option(command, print_option, NULL);
}
