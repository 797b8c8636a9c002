/* SPDX-License-Identifier: MIT
 *
 * Names of places in memory, for reports.
 */
#ifndef SIMTCHECK_SIM_PLACE_NAMES_H
#define SIMTCHECK_SIM_PLACE_NAMES_H

#include "machine.h"

/* Returns the bytes of an element. If PTX declares the array as bytes, it is the size of the
 * elements that the instruction accesses. */
uint64_t element_at(const struct region *region, const struct simt_place *place);
void name_place(uintptr_t race_address, const struct simt_place *place, char *name, size_t size);
void name_element(const struct region *region, uint64_t offset, const struct simt_place *place,
                  char *name, size_t size);

#endif
