/* SPDX-License-Identifier: MIT */
#include "delays.h"

#include "command.h"

struct delays_options {
    struct common_options common;
    struct delays_request request;
};

static int delays(const struct command_line *line, struct session *session)
{
    const struct delays_options *options = line->options;

    return delays_check(&options->request, session);
}

static const struct option_row rows[] = {
    {"runs", "N", &option_number, OPTION_AT(struct delays_options, request.runs, uint64_t),
     .initial = "20", .help = "runs of each case", .least = 1, .most = 1000},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL},
    {selection_rows, offsetof(struct delays_options, request.selection), "kernel form block seed"},
    {common_rows, 0, "require delay-seed delay-density delay-length deadline json"},
    {NULL, 0, NULL},
};

const struct command delays_command = {
    .name = "delays",
    .summary = "run each kernel many times with random delays on a GPU",
    .help = "Runs by the engine cuda-delayed and counts the wrong results.",
    .parts = parts,
    .size = sizeof(struct delays_options),
    .run = delays,
};
