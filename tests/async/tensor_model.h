/* SPDX-License-Identifier: MIT
 *
 * A small model of the boxes of tensor copies, and random cases of them. The model's results were
 * compared with those of an H200.
 */
#ifndef SIMTCHECK_TESTS_TENSOR_MODEL_H
#define SIMTCHECK_TESTS_TENSOR_MODEL_H

#include "tensor.h"

enum { MODEL_BASE = 4096, OUTSIDE = 7 };

/* Writes for each byte of shared memory that the box has: its address in global memory, if the
 * tensor is at MODEL_BASE, or OUTSIDE. Other elements of `bytes` do not change. */
void model_box(const struct tensor_map *map, const struct tensor_box *box, uint32_t start,
               uint64_t *bytes);

/* Returns a random number below that one. The sequence is always the same. */
uint32_t draw(uint32_t below);
void draw_map(struct tensor_map *map);
/* Draws the coordinates and the offsets. */
void draw_place(const struct tensor_map *map, struct tensor_box *box);

#endif
