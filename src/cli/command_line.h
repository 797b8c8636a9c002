/* SPDX-License-Identifier: MIT
 *
 * The command line of `simtcheck`.
 */
#ifndef SIMTCHECK_CLI_COMMAND_LINE_H
#define SIMTCHECK_CLI_COMMAND_LINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct command;
struct launch_lines;
struct common_options;
struct option_row;
struct selection;

enum { MAX_FLAGS = 1024 };

struct command_line {
    const struct command *const *commands; /* those of the program; ends with null */
    const struct command *command;         /* null: help or the version is requested */
    bool help, version;
    const struct engine_kind *require; /* from SIMTCHECK_REQUIRE in the environment; or null */
    const char *seed; /* the default of --seed, from SIMTCHECK_SEED in the environment; or null */
    char drawn_seed[16];
    struct common_options *common; /* the request follows them */
    void *request;                 /* the command's own, of command->size bytes */
    const char *const *words;      /* words that are not options */
    size_t word_count;
    const char *flags[MAX_FLAGS]; /* flags of nvcc; of exec: a program and its arguments */
    size_t flag_count;
    char *const *all; /* every word after the command, in the order that getopt_long() left */
    size_t all_count;
    /* The options in their order: the row, and the word or null. */
    struct given_option {
        const struct option_row *row;
        const char *word;
    } * given;
    size_t given_count;
    struct launch_lines *of; /* of a line of a file of launches: all lines; else null */
    size_t line;             /* its index among them */
};

/* Reads the command line for one of the commands, whose table ends with null. Returns false after
 * an error message; the exit status is then 2. Call command_line_free() in either case.
 *
 * In either case, result files of an earlier run become empty, so that an error or a crash of this
 * run leaves none that says pass. */
bool command_line_parse(int argc, char **argv, const struct command *const commands[],
                        struct command_line *line);
/* Makes a command line with all options of another one, and further options and flags. `words` are
 * like an argv: words[0] is ignored. The words that are not options are the caller's to set. The
 * texts must stay valid. Returns false after an error message. */
bool command_line_extend(const struct command_line *whole, size_t count, char **words,
                         struct command_line *line);

void command_line_free(struct command_line *line);

/* Returns the options that the results depend on, as an array of words such as "--seed=1". The
 * caller owns it. */
json_t *command_line_given(const struct command_line *line);

/* Returns the selection with which the command's request begins, or null if the command does not
 * work in shards. */
const struct selection *command_line_selection(const struct command_line *line);

#endif
