/* SPDX-License-Identifier: MIT
 *
 * A command of `simtcheck`. Each is defined in a file of its own and named in the table in main.c.
 */
#ifndef SIMTCHECK_COMMANDS_COMMAND_H
#define SIMTCHECK_COMMANDS_COMMAND_H

#include "options.h"

/* Exit statuses. */
enum {
    EXIT_CONFORMS = 0,
    EXIT_DIFFERS,
    EXIT_USAGE,
    EXIT_ENVIRONMENT,
    EXIT_UNAVAILABLE = 77,
};

struct command {
    const char *name;
    const char *arguments; /* for --help, besides the options; null: none */
    const char *help;      /* what it does, in lines of --help */
    bool takes_token, takes_files, takes_flags;
    const char *files; /* of one that takes files: what they are, for whoever gives others */
    size_t least_files, most_files; /* how many; 0 and 0: two */
    double deadline_seconds;        /* of a case, where none is given; 0: the usual */
    /* Does what the options say and returns the exit status. */
    int (*run)(const struct options *options, const struct catalogue *catalogue);
};

#endif
