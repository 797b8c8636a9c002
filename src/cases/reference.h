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
    bool has_bounds;        /* outputs of the folder have error bounds, which are the tolerance */
    struct kept_case *kept; /* REFERENCE_KEPT, after reference_take(): the cases of the folder */
    size_t kept_count;
};

/* Sets up the variant to check its outputs against the reference, which is part of the variant's
 * launch. Returns false with an error message in `error` if the folder has no whole list of its
 * cases. Call reference_free() in either case. */
bool reference_take(struct reference *reference, struct variant *variant, char *error,
                    size_t error_size);

/* Loads the shared object of a REFERENCE_ORACLE. This runs code of the user, so only workers call
 * it. Returns false with an error message in `error` if the object has no such function. */
bool reference_load(const struct reference *reference, struct variant *variant, char *error,
                    size_t error_size);
void reference_free(struct reference *reference);

/* Keeps the outputs of a case, if the reference requires it. Returns false with errno set on error.
 */
bool reference_keep(const struct expectation *came);

/* Lists the cases that have run in the folder of a REFERENCE_WRITE. A case that failed has no
 * outputs there. Returns false with errno set on error. */
bool reference_list(const struct reference *reference, const struct test_case *cases,
                    const struct outcome *outcomes, size_t count);

/* Returns false if the outputs of a listed case are missing or incomplete. Another program may have
 * removed them, and then nothing was compared. */
bool reference_is_whole(const struct expectation *expectation);

#endif
