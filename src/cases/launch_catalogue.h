/* SPDX-License-Identifier: MIT
 *
 * Launches that users write as a catalogue: a row each.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_CATALOGUE_H
#define SIMTCHECK_CASES_LAUNCH_CATALOGUE_H

#include "launch_text.h"

#include <stdio.h>

/* A launch and the row that is made of it. */
struct launch_row {
    char id[64]; /* the first kernel's name, as far as an id may have it */
    struct launch_text launch;
    struct variant variant;
};

struct launch_catalogue {
    struct catalogue catalogue;
    struct launch_row *row;
};

/* Of a copy of the launch. False, with a sentence, when memory runs out or its oracle cannot be
 * used. */
bool launch_catalogue_make(const struct launch_text *launch, struct launch_catalogue *result,
                           char *error, size_t error_size);

/* The same from a file, whose first line is "launch", and what writes that. */
bool launch_catalogue_read(FILE *from, struct launch_catalogue *result);
bool launch_catalogue_write(FILE *to, const struct launch_text *launch);

void launch_catalogue_free(struct launch_catalogue *catalogue);

#endif
