/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WORD = 23 };

void help_print(const struct command *const commands[])
{
    printf("usage: simtcheck COMMAND [OPTIONS]\n\n"
           "Checks CUDA kernels: on a GPU, and simulated on the CPU.\n\n");
    for (size_t c = 0; commands[c] != NULL; c++)
        printf("  %-10s %s\n", commands[c]->name, commands[c]->summary);
    printf("\n'simtcheck COMMAND --help' shows the options of a command.\n"
           "Exit status: 0 conforms, 1 does not, 2 bad usage, 3 internal or environment\n"
           "failure, 77 the engine is not available here.\n");
}

/* Prints lines, each after so many columns; the first one where the cursor is. */
static void print_lines(const char *text, int column)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, column, "");
    printf("%s", text);
}

static void print_option(const struct option_row *row)
{
    char name[64];

    snprintf(name, sizeof name, "--%s%s%s", row->name, row->argument != NULL ? " " : "",
             row->argument != NULL ? row->argument : "");
    if (strlen(name) > HELP_WORD)
        printf("  %s\n%*s", name, HELP_COLUMN, "");
    else
        printf("  %-*s ", HELP_WORD, name);
    print_lines(row->help, HELP_COLUMN);
    if (row->initial != NULL)
        printf(" (default %s)", row->initial);
    putchar('\n');
}

static bool has_option(const struct command *command, const char *name)
{
    for (const struct option_part *part = command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            if (option_part_has(part, row) && strcmp(row->name, name) == 0)
                return true;
    return false;
}

void help_print_command(const struct command *command)
{
    printf("usage: simtcheck %s%s%s [OPTIONS]%s\n\n%s\n", command->name,
           command->arguments != NULL ? " " : "",
           command->arguments != NULL ? command->arguments : "",
           command->takes_flags ? " [-- FLAGS of nvcc]" : "", command->summary);
    if (command->help != NULL)
        printf("%s\n", command->help);
    putchar('\n');
    for (const struct option_part *part = command->parts; part->rows != NULL; part++)
        for (const struct option_row *row = part->rows; row->name != NULL; row++)
            if (option_part_has(part, row))
                print_option(row);
    if (has_option(command, "require"))
        printf("\nSIMTCHECK_REQUIRE=E in the environment is --require E for the runs that use "
               "engine E.\n");
}
