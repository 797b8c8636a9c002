/* SPDX-License-Identifier: MIT
 *
 * Files that commands read, cut at a random byte. fuzz_snapshot cuts them at every byte.
 */
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes a snapshot of two kernels and stores it as "old" and as "new". */
static void take_snapshot(struct trial *trial)
{
    char command[6 * FAULT_PATH];

    snprintf(command, sizeof command,
             "cd '%s' && '%s' snapshot --part run --part counters --engine sim --kernel "
             "reduceNeighbored --block 2 --size 4 --out old >/dev/null 2>&1 && cp old new",
             trial->folder, SIMTCHECK);
    if (system(command) != 0)
        exit(3);
}

/* Cuts a file. At least its last brace is lost. */
static void cut_file(struct trial *trial, const char *name)
{
    struct stat status;

    if (stat(trial_path(trial, name), &status) != 0 ||
        truncate(trial_path(trial, name), (off_t)(trial->drawn % (uint64_t)(status.st_size - 1))) !=
            0)
        _exit(126);
}

static void cut_old(struct trial *trial)
{
    cut_file(trial, "old");
}

static void cut_new(struct trial *trial)
{
    cut_file(trial, "new");
}

#define COMPARE                                                                                    \
    {                                                                                              \
        {                                                                                          \
            SIMTCHECK, "compare", "%old", "%new", NULL                                             \
        }                                                                                          \
    }

const struct kind reader_kinds[] = {
    {.name = "old-snapshot-cut",
     .what = "compare, and the old snapshot is cut at a random byte",
     .command = COMPARE,
     .ends = ENDS_STATUS,
     .status = 2,
     .says = "not a complete snapshot",
     .set_up = take_snapshot,
     .prepare = cut_old},
    {.name = "new-snapshot-cut",
     .what = "compare, and the new snapshot is cut at a random byte",
     .command = COMPARE,
     .ends = ENDS_STATUS,
     .status = 2,
     .says = "not a complete snapshot",
     .set_up = take_snapshot,
     .prepare = cut_new},
    {.name = NULL},
};
