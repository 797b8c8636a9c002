/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "command.h"

static int compare(const struct command_line *line, const struct session *session)
{
    return compare_snapshots(line->words[0], line->words[1], session);
}

static const struct option_part parts[] = {{common_rows, 0, "json", NULL}, {NULL, 0, NULL, NULL}};

const struct command compare_command = {
    .name = "compare",
    .judges = true,
    .summary = "show what differs between two snapshots, and what is worse",
    .help = "Exit status 1 means that something is worse.",
    .example = "simtcheck compare old.json new.json",
    .arguments = "OLD NEW",
    .parts = parts,
    .words = "two files of snapshot, or of litmus, the old one first",
    .least_words = 2,
    .most_words = 2,
    .run = compare,
};
