/* SPDX-License-Identifier: MIT
 *
 * A catalogue whose launches are those of another, changed: of kernels under other names, or with a
 * grid or block of another size. Mutants are run by it.
 */
#ifndef SIMTCHECK_CASES_CHANGED_LAUNCHES_H
#define SIMTCHECK_CASES_CHANGED_LAUNCHES_H

#include "catalogue.h"

#include <stdio.h>

enum changed { CHANGED_NOTHING, CHANGED_GRID, CHANGED_BLOCK };

struct launch_change {
    char prefix[32]; /* of the kernels' names in the code that is loaded */
    enum changed what;
    uint32_t dimension; /* 0 to 2: x, y or z */
    int by;             /* added to it; what falls below 0 is 0 */
};

struct changed_launches {
    struct catalogue catalogue;
    struct changed_rows *rows; /* the catalogue's */
};

/* False when memory runs out. */
bool changed_launches_make(const struct catalogue *of, const struct launch_change *change,
                           struct changed_launches *result);

/* The same by a file, whose first line is "changed launches", and what writes that. */
bool changed_launches_read(FILE *from, const struct catalogue *of, struct changed_launches *result);
bool changed_launches_write(FILE *to, const struct launch_change *change);

void changed_launches_free(struct changed_launches *launches);

#endif
