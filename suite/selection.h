/* SPDX-License-Identifier: MIT
 *
 * What the options select of a catalogue, and whether it can run.
 */
#ifndef SIMTCHECK_SUITE_SELECTION_H
#define SIMTCHECK_SUITE_SELECTION_H

#include "options.h"
#include "supervisor.h"

/* Do the options select something, and shapes for it? If not, one sentence on standard error says
 * what would be right. */
bool selection_fits(const struct options *options, const struct catalogue *catalogue);

/* Has the user limited the shapes, so that not all that a descriptor claims need show? */
bool selection_is_limited(const struct options *options);

/* Why the variant cannot run at all; null: it can. */
const char *selection_lacks(const struct options *options, const struct variant *variant,
                            const struct supervisor *supervisor);

#endif
