/* SPDX-License-Identifier: MIT
 *
 * The place of the last store to each byte of global memory, while machine.explains.
 */
#ifndef SIMTCHECK_SIM_LAST_STORES_H
#define SIMTCHECK_SIM_LAST_STORES_H

#include "machine.h"

/* Forgets all stores. Without memory, none is known. */
void last_stores_start(void);
void last_stores_note(const struct region *region, uint64_t offset, uint32_t bytes,
                      const struct simt_place *place);
/* Returns the place, or null if it is unknown. */
const struct simt_place *last_stores_find(const struct region *region, uint64_t offset);

#endif
