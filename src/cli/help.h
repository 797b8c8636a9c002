/* SPDX-License-Identifier: MIT
 *
 * The help of the program and of its commands. Programs that write the man page, the completion for
 * bash and the reference page use the same tables.
 */
#ifndef SIMTCHECK_CLI_HELP_H
#define SIMTCHECK_CLI_HELP_H

#include "command.h"

#include <stdio.h>

/* Prints a line for each command. */
void help_print(const struct command *const commands[]);

/* Prints what a command does, an example, and its options. */
void help_print_command(const struct command *command);

/* Writes an option of a command, as the help shows it: "--block LIST", and what it means, with its
 * default. */
enum { HELP_NAME = 64, HELP_MEANING = 1024 };
void help_option(const struct option_part *part, const struct option_row *row, char name[HELP_NAME],
                 char meaning[HELP_MEANING]);

/* Writes how the command is called, without the word "simtcheck". */
void help_write_usage(FILE *to, const struct command *command);

/* The statuses with which the program exits, and the variables of the environment that it reads.
 * The last has no name. */
struct help_text {
    const char *name, *text;
};
extern const struct help_text help_statuses[], help_variables[];

#endif
