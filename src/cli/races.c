/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"

static int races(const struct command_line *line, const struct session *session)
{
    const struct rows_request *request = line->request;

    return session_simulates(&request->engines) ? check_catalogue(request, CHECK_RACES, session)
                                                : EXIT_USAGE;
}

static const struct option_row rows[] = {
    {"engine", "E", &option_engines, REQUEST_AT(struct rows_request, engines, struct engine_list),
     .help = "sim", .usual = "sim"},
    {"delays", "D", &option_number, REQUEST_AT(struct rows_request, delays, uint64_t),
     .initial = "2", .help = "the largest number of delays in the schedules to search", .most = 2},
    {"max-failures", "N", &option_number, REQUEST_AT(struct rows_request, max_failures, uint64_t),
     .initial = "20", .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {.name = NULL},
};

static const char *const defaults[][2] = {
    {"block", "1-64,256,1024; blocks of several dimensions by --level"},
    {"schedule", "sequential and reverse"},
    {NULL, NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, REQUEST_PART(struct rows_request, selection),
     "kernel variant model schedule memory profile block size level sizes-per-block seed",
     defaults},
    {common_rows, 0, "deadline steps jobs shard json strict-barriers allow expect", NULL},
    {coverage_rows, 0, NULL, NULL},
    {text_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command races_command = {
    .name = "races",
    .summary = "find races, and schedules in which they change a result",
    .help = "Checks every access of the catalogue's kernels on the simulator, then searches "
            "schedules for a wrong result.",
    .example = "simtcheck races --kernel reduceInterleaved2 --variant original --block 32",
    .parts = parts,
    .size = sizeof(struct rows_request),
    .judges = true,
    .run = races,
    .shard_selection = REQUEST_PART(struct rows_request, selection),
};
