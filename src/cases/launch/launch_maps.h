/* SPDX-License-Identifier: MIT
 *
 * Tensor maps as arguments of a launch:
 *
 *     load<<<1, 128>>>(map(in float x[ny][nx], box=[16, 8], swizzle=64B), out float y[128])
 *
 * Numbers in brackets start with the innermost dimension, as those of cuTensorMapEncodeTiled().
 */
#ifndef SIMTCHECK_CASES_LAUNCH_MAPS_H
#define SIMTCHECK_CASES_LAUNCH_MAPS_H

#include "launch_reader.h"

/* Takes "map(" if it is next. Returns whether it did. */
bool launch_maps_take(struct reader *reader);

/* Reads a map after its "map(", and sets *number to its number. Returns false with the reader's
 * error. */
bool launch_maps_read(struct launch_reader *text, uint32_t *number);

/* Computes the parameters of a map, for an array, or a row of it, of so many bytes. Returns false
 * with an error message in `error` if cuTensorMapEncodeTiled() or cuTensorMapEncodeIm2col() would
 * reject them. */
bool launch_map_place(const struct launch_text *launch, const struct launch_map *map,
                      const struct number variables[VARIABLES], uint64_t bytes,
                      struct tensor_map *placed, char *error, size_t error_size);

#endif
