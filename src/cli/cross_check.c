/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "command.h"

static int cross_check(const struct command_line *line, const struct session *session)
{
    return check_rows(line->request, CHECK_GPU, session);
}

static const struct option_part parts[] = {
    {selection_rows, REQUEST_PART(struct rows_request, selection),
     "kernel block size level sizes-per-block seed", NULL},
    {common_rows, 0, "require deadline steps jobs json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command cross_check_command = {
    .name = "cross-check",
    .judges = true,
    .summary = "compare a GPU with the simulator where originals are wrong",
    .help = "Runs original variants outside their domain, and compares the results bit by bit if "
            "every simulated schedule gives the same one.",
    .example = "simtcheck cross-check --kernel 'reduce*'",
    .parts = parts,
    .size = sizeof(struct rows_request),
    .run = cross_check,
};
