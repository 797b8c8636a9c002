/* SPDX-License-Identifier: MIT */
#include "compilers.h"

#include "command.h"
#include "error_report.h"

struct compilers_options {
    struct common_options common;
    struct compilers_request request;
};

static int compilers(const struct command_line *line, const struct session *session)
{
    struct compilers_options *options = line->options;

    options->request.shard = options->common.shard;
    if (options->request.shard.count > 0 && options->request.minutes > 0) {
        error_report(
            "--shard needs a fixed number of programs: give --count N instead of --minutes");
        return EXIT_USAGE;
    }
    return compilers_check(&options->request, session);
}

#define REQUEST(member, type) OPTION_AT(struct compilers_options, request.member, type)

static const struct option_row rows[] = {
    {"count", "N", &option_number, REQUEST(count, uint64_t), .initial = "2000",
     .help = "number of random programs, in addition to the idioms", .most = 1 << 30},
    {"minutes", "M", &option_number, REQUEST(minutes, uint64_t),
     .help = "test random programs for M minutes instead of --count programs",
     .usual = "by --count", .least = 1, .most = 100000},
    {"no-idioms", NULL, &option_flag, REQUEST(no_idioms, bool), .help = "test only random programs",
     .usual = "also the idioms"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {compiler_rows, offsetof(struct compilers_options, request.compilers), NULL, NULL},
    {selection_rows, offsetof(struct compilers_options, request.selection), "seed", NULL},
    {common_rows, 0, "require deadline jobs shard json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command compilers_command = {
    .name = "compilers",
    .summary = "test the compilers with idioms and small random programs",
    .help = "Compares nvcc, clang, ptxas and the driver's JIT compiler with the meaning of the "
            "programs.",
    .example = "simtcheck compilers --count 200",
    .parts = parts,
    .size = sizeof(struct compilers_options),
    .run = compilers,
    .shard_selection = offsetof(struct compilers_options, request.selection),
};
