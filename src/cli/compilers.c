/* SPDX-License-Identifier: MIT */
#include "compilers.h"

#include "command.h"
#include "error_report.h"
#include "merge.h"

struct compilers_options {
    struct common_options common;
    struct compilers_request request;
};

static int compilers(const struct command_line *line, struct session *session)
{
    struct compilers_options *options = line->options;

    options->request.shard = options->common.shard;
    if (options->request.shard.count > 0 && options->request.minutes > 0) {
        error_report("--minutes ends anywhere: give --count N, of which a shard is a part");
        return EXIT_USAGE;
    }
    return compilers_check(&options->request, session);
}

static void shard_work(const void *of, struct shard_work *work)
{
    const struct compilers_options *options = of;

    work->selection = options->request.selection;
    work->count = options->request.count;
    work->no_idioms = options->request.no_idioms;
}

#define REQUEST(member, type) OPTION_AT(struct compilers_options, request.member, type)

static const struct option_row rows[] = {
    {"count", "N", &option_number, REQUEST(count, uint64_t), .initial = "2000",
     .help = "programs to draw besides the idioms", .most = 1 << 30},
    {"minutes", "M", &option_number, REQUEST(minutes, uint64_t),
     .help = "draw programs for so long, in place of --count", .least = 1, .most = 100000},
    {"no-idioms", NULL, &option_flag, REQUEST(no_idioms, bool),
     .help = "only programs that are drawn"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL},
    {compiler_rows, offsetof(struct compilers_options, request.compilers), NULL},
    {selection_rows, offsetof(struct compilers_options, request.selection), "seed"},
    {common_rows, 0, "require deadline jobs shard json"},
    {NULL, 0, NULL},
};

const struct command compilers_command = {
    .name = "compilers",
    .summary = "test the compilers by small programs drawn at random",
    .help = "Tries front ends, assemblers and the driver's compiler.",
    .parts = parts,
    .size = sizeof(struct compilers_options),
    .run = compilers,
    .shard_work = shard_work,
};
