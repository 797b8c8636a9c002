/* SPDX-License-Identifier: MIT
 *
 * malloc() and free() in kernels.
 */
#ifndef SIMTCHECK_SIM_HEAP_H
#define SIMTCHECK_SIM_HEAP_H

#include "machine.h"

/* Reserves memory for allocations, unless there is some. Returns false if too little is left. */
bool heap_start(void);
void heap_forget(void);
/* Returns the memory that contains an address above all arrays, or a region without memory if none
 * exists. */
struct region *heap_region(uint64_t address);
uint64_t heap_allocate(struct warp *warp, uint32_t lane, uint64_t bytes);
void heap_free(struct warp *warp, uint32_t lane, uint64_t address);
/* Raises a fault that names the free(), if the region's memory was freed. */
void heap_check_freed(const struct region *region, uint32_t lane, bool writes, uint32_t bytes);
/* Raises a fault that names the malloc(), if the access is outside memory of malloc(). */
void heap_check_bounds(const struct region *region, enum fault_kind kind, uint32_t lane,
                       bool writes, uint32_t bytes, int64_t offset);
/* Writes the name of a place for reports. Returns false if it is not in memory of malloc(). */
bool heap_name(uintptr_t race_address, struct array_element *element);
/* Reports leaks at the end of a job. */
void heap_report_leaks(void);

#endif
