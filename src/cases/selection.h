/* SPDX-License-Identifier: MIT
 *
 * What is selected of a catalogue, and which of its cases.
 */
#ifndef SIMTCHECK_CASES_SELECTION_H
#define SIMTCHECK_CASES_SELECTION_H

#include "plan.h"

enum { MAX_GLOBS = 64 };

struct selection {
    const char *globs[MAX_GLOBS]; /* of ids */
    size_t glob_count;            /* 0: every kernel */
    bool kinds[2];                /* by enum variant_kind */
    struct plan_request cases;
};

/* Is the variant among those selected? */
bool selection_has(const struct selection *selection, const struct variant *variant);

/* Has the user limited the shapes, so that not all that a descriptor claims need show? */
bool selection_is_limited(const struct selection *selection);

/* Why the variant cannot run under the profile that was chosen; null: it can. */
const char *selection_lacks(const struct selection *selection, const struct variant *variant);

/* A glob that matches no id of the catalogue; null when each matches one. */
const char *selection_unmatched(const struct selection *selection,
                                const struct catalogue *catalogue);

/* Is any variant of the catalogue selected; and one that takes blocks and sizes like the shape's?
 */
bool selection_has_any(const struct selection *selection, const struct catalogue *catalogue);
bool selection_takes(const struct selection *selection, const struct catalogue *catalogue,
                     const struct shape *shape);

/* Is there a case to run? */
bool selection_has_cases(const struct selection *selection, const struct catalogue *catalogue);

#endif
