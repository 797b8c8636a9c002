/* SPDX-License-Identifier: MIT */
#include "bisect.h"

#include "command.h"

static int bisect(const struct command_line *line, const struct session *session)
{
    struct bisect_request *request = line->request;

    request->case_id = line->words[0];
    return bisect_check(request, session);
}

static const struct option_part parts[] = {
    {compiler_rows, REQUEST_PART(struct bisect_request, compilers), NULL, NULL},
    {common_rows, 0, "require deadline json", NULL},
    {NULL, 0, NULL, NULL},
};

const struct command bisect_command = {
    .name = "bisect",
    .summary = "find the compilation stage that makes a case wrong",
    .arguments = "CASE",
    .help = "Runs one case, or one program of `compilers`, after each stage: front end, assembler, "
            "driver's JIT compiler. Names the first stage with a wrong result. Give the case ID of "
            "`run`, or the ID of a program that `compilers` printed.",
    .example =
        "simtcheck bisect 2:sim:reduceInterleaved:original:lockstep:sequential:3:3:unit-2:94c7e063",
    .parts = parts,
    .size = sizeof(struct bisect_request),
    .words = "one case ID, as a report printed it",
    .least_words = 1,
    .most_words = 1,
    .run = bisect,
};
