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

/* Return a new array in which nothing is written, or null if there is no room. arrays_add() chooses
 * its address. arrays_place() places it: returns null, too, if an array is there already. `host`:
 * the caller's memory for its bytes, at the same distance from a multiple of 4 as the address;
 * null: the simulator's memory. arrays_share() places it at the host's own address of its bytes.
 * `name` belongs to the caller. */
struct region *arrays_add(const char *name, uint64_t count, uint32_t element_bytes);
struct region *arrays_place(const char *name, uint64_t count, uint32_t element_bytes,
                            uint64_t address, char *host);
struct region *arrays_share(const char *name, uint64_t count, uint32_t element_bytes);

/* Frees the memory of an array. Accesses to it are reported as use after free: always, if
 * arrays_add() made it, and else until another array is placed there. */
void arrays_remove(struct region *region);

/* Returns the address of the array that is the k-th of all that arrays_add() makes. */
uint64_t arrays_address(uint32_t k);

/* Returns the array that an address is in. Returns a region without memory, or a near array, if
 * there is none. */
struct region *arrays_find(uint64_t address);
/* Returns the array with that address for the race checkers, or null. */
const struct region *arrays_named(uintptr_t race_address);
/* Returns the host address of a byte, from its address for the race checkers. */
uintptr_t arrays_host_of(uintptr_t race_address);
/* Returns whether any array's bytes are in the caller's memory. */
bool arrays_are_foreign(void);

/* Raises a fault that names the array if it was freed. */
void arrays_check_freed(const struct region *region, uint32_t lane, const char *verb,
                        uint32_t bytes);

/* Reserves host memory without an address in the simulated GPU. Returns false if too little is
 * left. */
bool arrays_take(struct region *region, uint64_t bytes);

enum { GARBAGE = 0xa5 }; /* the contents of unwritten memory */

#endif
