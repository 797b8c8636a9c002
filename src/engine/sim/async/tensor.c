/* SPDX-License-Identifier: MIT */
#include "tensor.h"

#include <string.h>

void tensor_store_map(const struct tensor_map *map, uint64_t address,
                      unsigned char bytes[STORED_MAP_BYTES])
{
    struct stored_map stored = {
        .magic = STORED_MAP_MAGIC,
        .type = (uint8_t)map->type,
        .rank = (uint8_t)map->rank,
        .swizzle = (uint8_t)map->swizzle,
        .is_nan_fill = map->is_nan_fill,
        .is_im2col = map->is_im2col,
        .address = address,
        .channels = (uint16_t)map->channels,
        .pixels = (uint16_t)map->pixels,
    };

    for (uint32_t d = 0; d < map->rank; d++) {
        stored.last[d] = (uint32_t)(map->sizes[d] - 1);
        stored.box[d] = (uint16_t)map->box[d];
        stored.steps[d] = (uint8_t)map->steps[d];
    }
    for (uint32_t d = 0; d + 1 < map->rank; d++)
        stored.strides[d] = map->strides[d];
    for (uint32_t d = 0; d + 2 < map->rank; d++) {
        stored.lower[d] = (int16_t)map->lower[d];
        stored.upper[d] = (int16_t)map->upper[d];
    }
    memset(bytes, 0, STORED_MAP_BYTES);
    memcpy(bytes, &stored, sizeof stored);
}

/* ---- Boxes ---- */

/* The elements of a dimension that a box holds. */
static uint32_t box_count(const struct stored_map *map, uint32_t dimension)
{
    uint32_t step = dimension == 0 ? 1 : map->steps[dimension];

    return (map->box[dimension] + step - 1) / step;
}

/* Returns the bytes of a row, whose elements are adjacent in shared and in global memory. */
static uint32_t row_bytes(const struct stored_map *map)
{
    uint32_t bytes = tensor_type_bytes((enum tensor_type)map->type);

    return (map->is_im2col ? map->channels : box_count(map, 0)) * bytes;
}

/* Returns the distance of rows in shared memory. A swizzle pads rows to its span. */
static uint32_t row_pitch(const struct stored_map *map)
{
    uint32_t bytes = row_bytes(map), span = map->swizzle != 0 ? 16u << map->swizzle : 0;

    return bytes < span ? span : bytes;
}

static uint32_t row_count(const struct stored_map *map)
{
    uint32_t count = 1;

    if (map->is_im2col)
        return map->pixels;
    for (uint32_t d = 1; d < map->rank; d++)
        count *= box_count(map, d);
    return count;
}

uint32_t tensor_box_bytes(const struct tensor_box *box)
{
    return row_bytes(&box->map) * row_count(&box->map);
}

/* A pattern of 32, 64 or 128 bytes exchanges units of 16 bytes: their number, by the number of the
 * line of 128 bytes. */
static uint32_t swizzled(const struct stored_map *map, uint32_t offset)
{
    static const uint32_t masks[] = {0, 1, 3, 7};

    return offset ^ (offset >> 7 & masks[map->swizzle]) << 4;
}

/* A row of the box. */
struct row {
    uint32_t shared;
    bool is_inside;  /* in all dimensions but the first */
    uint64_t global; /* address of the element with coordinate 0 in the first dimension */
};

static void walk_row(const struct tensor_box *box, const struct row *row, tensor_piece *piece,
                     void *context)
{
    const struct stored_map *map = &box->map;
    uint32_t bytes = row_bytes(map), size = tensor_type_bytes((enum tensor_type)map->type);
    int64_t end = ((int64_t)map->last[0] + 1) * size;

    if (box->is_store)
        end = (end + 15) / 16 * 16;

    for (uint32_t at = 0; at < bytes;) {
        int64_t offset = (int64_t)box->at[0] * size + at;
        bool is_inside = row->is_inside && offset >= 0 && offset < end;
        int64_t next = is_inside ? end : row->is_inside && offset < 0 ? 0 : offset + 16;
        uint32_t shared = row->shared + at, part = 16 - shared % 16;
        if (part > bytes - at)
            part = bytes - at;
        if (next - offset < (int64_t)part)
            part = (uint32_t)(next - offset);
        piece(context, swizzled(map, shared), is_inside, row->global + (uint64_t)offset, part);
        at += part;
    }
}

