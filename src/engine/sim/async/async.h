/* SPDX-License-Identifier: MIT
 *
 * Asynchronous copies of threads: cp.async.
 */
#ifndef SIMTCHECK_SIM_ASYNC_H
#define SIMTCHECK_SIM_ASYNC_H

#include "machine.h"

void async_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void async_commit(struct warp *warp, uint32_t lanes);
void async_wait(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
void async_exit(struct warp *warp, uint32_t lane);
void async_forget(struct warp *warp, uint32_t lane);
/* Makes all copies of the thread. */
void async_make_all(struct warp *warp, uint32_t lane);

/* Returns true if the schedule makes a copy at its request. */
bool async_is_early(void);

#endif
