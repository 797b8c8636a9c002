/* SPDX-License-Identifier: MIT
 *
 * How `soak` plugs in.
 */
#include "exit_status.h"
#include "kinds.h"
#include "package_parts.h"
#include "soak.h"
#include "wing.h"

static void judge(struct judging *judging, const char *name, const void *record)
{
    int status = soak_status(record);

    if (status == EXIT_DIFFERS)
        judging_fail(judging, NULL, "%s: an SM computes wrong results", name);
    else if (status != EXIT_CONFORMS)
        judging_lack(judging, "%s: not every SM was checked", name);
}

static const struct results_kind kinds[] = {
    {"soak", &soak_table, false, offsetof(struct soak_record, build), judge, NULL, NULL},
    {.name = NULL},
};

extern const struct command soak_command;
static const struct command *const commands[] = {&soak_command, NULL};

extern const struct wing soak_wing;
const struct wing soak_wing = {.commands = commands, .kinds = kinds};
