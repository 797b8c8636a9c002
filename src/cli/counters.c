/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"

static int counters(const struct command_line *line, const struct session *session)
{
    return counters_check(line->request, session);
}

static const struct option_row rows[] = {
    {"engine", "E", &option_engines, REQUEST_AT(struct rows_request, engines, struct engine_list),
     .help = "sim", .usual = "sim"},
    {"by-barrier", NULL, &option_flag, REQUEST_AT(struct rows_request, by_barrier, bool),
     .help = "one row for each interval between barriers", .usual = "one row"},
    {.name = NULL},
};

static const char *const defaults[][2] = {
    {"kernel", "none: one is required"},
    {"block", "none: one is required"},
    {"size", "none: one is required"},
    {"schedule", "sequential"},
    {"variant", "original"},
    {NULL, NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, REQUEST_PART(struct rows_request, selection),
     "kernel variant schedule block size", defaults},
    {common_rows, 0, "deadline steps json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command counters_command = {
    .name = "counters",
    .summary = "count the memory transactions and instructions of one case",
    .help = "Counts on the simulator what a profiler counts on a GPU. Give one --kernel, one "
            "--block and one --size.",
    .example = "simtcheck counters --kernel reduceNeighbored --block 512 --size 4096",
    .parts = parts,
    .size = sizeof(struct rows_request),
    .run = counters,
};
