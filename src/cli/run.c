/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "case_id.h"
#include "command.h"
#include "error_report.h"
#include "exit_status.h"

#include <stdio.h>
#include <string.h>

/* Checks that all blocks are one-dimensional, because --stress makes no others. Returns false
 * after an error message. */
static bool blocks_are_lines(const struct plan_request *cases)
{
    char word[WORD_SIZE];

    for (size_t b = 0; b < cases->block_count; b++) {
        if (cases->blocks[b].y == 1 && cases->blocks[b].z == 1)
            continue;
        block_format(&cases->blocks[b], word);
        return error_report("--block %s has several dimensions: --stress takes one, such as 256",
                            word);
    }
    return true;
}

/* Checks that the options belong together. Returns false after an error message. */
static bool stress_fits(const struct command_line *line)
{
    static const char with[] = " kernel variant block seed require deadline json ";
    const bool stresses = ((const struct rows_request *)line->request)->stress_runs > 0;
    char name[32];

    for (size_t g = 0; g < line->given_count; g++) {
        const char *option = line->given[g].row->name;
        const bool is_of_stress =
            strcmp(option, "stress") == 0 || strncmp(option, "delay-", 6) == 0;

        snprintf(name, sizeof name, " %s ", option);
        if (is_of_stress && !stresses)
            return error_report("--%s is for --stress: give that, too", option);
        if (stresses && !is_of_stress && strstr(with, name) == NULL)
            return error_report("--%s does not apply to --stress: leave it out", option);
    }
    return !stresses ||
           blocks_are_lines(&((const struct rows_request *)line->request)->selection.cases);
}

static int run(const struct command_line *line, const struct session *session)
{
    const struct rows_request *request = line->request;
    struct session delayed = *session;

    if (!stress_fits(line))
        return EXIT_USAGE;
    if (request->stress_runs > 0) {
        delayed.limits.delays = (struct delays){.seed = (uint32_t)request->delay_seed,
                                                .per_cent = (uint32_t)request->delay_per_cent,
                                                .longest_ns = (uint32_t)request->delay_longest_ns};
        return check_rows(request, CHECK_STRESS, &delayed);
    }
    if (line->common->expect != NULL && request->selection.cases.level == 3) {
        error_report(
            "--expect does not work with --level 3, which has no end: give --level 1 or 2");
        return EXIT_USAGE;
    }
    return check_catalogue(request, CHECK_RUN, session);
}

static const struct option_row rows[] = {
    {"engine", "E", &option_engines, REQUEST_AT(struct rows_request, engines, struct engine_list),
     .help = "sim or cuda; repeatable", .usual = "sim, and cuda if there is a GPU"},
    {"max-failures", "N", &option_number, REQUEST_AT(struct rows_request, max_failures, uint64_t),
     .initial = "20", .help = "stop after N failures", .least = 1, .most = UINT64_MAX},
    {"stress", "N", &option_number, REQUEST_AT(struct rows_request, stress_runs, uint64_t),
     .help = "instead, run each kernel N times on a GPU with random delays and N times without, at "
             "the blocks 64, 256 and 1024, or those of --block; takes --kernel, --variant, --seed, "
             "--require, --deadline and --json, too",
     .usual = "off", .least = 1, .most = 1000},
    {"delay-seed", "S", &option_number, REQUEST_AT(struct rows_request, delay_seed, uint64_t),
     .help = "with --stress: seed of the delays", .usual = "0", .most = UINT32_MAX},
    {"delay-density", "PERCENT", &option_number,
     REQUEST_AT(struct rows_request, delay_per_cent, uint64_t),
     .help = "with --stress: share of the accesses that are delayed", .usual = "10", .least = 1,
     .most = 100},
    {"delay-length", "NANOSECONDS", &option_number,
     REQUEST_AT(struct rows_request, delay_longest_ns, uint64_t),
     .help = "with --stress: the longest delay", .usual = "8 times the time of a child launch",
     .least = 1, .most = 1000000},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, REQUEST_PART(struct rows_request, selection), NULL, NULL},
    {common_rows, 0, NULL, NULL},
    {coverage_rows, 0, NULL, NULL},
    {text_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command run_command = {
    .name = "run",
    .summary = "run the catalogue's kernels and print a verdict for each",
    .help = "Compares the results with a CPU reference over many block sizes, sizes, values and "
            "schedules, inside the domain of each kernel and just outside it.",
    .example = "simtcheck run --kernel reduceInterleaved --block 64,96 --json run.json",
    .parts = parts,
    .size = sizeof(struct rows_request),
    .judges = true,
    .run = run,
    .shard_selection = REQUEST_PART(struct rows_request, selection),
};
