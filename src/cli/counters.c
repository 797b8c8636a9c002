/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"

struct counters_options {
    struct common_options common;
    struct counters_request request;
};

static int counters(const struct command_line *line, struct session *session)
{
    const struct counters_options *options = line->options;

    return counters_check(&options->request, session);
}

static const struct option_row rows[] = {
    {"engine", "E", &option_engines,
     OPTION_AT(struct counters_options, request.engines, struct engine_list),
     .help = "sim, which is the default"},
    {"by-barrier", NULL, &option_flag, OPTION_AT(struct counters_options, request.by_barrier, bool),
     .help = "also loads, stores, lanes and split warps between barriers"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL},
    {selection_rows, offsetof(struct counters_options, request.selection),
     "kernel variant schedule block size"},
    {common_rows, 0, "deadline steps json"},
    {NULL, 0, NULL},
};

const struct command counters_command = {
    .name = "counters",
    .summary = "count what one case costs in global memory, as a profiler does",
    .help = "It takes one --kernel, one --block and one --size.",
    .parts = parts,
    .size = sizeof(struct counters_options),
    .run = counters,
};
