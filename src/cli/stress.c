/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"

struct stress_options {
    struct common_options common;
    struct stress_request request;
};

static int stress(const struct command_line *line, struct session *session)
{
    const struct stress_options *options = line->options;

    return stress_run(&options->request, session);
}

static const struct option_row rows[] = {
    {"runs", "N", &option_number, OPTION_AT(struct stress_options, request.runs, uint64_t),
     .initial = "20", .help = "number of runs of each case", .least = 1, .most = 1000},
    {.name = NULL},
};

static const char *const defaults[][2] = {{"block", "64,256,1024"}, {NULL, NULL}};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, offsetof(struct stress_options, request.selection),
     "kernel variant block seed", defaults},
    {common_rows, 0, "require delay-seed delay-density delay-length deadline json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command stress_command = {
    .name = "stress",
    .summary = "run each kernel many times on a GPU, with random delays",
    .help = "Counts wrong results with delays (engine cuda-stress) and without (engine cuda).",
    .example = "simtcheck stress --kernel reduceInterleaved2 --runs 100",
    .parts = parts,
    .size = sizeof(struct stress_options),
    .run = stress,
};
