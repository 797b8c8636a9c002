/* SPDX-License-Identifier: MIT
 *
 * Reads the textures and surfaces of a launch.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_VIEWS_H
#define SIMTCHECK_CASES_LAUNCH_VIEWS_H

#include "launch_reader.h"

/* Takes "texture" or "surface" if it is that keyword. Returns whether it did. */
bool launch_views_take(struct reader *reader, bool *is_surface);

/* Reads a texture or surface after that word, and sets *number to its number. */
bool launch_views_read(struct launch_reader *text, bool is_surface, uint32_t *number);

#endif
