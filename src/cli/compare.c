/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "command.h"

struct compare_options {
    struct common_options common;
};

static int compare(const struct command_line *line, struct session *session)
{
    return compare_snapshots(line->words[0], line->words[1], session);
}

static const struct option_part parts[] = {{common_rows, 0, "json"}, {NULL, 0, NULL}};

const struct command compare_command = {
    .name = "compare",
    .summary = "show what differs between two snapshots, and what is worse",
    .arguments = "OLD NEW",
    .parts = parts,
    .size = sizeof(struct compare_options),
    .words = "two files that snapshot has written, the old one first",
    .least_words = 2,
    .most_words = 2,
    .run = compare,
};
