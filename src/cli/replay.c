/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include "command.h"

struct replay_options {
    struct common_options common;
};

static int replay(const struct command_line *line, struct session *session)
{
    return replay_check(line->words[0], session);
}

static const struct option_part parts[] = {
    {common_rows, 0, "require delay-seed delay-density delay-length deadline"},
    {NULL, 0, NULL},
};

const struct command replay_command = {
    .name = "replay",
    .summary = "run one case again",
    .arguments = "TOKEN",
    .parts = parts,
    .size = sizeof(struct replay_options),
    .words = "one token, as a report printed it",
    .least_words = 1,
    .most_words = 1,
    .run = replay,
};
