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

/* Calls a function with each option of a command, and its default in words, or null. */
typedef void help_visit(const struct option_row *row, const char *usual, void *context);
void help_each_option(const struct command *command, help_visit *visit, void *context);

/* Writes how the command is called, without the word "simtcheck". */
void help_write_usage(FILE *to, const struct command *command);

/* The statuses with which the program exits. The last has no text. */
struct exit_text {
    int status;
    const char *text;
};
extern const struct exit_text help_statuses[];

/* The variables of the environment that the program reads. The last has no name. */
struct variable_text {
    const char *name, *text;
};
extern const struct variable_text help_variables[];

#endif
