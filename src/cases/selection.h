/* SPDX-License-Identifier: MIT
 *
 * The selected variants of a catalogue, and the request for their cases.
 */
#ifndef SIMTCHECK_CASES_SELECTION_H
#define SIMTCHECK_CASES_SELECTION_H

#include "plan.h"

enum { MAX_GLOBS = 64 };

struct selection {
    const char *globs[MAX_GLOBS]; /* of ids */
    size_t glob_count;            /* 0: every kernel */
    bool kinds[2];                /* indexed by enum variant_kind */
    struct plan_request cases;
};

/* Returns whether the variant is selected. */
bool selection_has(const struct selection *selection, const struct variant *variant);

/* Returns whether the user limited the shapes, so that not every declared defect may show. */
bool selection_is_limited(const struct selection *selection);

/* Returns why the variant cannot run under the chosen profile, or null if it can. */
const char *selection_lacks(const struct selection *selection, const struct variant *variant);

/* Checks that the selection has variants of the catalogue, and shapes that fit them. Returns false
 * after an error message. */
bool selection_fits(const struct selection *selection, const struct catalogue *catalogue);

#endif
