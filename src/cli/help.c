/* SPDX-License-Identifier: MIT */
#include "help.h"

#include "exit_status.h"

#include <string.h>

enum { COLUMN = 26, WORD = 23, SUMMARY_COLUMN = 14, WIDTH = 80 };

_Static_assert(EXIT_DIFFERS == 1 && EXIT_USAGE == 2 && EXIT_ENVIRONMENT == 3 &&
                   EXIT_UNAVAILABLE == 77,
               "as the texts say");
const struct help_text help_statuses[] = {
    {"0", "every check passed, or failed as --expect lists"},
    {"1", "a check failed: the kernel does not conform, or a result is worse"},
    {"2", "bad usage: the message names the input and what would be right"},
    {"3", "could not finish: a required engine is missing, workers were killed, "
          "output cannot be written, the run was stopped, or not all was checked"},
    {"77", "skipped: the requested engine is not available on this machine, or "
           "--minutes left no time to check a launch"},
    {NULL, NULL},
};

const struct help_text help_variables[] = {
    {"SIMTCHECK_REQUIRE", "the name of an engine: as --require, for the runs that use it"},
    {"SIMTCHECK_PROGRESS", "seconds between lines that say what is done, without a terminal; 0: "
                           "none. By default 30"},
    {"SIMTCHECK_SEED", "the default of --seed; `random` draws one, and prints it"},
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

static void print_option(const struct option_part *part, const struct option_row *row)
{
    char name[HELP_NAME], meaning[HELP_MEANING];

    help_option(part, row, name, meaning);
    if (strlen(name) > WORD)
        printf("  %s\n%*s", name, COLUMN, "");
    else
        printf("  %-*s ", WORD, name);
    print_wrapped(meaning, COLUMN);
    putchar('\n');
}

void help_option(const struct option_part *part, const struct option_row *row, char name[HELP_NAME],
                 char meaning[HELP_MEANING])
{
    const char *usual = option_part_default(part, row);

    snprintf(name, HELP_NAME, "--%s%s%s", row->name, row->argument != NULL ? " " : "",
             row->argument != NULL ? row->argument : "");
    snprintf(meaning, HELP_MEANING, "%s%s%s%s", row->help, usual != NULL ? " (default: " : "",
             usual != NULL ? usual : "", usual != NULL ? ")" : "");
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

void help_print_command(const struct command *command)
{
    const struct option_part *part = NULL;
    const struct option_row *row = NULL;

    fputs("usage: simtcheck ", stdout);
    help_write_usage(stdout, command);
    printf("\n\n%c%s.", command->summary[0] - 'a' + 'A', command->summary + 1);
    if (command->help != NULL) {
        putchar('\n');
        print_wrapped(command->help, 0);
    }
    printf("\n\nExample:\n  %s", command->example);
    fputs(command->parts->rows != NULL ? "\n\nOptions:\n" : "\n", stdout);
    while (option_next(command->parts, &part, &row))
        print_option(part, row);
}
