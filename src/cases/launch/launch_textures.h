/* SPDX-License-Identifier: MIT
 *
 * Textures and surfaces in a line that launches a kernel:
 *
 *     texture float x[h][w] linear normalized wrap        surface out float y[h][w]
 */
#ifndef SIMTCHECK_CASES_LAUNCH_TEXTURES_H
#define SIMTCHECK_CASES_LAUNCH_TEXTURES_H

#include "expression.h"
#include "launch_types.h"

enum { MOST_EXTENTS = 3 };

/* A texture or surface object of the launch. */
struct launch_view {
    uint32_t array; /* its index */
    struct view view;
    uint32_t size_count; /* as in x[layers][height][width] */
    struct expression sizes[MOST_EXTENTS];
};

/* Reads the words after the sizes, such as "linear normalized", and checks them. `view` must have
 * its kind. Returns false with the reader's error. */
bool launch_view_read(struct reader *reader, const struct launch_type *type,
                      struct launch_view *view);

/* Computes the extents of the view. Returns false with an error message in `error`. */
bool launch_view_place(const struct launch_view *view, const char *name,
                       const struct number variables[VARIABLES], struct view *placed, char *error,
                       size_t error_size);

#endif
