/* SPDX-License-Identifier: MIT
 *
 * Textures and surfaces of a launch, and the instructions that use them.
 */
#ifndef SIMTCHECK_SIM_TEXTURES_H
#define SIMTCHECK_SIM_TEXTURES_H

#include "machine.h"

/* Forgets all views. Then textures_add() returns the handle of a view of that region. */
void textures_start(void);
uint64_t textures_add(const struct view *view, struct region *region);

/* OP_TEXTURE and OP_TEXTURE_QUERY. */
void use_texture(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void query_texture(char *slots, const struct op *op, uint32_t lanes);

#endif
