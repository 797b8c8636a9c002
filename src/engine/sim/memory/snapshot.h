/* SPDX-License-Identifier: MIT
 *
 * The contents of global memory before a run that may be abandoned. Each array is saved before the
 * run's first write to it. Between the two functions, at most one snapshot is active.
 */
#ifndef SIMTCHECK_SIM_SNAPSHOT_H
#define SIMTCHECK_SIM_SNAPSHOT_H

#include "machine.h"

/* Starts a snapshot of at most `bytes` bytes. A write that needs more abandons the run. */
void snapshot_start(uint64_t bytes);
/* Ends the snapshot. Restores the contents if the run does not count. Otherwise counts the arrays
 * that are not as before in machine.changes. */
void snapshot_end(bool restores);

/* Call before a write to an array whose number of the last snapshot is below machine.snapshot. */
void snapshot_save(struct region *region);

enum { NEVER_SAVED = UINT32_MAX }; /* the number of arrays that end with the run */

#endif
