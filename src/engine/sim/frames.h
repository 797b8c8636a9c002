/* SPDX-License-Identifier: MIT
 *
 * Frames of calls, and the life of a warp.
 */
#ifndef SIMTCHECK_SIM_FRAMES_H
#define SIMTCHECK_SIM_FRAMES_H

#include "machine.h"

struct frame *push_frame(struct warp *warp, const struct function_code *code, struct frame *outer,
                         uint32_t lanes);
void leave_frame(struct frame *frame, uint32_t lanes);
void free_frames(struct function_code *code);

void start_warp(struct warp *warp, struct block *block, uint32_t number);
/* Call when the warp's block ends. */
void end_warp(struct warp *warp);
void free_warp(struct warp *warp);

#endif
