/* SPDX-License-Identifier: MIT
 *
 * Accesses of a warp to memory.
 */
#ifndef SIMTCHECK_SIM_ACCESS_H
#define SIMTCHECK_SIM_ACCESS_H

#include "machine.h"

/* Returns the region of global or shared memory that a load, store or atomic instruction accesses
 * in that lane, and the offset there. Returns null for other memory, or a wrong address. */
struct region *shared_region(const struct warp *warp, const struct frame *frame,
                             const struct op *op, uint32_t lane, uint64_t *offset);
void load(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void store(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
/* Checks the loads whose values a selp chooses for races, in the lanes that use them. */
void check_chosen(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void atomic(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);

/* struct launch_rules: signal, look. */
extern void (*access_signal)(uint64_t address, bool releases);
extern void (*access_look)(uint64_t address);

/* Records a strong read of that address by a lane, or by several lanes in the same way. */
void note_look(struct warp *warp, uint32_t lane, const struct op *op, uint64_t address);

/* Makes one access of one lane for other instructions, with the checks of load() and store().
 * Returns its address on the host. `access` is a struct op with space, bytes, kind of access and
 * place. */
char *access_lane(struct warp *warp, const struct frame *frame, const struct op *access,
                  uint32_t lane, uint64_t address, struct region **region);
/* Raises a fault for a tile of a matrix whose address is not a multiple of `bytes`. `op` is a load
 * or store of it. */
void check_tile(const struct op *op, uint32_t lane, uint64_t address, uint32_t bytes);
/* Returns true for the generic address of a variable in .const. */
bool is_constant(const struct block *block, uint64_t address);
/* Finds the memory of such an access without making it. The lane's block may be another than
 * `block`, whose shared memory is accessed. */
char *find_lane(const struct block *block, const struct op *access, uint32_t lane, uint64_t address,
                struct group *group);
/* Records a write of those bytes. */
void note_written(struct region *region, uint64_t offset, uint32_t bytes);
/* Returns the host address of text if the lane may read those bytes, and null otherwise. */
const char *readable_text(struct warp *warp, const struct frame *frame, uint32_t lane,
                          uint64_t address, uint32_t bytes);

#endif
