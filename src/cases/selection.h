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

/* Returns a glob that matches no id of the catalogue, or null if each matches one. */
const char *selection_unmatched(const struct selection *selection,
                                const struct catalogue *catalogue);

/* Return whether any variant of the catalogue is selected, and whether one of them takes blocks and
 * sizes like the shape's. */
bool selection_has_any(const struct selection *selection, const struct catalogue *catalogue);
bool selection_takes(const struct selection *selection, const struct catalogue *catalogue,
                     const struct shape *shape);

/* Returns whether there is a case to run. */
bool selection_has_cases(const struct selection *selection, const struct catalogue *catalogue);

#endif
