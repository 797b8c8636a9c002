/* SPDX-License-Identifier: MIT */
#include "mutate.h"

#include "command.h"
#include "error_report.h"

struct mutate_options {
    struct common_options common;
    struct mutate_request request;
};

static int mutate(const struct command_line *line, struct session *session)
{
    struct mutate_options *options = line->options;
    struct mutate_request *request = &options->request;

    if (line->word_count == 1) {
        error_report("%s is alone: mutate takes a file of CUDA C++ and a launch, or none",
                     line->words[0]);
        return EXIT_USAGE;
    }
    if (line->word_count == 2) {
        request->file = line->words[0];
        request->launch = line->words[1];
    }
    if ((request->front_ends & (request->front_ends - 1)) != 0) {
        error_report("mutate takes one --compiler: nvcc or clang");
        return EXIT_USAGE;
    }
    if (request->front_ends == 1u << FRONT_END_CLANG && request->compilers.nvcc.count > 0) {
        error_report("--compiler clang takes no --nvcc");
        return EXIT_USAGE;
    }
    request->flags = line->flags;
    request->flag_count = line->flag_count;
    request->jobs = options->common.jobs;
    request->words = line->all;
    request->word_count = line->all_count;
    return mutate_check(request, session);
}

#define OPTIONS(member, type) OPTION_AT(struct mutate_options, member, type)

static const struct option_row rows[] = {
    {"out", "FILE", &option_text, OPTIONS(common.output, const char *),
     .help = "write the results to FILE; the same command goes on from there"},
    {"compiler", "NAME", &option_choices, OPTIONS(request.front_ends, unsigned int),
     .help =
         "nvcc or clang, which compiles the kernels (default: nvcc, or clang if there is no nvcc)",
     .choices = front_end_names},
    {"deadline", "SECONDS", &option_seconds, OPTIONS(common.deadline_seconds, double),
     .initial = "1", .help = "longest time for one case"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {selection_rows, offsetof(struct mutate_options, request.selection),
     "kernel model schedule schedules profile block size level sizes-per-block seed"},
    {compiler_rows, offsetof(struct mutate_options, request.compilers), NULL},
    {common_rows, 0, "jobs"},
    {rows, 0, NULL},
    {NULL, 0, NULL},
};

const struct command mutate_command = {
    .name = "mutate",
    .summary = "change kernels, and show which changes their check misses",
    .arguments = "[FILE.cu LAUNCH]",
    .help = "Changes a kernel of your own in one place after the other; without a file, the\n"
            "corrected variants of the catalogue.",
    .parts = parts,
    .size = sizeof(struct mutate_options),
    .words = "a file of CUDA C++ and a launch as 'check' does, or none: then the catalogue's "
             "corrected variants",
    .least_words = 0,
    .most_words = 2,
    .takes_flags = true,
    .run = mutate,
};
