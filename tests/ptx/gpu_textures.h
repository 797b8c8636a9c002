/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_TESTS_GPU_TEXTURES_H
#define SIMTCHECK_TESTS_GPU_TEXTURES_H

#include "catalogue.h"

/* Makes a texture object with those texels on the GPU that gpu_open() has opened. Returns false on
 * error. gpu_texture_free() destroys it. */
bool gpu_texture(const struct view *view, const void *texels, uint64_t *handle);
void gpu_texture_free(void);

#endif
