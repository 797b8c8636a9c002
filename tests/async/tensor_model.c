/* SPDX-License-Identifier: MIT */
#include "tensor_model.h"

static uint32_t place_of(const struct tensor_map *map, uint32_t start, uint32_t row, uint32_t byte,
                         uint32_t bytes)
{
    uint32_t span = map->swizzle == 0 ? 0 : 16u << map->swizzle;
    uint32_t at = start + row * (span > bytes ? span : bytes) + byte;

    switch (map->swizzle) {
    case 1:
        return at ^ (at / 128 % 2 * 16);
    case 2:
        return at ^ (at / 128 % 4 * 16);
    case 3:
        return at ^ (at / 128 % 8 * 16);
    default:
        return at;
    }
}

static uint64_t *model; /* of the box */

static void model_row(const struct tensor_map *map, const struct tensor_box *box, uint32_t start,
                      uint32_t row, uint32_t count, const int64_t at[TENSOR_RANK])
{
    uint32_t size = tensor_type_bytes(map->type);
    int64_t address = MODEL_BASE, end = (int64_t)map->sizes[0];
    bool is_inside = true;

    while (box->is_store && end * size % 16 != 0)
        end++;

    for (uint32_t d = 1; d < map->rank; d++) {
        is_inside = is_inside && at[d] >= 0 && at[d] < (int64_t)map->sizes[d];
        address += at[d] * (int64_t)map->strides[d - 1];
    }
    for (uint32_t k = 0; k < count * size; k++) {
        int64_t x = box->at[0] + (int64_t)(k / size);
        bool is_here = is_inside && x >= 0 && x < end;
        model[place_of(map, start, row, k, count * size)] =
            is_here ? (uint64_t)(address + x * size + k % size) : OUTSIDE;
    }
}

static void model_tile(const struct tensor_map *map, const struct tensor_box *box, uint32_t start)
{
    uint32_t row = 0, n[TENSOR_RANK] = {1, 1, 1, 1, 1}, j[TENSOR_RANK];
    int64_t at[TENSOR_RANK] = {0};

    for (uint32_t d = 1; d < map->rank; d++)
        n[d] = (map->box[d] + map->steps[d] - 1) / map->steps[d];
    for (j[4] = 0; j[4] < n[4]; j[4]++)
        for (j[3] = 0; j[3] < n[3]; j[3]++)
            for (j[2] = 0; j[2] < n[2]; j[2]++)
                for (j[1] = 0; j[1] < n[1]; j[1]++) {
                    for (uint32_t d = 1; d < map->rank; d++)
                        at[d] = box->at[d] + (int64_t)(j[d] * map->steps[d]);
                    model_row(map, box, start, row++, map->box[0], at);
                }
}

static void model_pixels(const struct tensor_map *map, const struct tensor_box *box, uint32_t start)
{
    int64_t pixel[TENSOR_RANK] = {0}, at[TENSOR_RANK] = {0};
    uint32_t last = map->rank - 1;

    for (uint32_t d = 1; d < map->rank; d++)
        pixel[d] = box->at[d];
    for (uint32_t p = 0; p < map->pixels; p++) {
        bool wraps = true;
        for (uint32_t d = 1; d < map->rank; d++)
            at[d] = pixel[d] + (d < last ? box->offsets[d - 1] : 0);
        model_row(map, box, start, p, map->channels, at);
        for (uint32_t d = 1; d < last && wraps; d++) {
            pixel[d] += map->steps[d];
            wraps = pixel[d] > (int64_t)map->sizes[d] - 1 + map->upper[d - 1];
            pixel[d] = wraps ? map->lower[d - 1] : pixel[d];
        }
        pixel[last] += wraps ? map->steps[last] : 0;
    }
}

void model_box(const struct tensor_map *map, const struct tensor_box *box, uint32_t start,
               uint64_t *bytes)
{
    model = bytes;
    if (map->is_im2col)
        model_pixels(map, box, start);
    else
        model_tile(map, box, start);
}

/* ---- Cases ---- */

static uint64_t seed = 1;

uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

void draw_map(struct tensor_map *map)
{
    uint32_t unit, most;

    *map = (struct tensor_map){.type = (enum tensor_type)draw(TENSOR_TYPES),
                               .is_im2col = draw(2) == 1};
    map->rank = map->is_im2col ? 3 + draw(3) : 1 + draw(5);
    map->swizzle = draw(4);
    unit = 16 / tensor_type_bytes(map->type);
    most = map->swizzle == 0 ? 10 : 1u << map->swizzle;
    map->channels = map->box[0] = unit * (1 + draw(most));
    map->pixels = 1 + draw(50);
    for (uint32_t d = 0; d < map->rank; d++) {
        map->sizes[d] = 1 + draw(d == 0 ? 200 : 9);
        map->steps[d] = 1 + (draw(2) == 0 ? draw(3) : 0);
        map->box[d] = d == 0 ? map->box[0] : 1 + draw(5);
    }
    for (uint32_t d = 0; d + 2 < map->rank; d++) {
        map->lower[d] = -(int32_t)draw(3);
        map->upper[d] = (int32_t)draw(3) - 1;
    }
    for (uint32_t d = 0; d + 1 < map->rank; d++)
        map->strides[d] = 16 * (1 + draw(100));
}

void draw_place(const struct tensor_map *map, struct tensor_box *box)
{
    int32_t unit = 16 / (int32_t)tensor_type_bytes(map->type);

    for (uint32_t d = 0; d < map->rank; d++)
        box->at[d] = (int32_t)draw(12) - 3;
    box->at[0] = ((int32_t)draw(30) - 5) * unit;
    for (uint32_t d = 0; map->is_im2col && d + 2 < map->rank; d++)
        box->offsets[d] = (int32_t)draw(4);
}
