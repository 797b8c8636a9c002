/* SPDX-License-Identifier: MIT */
#include "compilers.h"

#include "command.h"
#include "error_report.h"

static int compilers(const struct command_line *line, const struct session *session)
{
    struct compilers_request *request = line->request;

    request->shard = line->common->shard;
    if (request->shard.count > 0 && request->minutes > 0) {
        error_report(
            "--shard needs a fixed number of programs: give --count N instead of --minutes");
        return EXIT_USAGE;
    }
    return compilers_check(request, session);
}

#define REQUEST(member, type) REQUEST_AT(struct compilers_request, member, type)

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
    {compiler_rows, REQUEST_PART(struct compilers_request, compilers), NULL, NULL},
    {selection_rows, REQUEST_PART(struct compilers_request, selection), "seed", NULL},
    {common_rows, 0, "require deadline jobs shard json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command compilers_command = {
    .name = "compilers",
    .judges = true,
    .summary = "test the compilers with idioms and small random programs",
    .help = "Compares nvcc, clang, ptxas and the driver's JIT compiler with the meaning of the "
            "programs.",
    .example = "simtcheck compilers --count 200",
    .parts = parts,
    .size = sizeof(struct compilers_request),
    .run = compilers,
    .shard_selection = REQUEST_PART(struct compilers_request, selection),
};
