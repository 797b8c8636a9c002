/* SPDX-License-Identifier: MIT
 *
 * References for the outputs of a user's launch: the user's function, or the outputs of other code
 * for the same launches.
 */
#ifndef SIMTCHECK_CASES_REFERENCE_H
#define SIMTCHECK_CASES_REFERENCE_H

#include "case.h"

enum reference_kind {
    REFERENCE_NONE,
    REFERENCE_WRITE,  /* outputs are kept in the folder */
    REFERENCE_KEPT,   /* outputs are compared with the kept ones, if the case has any */
    REFERENCE_ORACLE, /* outputs are compared with those of `expected` in the shared object */
};

struct reference {
    enum reference_kind kind;
    char path[512]; /* of the folder, or of the shared object */
    uint64_t ulps;
};

/* Sets up the variant to check its outputs against the reference, which is copied into the
 * variant's launch. Returns false with an error message in `error` if the shared object has no such
 * function. */
bool reference_take(const struct reference *reference, struct variant *variant, char *error,
                    size_t error_size);

/* Keeps the outputs of a case, if the reference requires it. Returns false with errno set on error.
 */
bool reference_keep(const struct expectation *came);

#endif
