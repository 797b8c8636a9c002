/* SPDX-License-Identifier: MIT */
#include "soak.h"

#include "command.h"

static int soak(const struct command_line *line, const struct session *session)
{
    return soak_check(line->request, session);
}

#define REQUEST(member, type) REQUEST_AT(struct soak_request, member, type)

static const struct option_row rows[] = {
    {"minutes", "M", &option_minutes, REQUEST(minutes, double), .initial = "5",
     .help = "repeat for M minutes"},
    {"quick", NULL, &option_flag, REQUEST(is_quick, bool),
     .help = "run as few rounds as possible, as a check before a job", .usual = "off"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {common_rows, 0, "json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command soak_command = {
    .name = "soak",
    .judges = true,
    .summary = "check that every SM of every GPU computes as expected",
    .help =
        "Runs arithmetic, atomic and matrix instructions of PTX and kernels of the catalogue on "
        "each SM of each GPU, and compares every result with the simulator's. Names the GPU, SM, "
        "instruction and operands of a wrong result. Exits with 1 if a result is wrong or a GPU "
        "fails or hangs, and with 3 if an SM was not checked.",
    .example = "simtcheck soak --quick",
    .parts = parts,
    .size = sizeof(struct soak_request),
    .run = soak,
};
