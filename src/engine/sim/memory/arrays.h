/* SPDX-License-Identifier: MIT
 *
 * Global memory. Most arrays get an address from the simulator: see decode.h. Others are at an
 * address below GLOBAL_BASE that the caller chooses.
 */
#ifndef SIMTCHECK_SIM_ARRAYS_H
#define SIMTCHECK_SIM_ARRAYS_H

#include "machine.h"

bool arrays_open(void);
void arrays_close(void);
void arrays_start(void); /* forgets all arrays */

/* Return a new array in which nothing is written, or null if there is no room. `name` belongs to
 * the caller. arrays_add() chooses the address. arrays_place() uses the given one, and also returns
 * null if an array is there. `host` is the caller's memory for its bytes. Its distance from a
 * multiple of 4 must be that of the address. Null: the simulator's memory. arrays_share() uses the
 * address that the bytes have on the host. */
struct region *arrays_add(const char *name, uint64_t count, uint32_t element_bytes);
struct region *arrays_place(const char *name, uint64_t count, uint32_t element_bytes,
                            uint64_t address, char *host);
struct region *arrays_share(const char *name, uint64_t count, uint32_t element_bytes);

/* Sets all bytes of an array to written. */
void arrays_set_written(struct region *region);

/* Frees the memory of an array. Accesses to it are reported as use after free: always, if
 * arrays_add() made it, and else until another array is placed there. */
void arrays_remove(struct region *region);

/* Returns the address of the array that is the k-th of all that arrays_add() makes. */
uint64_t arrays_address(uint32_t k);

/* Returns the array that an address is in. If it is in none, returns a near array or a region
 * without memory. */
struct region *arrays_find(uint64_t address);
/* Returns the array with that address for the race checkers, or null. */
const struct region *arrays_named(uintptr_t race_address);
/* Returns the host address of a byte, from its address for the race checkers. */
uintptr_t arrays_host_of(uintptr_t race_address);
/* Returns whether any array's bytes are in the caller's memory. */
bool arrays_are_foreign(void);

/* Raises a fault that names the array if it was freed. */
void arrays_check_freed(const struct region *region, uint32_t lane, bool writes, uint32_t bytes);

#endif
