/* SPDX-License-Identifier: MIT */
#include "blame.h"

#include "command.h"

struct blame_options {
    struct common_options common;
    struct blame_request request;
};

static int blame(const struct command_line *line, struct session *session)
{
    struct blame_options *options = line->options;

    options->request.token = line->words[0];
    return blame_check(&options->request, session);
}

static const struct option_part parts[] = {
    {compiler_rows, offsetof(struct blame_options, request.compilers), NULL},
    {common_rows, 0, "require deadline json"},
    {NULL, 0, NULL},
};

const struct command blame_command = {
    .name = "blame",
    .summary = "find the stage of compilation that makes a case wrong",
    .arguments = "TOKEN",
    .help = "Runs one case, or a program of toolchain's, by source, front end, assembler\n"
            "and driver's compiler, and names the first that is wrong.",
    .parts = parts,
    .size = sizeof(struct blame_options),
    .words = "one token, as a report printed it",
    .least_words = 1,
    .most_words = 1,
    .run = blame,
};
