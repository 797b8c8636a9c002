/* SPDX-License-Identifier: MIT
 *
 * Programs as a catalogue: a row for each, whose kernel has the program's name.
 */
#ifndef SIMTCHECK_CASES_PROGRAM_CATALOGUE_H
#define SIMTCHECK_CASES_PROGRAM_CATALOGUE_H

#include "catalogue.h"
#include "program.h"

/* The first line of a file with programs, before a line for each as program_write() writes it. */
#define PROGRAMS_TAG "programs\n"

struct program_catalogue {
    struct catalogue catalogue;
    struct program *programs;
};

/* Makes a catalogue of copies of these programs. Returns false when memory runs out. */
bool program_catalogue_make(const struct program *programs, size_t count,
                            struct program_catalogue *result);

/* Reads a catalogue from a file with that tag. Returns false with an error message in `error` that
 * names the file and the line. */
bool program_catalogue_read(const char *path, struct program_catalogue *result, char *error,
                            size_t error_size);

void program_catalogue_free(struct program_catalogue *catalogue);

#endif
