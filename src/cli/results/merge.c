/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include "command.h"
#include "error_report.h"

#include <stdlib.h>
#include <string.h>

/* Reads the command line of the shards. */
static const struct selection *read_options(void *context, const char *command, size_t count,
                                            char **words)
{
    const struct selection *selection = NULL;
    struct command_line *shards = context;
    char **all = calloc(count + 3, sizeof *all), program[] = "simtcheck";
    char *name = strdup(command);
    bool good = all != NULL && name != NULL;

    if (!good)
        error_report("out of memory");
    if (good) {
        all[0] = program;
        all[1] = name;
        memcpy(all + 2, words, count * sizeof *words);
        if (command_line_parse((int)count + 2, all, shards->commands, shards) &&
            shards->command != NULL)
            selection = command_line_selection(shards);
    }
    free(all);
    free(name);
    return selection;
}

static int merge(const struct command_line *line, const struct session *session)
{
    struct command_line shards = {.commands = line->commands};
    int status = merge_shards(line->words, line->word_count, read_options, &shards, session);

    command_line_free(&shards);
    return status;
}

static const struct option_part parts[] = {{common_rows, 0, "json", NULL}, {NULL, 0, NULL, NULL}};

const struct command merge_command = {
    .name = "merge",
    .judges = true,
    .summary = "merge the results of all shards into one",
    .help = "A shard is a part of the work of `run`, `races` or `compilers`: --shard I/N.",
    .example = "simtcheck merge shard1.json shard2.json --json all.json",
    .arguments = "FILE...",
    .parts = parts,
    .words = "the files of all shards of one command",
    .least_words = 1,
    .most_words = 2 * MAX_SHARDS,
    .run = merge,
};
