/* SPDX-License-Identifier: MIT */
#include "snapshot.h"

#include "command.h"
#include "error_report.h"
#include "part.h"

struct snapshot_options {
    struct common_options common;
    struct snapshot_request request;
};

static int snapshot(const struct command_line *line, const struct session *session)
{
    struct snapshot_options *options = line->options;

    if (options->common.output == NULL) {
        error_report("snapshot needs --out FILE");
        return EXIT_USAGE;
    }
    if (options->request.selection.cases.level == 3) {
        error_report("snapshot cannot run --level 3, which has no end: give --level 1 or 2");
        return EXIT_USAGE;
    }
    options->request.words = line->all;
    options->request.word_count = line->all_count;
    return snapshot_take(&options->request, session);
}

static const struct option_row rows[] = {
    {"out", "FILE", &option_text, OPTION_AT(struct snapshot_options, common.output, const char *),
     .help = "the file to write (required)"},
    {"part", "PART", &option_choices,
     OPTION_AT(struct snapshot_options, request.parts, unsigned int),
     .help = "only a part, such as run or races (another word lists all); repeatable",
     .usual = "all", .list_choices = part_names},
    {"engine", "E", &option_engines,
     OPTION_AT(struct snapshot_options, request.engines, struct engine_list),
     .help = "sim or cuda; repeatable", .usual = "sim, and cuda if there is a GPU"},
    {"delays", "D", &option_number, OPTION_AT(struct snapshot_options, request.delays, uint64_t),
     .initial = "2", .help = "the largest number of delays in the schedules to search for races",
     .most = 2},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, offsetof(struct snapshot_options, request.selection), NULL, NULL},
    {compiler_rows, offsetof(struct snapshot_options, request.compilers), NULL, NULL},
    {common_rows, 0, "require deadline steps jobs expect", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command snapshot_command = {
    .name = "snapshot",
    .summary = "write all results of this build and machine to one file",
    .arguments = "--out FILE",
    .help = "Make one before and one after an upgrade, and compare them with `compare`.",
    .example = "simtcheck snapshot --out new.json --part run --kernel reduceInterleaved --block 64",
    .parts = parts,
    .size = sizeof(struct snapshot_options),
    .run = snapshot,
};
