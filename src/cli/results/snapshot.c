/* SPDX-License-Identifier: MIT */
#include "snapshot.h"

#include "command.h"
#include "error_report.h"
#include "part.h"

static int snapshot(const struct command_line *line, const struct session *session)
{
    struct snapshot_request *request = line->request;

    if (line->common->output == NULL) {
        error_report("snapshot needs --out FILE");
        return EXIT_USAGE;
    }
    if (request->selection.cases.level == 3) {
        error_report("snapshot cannot run --level 3, which has no end: give --level 1 or 2");
        return EXIT_USAGE;
    }
    request->words = line->all;
    request->word_count = line->all_count;
    return snapshot_take(request, session);
}

static const struct option_row rows[] = {
    {"out", "FILE", &option_text, COMMON_AT(output, const char *),
     .help = "the file to write (required)"},
    {"part", "PART", &option_choices, REQUEST_AT(struct snapshot_request, parts, unsigned int),
     .help = "only a part, such as run or races (another word lists all); repeatable",
     .usual = "all", .list_choices = part_names},
    {"engine", "E", &option_engines,
     REQUEST_AT(struct snapshot_request, engines, struct engine_list),
     .help = "sim or cuda; repeatable", .usual = "sim, and cuda if there is a GPU"},
    {"delays", "D", &option_number, REQUEST_AT(struct snapshot_request, delays, uint64_t),
     .initial = "2", .help = "the largest number of delays in the schedules to search for races",
     .most = 2},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {selection_rows, REQUEST_PART(struct snapshot_request, selection), NULL, NULL},
    {compiler_rows, REQUEST_PART(struct snapshot_request, compilers), NULL, NULL},
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
    .size = sizeof(struct snapshot_request),
    .run = snapshot,
};
