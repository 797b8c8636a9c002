/* SPDX-License-Identifier: MIT
 *
 * Elements of arrays, for reports.
 */
#ifndef SIMTCHECK_SIM_PLACE_NAMES_H
#define SIMTCHECK_SIM_PLACE_NAMES_H

#include "machine.h"

/* Returns the bytes of an element. If PTX declares the array as bytes, it is the size of the
 * elements that the instruction accesses. */
uint64_t element_at(const struct region *region, const struct simt_place *place);
/* Sets the element at an address of the race checker, or at an offset in a region, as the
 * instruction at `place` accesses it. */
void name_place(uintptr_t race_address, const struct simt_place *place,
                struct array_element *element);
void name_element(const struct region *region, uint64_t offset, const struct simt_place *place,
                  struct array_element *element);
/* Sets the element of a region whose first byte is at that offset, which may be outside. */
void name_index(const struct region *region, int64_t offset, const struct simt_place *place,
                struct array_element *element);

#endif
