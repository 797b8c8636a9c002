/* SPDX-License-Identifier: MIT
 *
 * A user's launch as a catalogue of one row.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_CATALOGUE_H
#define SIMTCHECK_CASES_LAUNCH_CATALOGUE_H

#include "launch_text.h"

#include <stdio.h>

/* The first line of a file with a launch. */
#define LAUNCH_TAG "launch\n"

/* A launch and the row that is made of it. */
struct launch_row {
    char id[64]; /* the first kernel's name, without characters that an id cannot have */
    struct launch_text launch;
    struct variant variant;
};

struct launch_catalogue {
    struct catalogue catalogue;
    struct launch_row *row;
};

/* Makes a catalogue of a copy of the launch. Returns false with an error message in `error` when
 * memory runs out or the launch's oracle cannot be used. */
bool launch_catalogue_make(const struct launch_text *launch, struct launch_catalogue *result,
                           char *error, size_t error_size);

/* Read a catalogue from a file with that tag, and write one. The first function returns false with
 * an error message in `error` if the launch cannot be used. */
bool launch_catalogue_read(FILE *from, struct launch_catalogue *result, char *error,
                           size_t error_size);
bool launch_catalogue_write(FILE *to, const struct launch_text *launch);

void launch_catalogue_free(struct launch_catalogue *catalogue);

#endif
