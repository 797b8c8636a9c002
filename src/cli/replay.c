/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"

static int replay(const struct command_line *line, const struct session *session)
{
    session->sinks->says = line->common->verbose;
    return replay_check(line->words[0], session);
}

static const struct option_part parts[] = {
    {common_rows, 0, "require deadline steps strict-barriers allow", NULL},
    {text_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command replay_command = {
    .name = "replay",
    .summary = "run one case again",
    .help = "A report prints the case ID of each failing case.",
    .example =
        "simtcheck replay 2:sim:reduceInterleaved:original:lockstep:sequential:3:3:unit-2:94c7e063",
    .arguments = "CASE",
    .parts = parts,
    .words = "one case ID, from a report",
    .least_words = 1,
    .most_words = 1,
    .judges = true,
    .run = replay,
};
