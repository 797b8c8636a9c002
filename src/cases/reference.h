/* SPDX-License-Identifier: MIT
 *
 * What the outputs of a user's launch are held to: a function of his, or what other code of the
 * same launches gave.
 */
#ifndef SIMTCHECK_CASES_REFERENCE_H
#define SIMTCHECK_CASES_REFERENCE_H

#include "case.h"

enum reference_kind {
    REFERENCE_NONE,
    REFERENCE_WRITE,  /* outputs are kept in the folder */
    REFERENCE_KEPT,   /* and held to those; a case of which none are kept, to nothing */
    REFERENCE_ORACLE, /* and held to `expected` of the shared object */
};

struct reference {
    enum reference_kind kind;
    char path[512]; /* of the folder, or the shared object */
    uint64_t ulps;
};

/* Makes the variant be held to it, a copy of which is the variant's launch's. False, with a
 * sentence, where the shared object has no such function. */
bool reference_take(const struct reference *reference, struct variant *variant, char *error,
                    size_t error_size);

/* Keeps what came of a case, where that is wanted; false with errno set. */
bool reference_keep(const struct expectation *came);

#endif
