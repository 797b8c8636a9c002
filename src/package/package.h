/* SPDX-License-Identifier: MIT
 *
 * A package: one file with the results of a run, its list of tests and its environment. Another
 * machine can verify it without a GPU.
 */
#ifndef SIMTCHECK_PACKAGE_H
#define SIMTCHECK_PACKAGE_H

#include "record_package.h"
#include "session.h"

struct package_request {
    const char *const *paths; /* files of results, and other files to keep with them */
    size_t count;
    const char *output;
    struct engine_list engines; /* that must be tested, besides those of the snapshot */
    struct selection all;       /* that of a whole run; level and seed do not matter */
    bool verifies;              /* the caller verifies a package instead */
};

/* Writes a package. Returns EXIT_CONFORMS if it is written, whatever its results are. */
int package_make(const struct package_request *request, const struct session *session);

/* Verifies the package paths[0], and saves and prints the result. Returns EXIT_DIFFERS if the
 * results do not conform or are incomplete, and EXIT_USAGE if the file is damaged, is no package or
 * contradicts itself. */
int package_verify(const struct package_request *request, const struct session *session);

/* Checks the bytes of a package by themselves: everything but the list of tests. Returns false with
 * the reason. The record's texts belong to the memory and to *manifest, which the caller drops. */
bool package_read(const char *data, size_t size, struct package_record *package, json_t **manifest,
                  struct memory *memory, char *why, size_t why_size);

#endif
