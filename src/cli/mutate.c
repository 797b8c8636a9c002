/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include "command.h"
#include "error_report.h"
#include "launch_lines.h"

#define SELECTION_PART REQUEST_PART(struct mutate_request, selection)

static int mutate(const struct command_line *line, const struct session *session)
{
    struct mutate_request *request = line->request;

    if (line->word_count > 0 && is_launch_file(line->words[line->word_count - 1]))
        return launch_lines_run(line, 0, SELECTION_PART, session);
    if (line->word_count == 1) {
        error_report("mutate needs a launch after '%s', or no file", line->words[0]);
        return EXIT_USAGE;
    }
    if (line->word_count == 2) {
        request->file = line->words[0];
        request->launch = line->words[1];
    }
    if ((request->front_ends & (request->front_ends - 1)) != 0) {
        error_report("mutate uses one compiler: give --compiler nvcc or --compiler clang");
        return EXIT_USAGE;
    }
    if (request->front_ends == 1u << FRONT_END_CLANG && request->compilers.nvcc.count > 0) {
        error_report("--nvcc does not apply to --compiler clang: leave one of them out");
        return EXIT_USAGE;
    }
    request->flags = line->flags;
    request->flag_count = line->flag_count;
    request->selection.cases.smallest_first = line->common->minutes > 0;
    request->jobs = line->common->jobs;
    request->words = line->all;
    request->word_count = line->all_count;
    return mutate_check(request, session);
}

static const struct option_row rows[] = {
    {"out", "FILE", &option_text, COMMON_AT(output, const char *),
     .help = "write the results to FILE; if FILE exists, continue", .usual = "only print"},
    {"compiler", "NAME", &option_choices,
     REQUEST_AT(struct mutate_request, front_ends, unsigned int),
     .help = "nvcc or clang compiles the kernels", .usual = "nvcc, or clang if there is no nvcc",
     .choices = front_end_names},
    {"deadline", "SECONDS", &option_seconds, COMMON_AT(deadline_seconds, double), .initial = "1",
     .help = "time limit of one case"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {selection_rows, SELECTION_PART,
     "kernel model schedule schedules profile block size level sizes-per-block seed", NULL},
    {compiler_rows, REQUEST_PART(struct mutate_request, compilers), NULL, NULL},
    {common_rows, 0, "jobs", NULL},
    {rows, 0, NULL, NULL},
    {findings_rows, 0, NULL, NULL},
    {text_rows, 0, NULL, NULL},
    {bound_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command mutate_command = {
    .name = "mutate",
    .judges = true,
    .summary = "change a kernel in small ways, and show which changes pass",
    .arguments = "[FILE.cu LAUNCH | FILE.launches]",
    .help = "Makes one small change after another and checks each. A change that passes marks a "
            "line that the check does not constrain. Without a file it changes the corrected "
            "variants of the catalogue.",
    .example = "simtcheck mutate saxpy.cu \\\n    'saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in "
               "float x[n], inout float y[n])'",
    .parts = parts,
    .size = sizeof(struct mutate_request),
    .words = "a file of CUDA C++, and a launch or a file of launches, as 'check' does, or nothing",
    .least_words = 0,
    .most_words = 2,
    .takes_flags = true,
    .run = mutate,
};
