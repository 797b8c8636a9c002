/* SPDX-License-Identifier: MIT
 *
 * Launches by threads.
 */
#ifndef SIMTCHECK_SIM_NESTED_H
#define SIMTCHECK_SIM_NESTED_H

#include "machine.h"

/* Handles of streams in device code (cuda_runtime). A block may create more. */
enum { STREAM_TAIL = 3, STREAM_FIRE_AND_FORGET = 4, FIRST_CREATED_STREAM = 16 };
/* Returns the handle of a new stream. */
uint64_t nested_create_stream(void);
/* Launches a child grid from a lane. Returns the error, as the runtime numbers it. */
int nested_launch(struct warp *warp, uint32_t lane, const struct child *child, uint64_t stream);
/* Call when a thread has waited for its block's child grids, of which there are some. */
void nested_wait(const struct block *block, uint32_t thread);
/* Finds the first launch of the run for whose child no thread waited, and the first after whose
 * wait the block passed no barrier, so that its other threads did not wait. Null: none. */
void nested_find_unwaited(const struct simt_place **unwaited, const struct simt_place **unjoined);

#endif
