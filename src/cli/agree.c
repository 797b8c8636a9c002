/* SPDX-License-Identifier: MIT */
#include "agree.h"

#include "command.h"

struct agree_options {
    struct common_options common;
    struct agree_request request;
};

static int agree(const struct command_line *line, struct session *session)
{
    struct agree_options *options = line->options;

    if (options->request.engines.count == 0)
        engine_list_add(&options->request.engines, ENGINE_CUDA);
    return agree_check(&options->request, session);
}

static const struct option_row rows[] = {
    {"engine", "E", &option_engines,
     OPTION_AT(struct agree_options, request.engines, struct engine_list),
     .help = "ptx, cuda or cuda-delayed; repeatable (default: cuda)"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL},
    {selection_rows, offsetof(struct agree_options, request.selection),
     "kernel block size level sizes-per-block seed"},
    {common_rows, 0, "require deadline jobs json"},
    {NULL, 0, NULL},
};

const struct command agree_command = {
    .name = "agree",
    .summary = "compare an engine with the host engine outside the domains",
    .help = "Compares where a printed form is outside its domain and still has one defined\n"
            "result.",
    .parts = parts,
    .size = sizeof(struct agree_options),
    .run = agree,
};
