/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"
#include "error_report.h"
#include "exit_status.h"
#include "merge.h"

struct run_options {
    struct common_options common;
    struct run_request request;
};

static int run(const struct command_line *line, struct session *session)
{
    const struct run_options *options = line->options;

    if (options->common.expect != NULL && options->request.selection.cases.level == 3) {
        error_report(
            "--expect does not work with --level 3, which has no end: give --level 1 or 2");
        return EXIT_USAGE;
    }
    return run_check(&options->request, session);
}

static void shard_work(const void *of, struct shard_work *work)
{
    const struct run_options *options = of;

    work->selection = options->request.selection;
    work->engines = options->request.engines;
}

static const struct option_row rows[] = {
    {"engine", "E", &option_engines,
     OPTION_AT(struct run_options, request.engines, struct engine_list),
     .help = "sim, cuda or cuda-stress; repeatable", .usual = "sim, and cuda if there is a GPU"},
    {"max-failures", "N", &option_number,
     OPTION_AT(struct run_options, request.max_failures, uint64_t), .initial = "20",
     .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, offsetof(struct run_options, request.selection), NULL, NULL},
    {common_rows, 0, NULL, NULL},
    {coverage_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command run_command = {
    .name = "run",
    .summary = "run the catalogue's kernels and print a verdict for each",
    .help = "Compares the results with a CPU reference over many block sizes, sizes, values and "
            "schedules, inside the domain of each kernel and just outside it.",
    .example = "simtcheck run --kernel reduceInterleaved --block 64,96 --json run.json",
    .parts = parts,
    .size = sizeof(struct run_options),
    .run = run,
    .shard_work = shard_work,
};
