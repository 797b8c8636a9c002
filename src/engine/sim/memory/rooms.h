/* SPDX-License-Identifier: MIT
 *
 * Rooms: pieces of one reserved range, which holds the bytes of all arrays of global memory. A room
 * is identified by its offset in the range. The race checkers know a byte by that offset, too.
 */
#ifndef SIMTCHECK_SIM_ROOMS_H
#define SIMTCHECK_SIM_ROOMS_H

#include <stdbool.h>
#include <stdint.h>

struct region;

#define ROOMS_BYTES (UINT64_C(8) << 30)
enum { ROOM_ALIGNMENT = 256 };
enum { GARBAGE = 0xa5 }; /* the contents of unwritten memory */

/* The bytes, and for each byte whether it was written: rooms_written[k] is 0 for all bytes of a
 * new room. */
extern char *rooms_host;
extern uint8_t *rooms_written;

bool rooms_open(void);
void rooms_close(void);
/* Frees all rooms. Bytes that rooms_spare() has named are known to be unwritten. */
void rooms_clear(void);
void rooms_spare(uint64_t offset, uint64_t bytes);

/* Reserves a room, at a multiple of ROOM_ALIGNMENT. Returns false if too little is left. */
bool rooms_take(uint64_t bytes, uint64_t *offset);
/* Reserves a room as host memory of a region, at bytes that have the same distance from a multiple
 * of ROOM_ALIGNMENT as that address. */
bool rooms_take_region(struct region *region, uint64_t bytes, uint64_t address);
/* Frees a room of that many bytes. Its memory goes back to the system. */
void rooms_free(uint64_t offset, uint64_t bytes);

/* Returns the bytes from the start of the range that rooms have ever used since rooms_clear(). */
uint64_t rooms_used(void);

#endif
