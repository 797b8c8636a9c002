/* SPDX-License-Identifier: MIT
 *
 * Tensor maps, and the boxes that cp.async.bulk.tensor copies: PTX ISA, chapter 5.5.
 */
#ifndef SIMTCHECK_SIM_TENSOR_H
#define SIMTCHECK_SIM_TENSOR_H

#include "catalogue.h"

#include <stdbool.h>
#include <stdint.h>

enum { STORED_MAP_MAGIC = 0x70616d74, STORED_MAP_BYTES = 128 };

/* What the 128 bytes of a tensor map hold in the simulator. */
struct stored_map {
    uint32_t magic;
    uint8_t type, rank, swizzle, is_nan_fill, is_im2col; /* as in struct tensor_map */
    uint64_t address, strides[TENSOR_RANK - 1];
    uint32_t last[TENSOR_RANK]; /* sizes, less one */
    uint16_t box[TENSOR_RANK];
    uint8_t steps[TENSOR_RANK];
    int16_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2];
    uint16_t channels, pixels;
};
_Static_assert(sizeof(struct stored_map) <= STORED_MAP_BYTES, "it fits in a tensor map");

struct tensor_box {
    struct stored_map map;
    int32_t at[TENSOR_RANK];
    int32_t offsets[TENSOR_RANK - 2];
    bool is_store; /* it writes whole units of 16 bytes at the end of the first dimension */
};

/* Writes a map of an array at that address. */
void tensor_store_map(const struct tensor_map *map, uint64_t address,
                      unsigned char bytes[STORED_MAP_BYTES]);

/* Returns the bytes of a box in shared memory. */
uint32_t tensor_box_bytes(const struct tensor_box *box);

/* Calls `piece` for each piece of the box, of at most 16 bytes. `shared` is its offset in shared
 * memory, if the box is at `start`. A piece outside of the tensor has no place in global memory. */
typedef void tensor_piece(void *context, uint32_t shared, bool is_inside, uint64_t global,
                          uint32_t bytes);
void tensor_walk(const struct tensor_box *box, uint32_t start, tensor_piece *piece, void *context);

/* Writes what a load stores for `bytes` bytes of elements outside of the tensor. */
void tensor_fill(const struct stored_map *map, char *to, uint32_t bytes);

/* Converts elements that a load has read, as a GPU does for tf32. It flushes no subnormal numbers,
 * not even those of the types with ftz. */
void tensor_convert(const struct stored_map *map, char *elements, uint32_t bytes);

/* Returns the type of an element as PTX names it in reductions. */
const char *tensor_ptx_type(const struct stored_map *map, const char *reduction);

#endif
