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

#include "launch_text.h"

/* Reads the options of a map, after its array and up to its ')'. Returns false with the reader's
 * error. */
bool launch_map_read(struct reader *reader, struct launch_text *launch, struct launch_map *map);

/* Computes the parameters of a map, for an array of so many bytes. Returns false with an error
 * message in `error` if cuTensorMapEncodeTiled() or cuTensorMapEncodeIm2col() would reject them. */
bool launch_map_place(const struct launch_text *launch, const struct launch_map *map,
                      const struct number variables[VARIABLES], uint64_t bytes,
                      struct tensor_map *placed, char *error, size_t error_size);

#endif
