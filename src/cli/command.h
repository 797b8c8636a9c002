/* SPDX-License-Identifier: MIT
 *
 * A command of `simtcheck`. Each has its own file with the table of its options, and an entry in
 * the table in main.c, or in that of its wing.
 */
#ifndef SIMTCHECK_CLI_COMMAND_H
#define SIMTCHECK_CLI_COMMAND_H

#include "command_line.h"
#include "option_groups.h"

struct command {
    const char *name;
    const char *summary;             /* one line: "check the kernels ..." */
    const char *arguments;           /* arguments that are not options, for the help; null: none */
    const char *help;                /* further sentences; null: none */
    const char *example;             /* a command line */
    const struct option_part *parts; /* the options; ends with a part without rows */
    size_t size;                     /* of the request; 0: the command has only common options */
    const char *words;               /* what the words that are not options are; null: no words */
    size_t least_words, most_words;
    bool takes_flags;   /* accepts nvcc flags: -I, -D, and words after "--" */
    bool judges;        /* ends with a verdict: by its exit status, if it prints none with it */
    bool takes_program; /* the words are a program and its arguments, after "--"; the exit status
                           is that of the program */
    /* Runs the command and returns the exit status. */
    int (*run)(const struct command_line *line, const struct session *session);
    /* For a command that works in shards: REQUEST_PART() of the selection, with which its request
     * begins. 0: it does not work in shards. */
    size_t shard_selection;
};

/* Returns all commands, of the core and of the wings (wing.h); ends with null. */
const struct command *const *all_commands(void);

#endif
