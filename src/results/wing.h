/* SPDX-License-Identifier: MIT
 *
 * Wings: what simtcheck has beside its core, in the folder tools/. The core includes nothing of
 * them. A program names its wings at its start.
 */
#ifndef SIMTCHECK_RESULTS_WING_H
#define SIMTCHECK_RESULTS_WING_H

#include "json_model.h"

struct command;
struct page_section;
struct part;
struct results_kind;

/* How a wing plugs in. Each list ends with an entry without a name, or with null; null: it has
 * none. */
struct wing {
    const struct command *const *commands;
    const struct part *parts;            /* of a snapshot: part.h */
    const struct results_kind *kinds;    /* files that its commands write: kinds.h */
    const struct page_section *sections; /* of the page: page.h */
    /* Returns a list of struct named_value: how much of a change of speed between two snapshots
     * is the machine's. Null: it measures no speed. */
    struct list (*machine)(const json_t *old_snapshot, const json_t *new_snapshot,
                           struct memory *memory);
};

/* The wings of this program; ends with null. */
extern const struct wing *const *wings;

/* Sets them. Call once, before anything that reads them. */
void wings_use(const struct wing *const *all);

#endif
