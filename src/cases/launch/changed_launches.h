/* SPDX-License-Identifier: MIT
 *
 * A copy of a catalogue with changed launches: a grid or block has another size. Mutants run with
 * it.
 */
#ifndef SIMTCHECK_CASES_CHANGED_LAUNCHES_H
#define SIMTCHECK_CASES_CHANGED_LAUNCHES_H

#include "catalogue.h"

#include <stdio.h>

/* The first line of a file with a change. */
#define CHANGES_TAG "changed launches\n"

enum changed { CHANGED_GRID, CHANGED_BLOCK };

struct launch_change {
    enum changed what;
    uint32_t dimension; /* 0 to 2: x, y or z */
    int by;             /* added to it; the minimum result is 0 */
};

struct changed_launches {
    struct catalogue catalogue;
    struct changed_rows *rows; /* owned by the catalogue */
};

/* Makes the changed catalogue. Returns false when memory runs out. */
bool changed_launches_make(const struct catalogue *of, const struct launch_change *change,
                           struct changed_launches *result);

/* Read the change from a file with that tag, and write one. */
bool changed_launches_read(FILE *from, const struct catalogue *of, struct changed_launches *result);
bool changed_launches_write(FILE *to, const struct launch_change *change);

void changed_launches_free(struct changed_launches *launches);

#endif
