/* SPDX-License-Identifier: MIT
 *
 * Bulk copies: cp.async.bulk, cp.async.bulk.tensor and their reductions.
 */
#ifndef SIMTCHECK_SIM_BULK_H
#define SIMTCHECK_SIM_BULK_H

#include "transfers.h"

void bulk_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void bulk_commit(struct warp *warp, uint32_t lanes);
void bulk_wait(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
/* Makes the copies that complete on that object, until its phase is complete. */
void bulk_complete(struct block *block, const struct mbarrier_object *object);
/* Forgets the copies of phases that a thread has seen complete. */
void bulk_note_seen(struct block *block, const struct mbarrier_object *object);

/* Call when a block starts. */
void async_start_block(struct block *block);
/* Call when the threads of a block have exited. Records a fault if copies are incomplete. */
void async_end_block(struct block *block);
void async_free_block(struct block *block);

#endif