static void walk_tile(const struct tensor_box *box, uint32_t start, tensor_piece *piece,
                      void *context)
{
    const struct stored_map *map = &box->map;
    uint32_t rows = row_count(map), pitch = row_pitch(map);

    for (uint32_t r = 0; r < rows; r++) {
        struct row row = {start + r * pitch, true, map->address};
        for (uint32_t d = 1, left = r; d < map->rank; d++) {
            uint32_t count = box_count(map, d);
            int64_t at = box->at[d] + (int64_t)(left % count) * map->steps[d];
            left /= count;
            row.is_inside = row.is_inside && at >= 0 && at <= (int64_t)map->last[d];
            row.global += (uint64_t)at * map->strides[d - 1];
        }
        walk_row(box, &row, piece, context);
    }
}

/* Moves to the next pixel of the bounding box, innermost dimension first. */
static void next_pixel(const struct stored_map *map, int64_t at[TENSOR_RANK])
{
    for (uint32_t d = 1; d + 1 < map->rank; d++) {
        at[d] += map->steps[d];
        if (at[d] <= (int64_t)map->last[d] + map->upper[d - 1])
            return;
        at[d] = map->lower[d - 1];
    }
    at[map->rank - 1] += map->steps[map->rank - 1];
}

static void walk_pixels(const struct tensor_box *box, uint32_t start, tensor_piece *piece,
                        void *context)
{
    const struct stored_map *map = &box->map;
    int64_t at[TENSOR_RANK] = {0};

    for (uint32_t d = 1; d < map->rank; d++)
        at[d] = box->at[d];
    for (uint32_t p = 0; p < map->pixels; p++) {
        struct row row = {start + p * row_pitch(map), true, map->address};
        for (uint32_t d = 1; d < map->rank; d++) {
            int64_t from = at[d] + (d + 1 < map->rank ? box->offsets[d - 1] : 0);
            row.is_inside = row.is_inside && from >= 0 && from <= (int64_t)map->last[d];
            row.global += (uint64_t)from * map->strides[d - 1];
        }
        walk_row(box, &row, piece, context);
        next_pixel(map, at);
    }
}

void tensor_walk(const struct tensor_box *box, uint32_t start, tensor_piece *piece, void *context)
{
    if (box->map.is_im2col)
        walk_pixels(box, start, piece, context);
    else
        walk_tile(box, start, piece, context);
}

/* The NaN of every float type consists of the bytes f7 7f. */
void tensor_fill(const struct stored_map *map, char *to, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes; k++)
        to[k] = (char)(!map->is_nan_fill ? 0 : k % 2 == 0 ? 0xf7 : 0x7f);
}

/* Rounds to 10 bits of mantissa, to nearest, ties to even. */
static uint32_t tf32_of(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
}

void tensor_convert(const struct stored_map *map, char *elements, uint32_t bytes)
{
    if (map->type != TENSOR_TF32 && map->type != TENSOR_TF32_FTZ)
        return;
    for (uint32_t k = 0; k < bytes; k += 4) {
        uint32_t bits;
        memcpy(&bits, elements + k, sizeof bits);
        bits = tf32_of(bits);
        memcpy(elements + k, &bits, sizeof bits);
    }
}

const char *tensor_ptx_type(const struct stored_map *map, const char *reduction)
{
    static const char *const names[TENSOR_TYPES] = {
        "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32", "f32", "f32"};
    uint32_t size = tensor_type_bytes((enum tensor_type)map->type);

    if (strcmp(reduction, "and") == 0 || strcmp(reduction, "or") == 0 ||
        strcmp(reduction, "xor") == 0)
        return size == 4 ? "b32" : size == 8 ? "b64" : names[map->type];
    return names[map->type];
}
