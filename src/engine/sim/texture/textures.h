/* SPDX-License-Identifier: MIT
 *
 * Textures and surfaces of a launch, and the instructions that use them.
 */
#ifndef SIMTCHECK_SIM_TEXTURES_H
#define SIMTCHECK_SIM_TEXTURES_H

#include "machine.h"

/* Forgets all views. Then textures_add() returns the handle of a view of the texels at that
 * address, or 0 if memory runs out. */
void textures_start(void);
uint64_t textures_add(const struct view *view, uint64_t address);
/* Makes a handle invalid. */
void textures_remove(uint64_t handle);
/* Returns the bytes of all texels of a view. */
uint64_t textures_bytes(const struct view *view);

/* OP_TEXTURE and OP_TEXTURE_QUERY. */
void use_texture(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void query_texture(char *slots, const struct op *op, uint32_t lanes);

#endif
