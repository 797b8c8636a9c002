/* SPDX-License-Identifier: MIT
 *
 * What --help prints.
 */
#ifndef SIMTCHECK_CLI_HELP_H
#define SIMTCHECK_CLI_HELP_H

#include "command.h"

/* Prints a line for each command, whose table ends with null. */
void help_print(const struct command *const commands[]);

/* Prints what a command does, and its options. */
void help_print_command(const struct command *command);

#endif
