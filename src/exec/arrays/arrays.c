/* SPDX-License-Identifier: MIT */
#include "cuda_array.h"

#include "internal.h"

#include <stdlib.h>

enum { MOST_WIDTH = 131072, MOST_HEIGHT = 65536, MOST_DEPTH = 16384 };

/* Freed ones stay, for reports of wrong uses. */
static struct exec_array *arrays;

size_t exec_texel_bytes(const struct exec_format *format)
{
    return (size_t)format->bits / 8 * format->lanes;
}

static size_t rows_of(const struct exec_array *array)
{
    return array->height > 0 ? array->height : 1;
}

static size_t layers_of(const struct exec_array *array)
{
    return array->depth > 0 ? array->depth : 1;
}

static size_t row_bytes(const struct exec_array *array)
{
    return array->width * exec_texel_bytes(&array->format);
}

int exec_array_check(const struct exec_array *array)
{
    for (const struct exec_array *one = arrays; one != NULL; one = one->next)
        if (one == array)
            return EXEC_SUCCESS;
    wrong_call("%s(): %p is no CUDA array", exec_site().name, (const void *)array);
    return EXEC_INVALID_HANDLE;
}

/* ---- Making arrays ---- */

static int check_format(const struct exec_format *format)
{
    bool has_bits = format->bits == 8 || format->bits == 16 || format->bits == 32;

    if (has_bits && (format->lanes == 1 || format->lanes == 2 || format->lanes == 4) &&
        format->kind >= EXEC_SIGNED && format->kind <= EXEC_FLOAT &&
        (format->kind != EXEC_FLOAT || format->bits != 8))
        return EXEC_SUCCESS;
    return exec_unsupported("arrays of texels with %u components of %u bits of kind %d",
                            format->lanes, format->bits, format->kind);
}

/* Returns what is wrong with the extent, or null. */
static const char *wrong_extent(const struct exec_array *array)
{
    bool is_layered = array->flags & EXEC_LAYERED, is_cubemap = array->flags & EXEC_CUBEMAP;

    if (array->width == 0)
        return "the width is 0";
    if (array->width > MOST_WIDTH || array->height > MOST_HEIGHT || array->depth > MOST_DEPTH)
        return "the array is larger than a texture of the GPU may be";
    if (is_layered && array->depth == 0)
        return "a layered array has no layers";
    if (is_cubemap && (array->width != array->height || array->depth % 6 != 0 ||
                       array->depth == 0 || (!is_layered && array->depth != 6)))
        return "a cubemap consists of 6 squares";
    if (array->height == 0 && array->depth > 0 && !is_layered)
        return "the height is 0, and the depth is not";
    return NULL;
}

int exec_array_create(const struct exec_array *wanted, struct exec_array **made)
{
    const unsigned int known = EXEC_LAYERED | EXEC_SURFACE | EXEC_CUBEMAP | EXEC_GATHER;
    const char *wrong = wrong_extent(wanted);
    int error = check_format(&wanted->format);
    struct exec_array *array;

    if (error == EXEC_SUCCESS && (wanted->flags & ~known) != 0)
        error = exec_unsupported("arrays with flags 0x%x", wanted->flags & ~known);
    if (error == EXEC_SUCCESS && wrong != NULL) {
        wrong_call("%s(): %s", exec_site().name, wrong);
        error = EXEC_INVALID_VALUE;
    }
    array = error == EXEC_SUCCESS ? malloc(sizeof *array) : NULL;
    if (array == NULL)
        return error != EXEC_SUCCESS ? error : EXEC_OUT_OF_MEMORY;
    *array = *wanted;
    error = exec_allocate(EXEC_DEVICE, row_bytes(array) * rows_of(array) * layers_of(array),
                          &array->memory);
    if (error != EXEC_SUCCESS) {
        free(array);
        return error;
    }
    array->next = arrays;
    arrays = array;
    *made = array;
    return EXEC_SUCCESS;
}

int exec_array_free(struct exec_array *array)
{
    int error = array != NULL ? exec_array_check(array) : EXEC_SUCCESS;

    return error == EXEC_SUCCESS && array != NULL ? exec_free(EXEC_DEVICE, array->memory) : error;
}

/* ---- Copies ---- */

/* Replaces an array by its memory. */
static int take_memory(struct exec_side *side)
{
    int error = exec_array_check(side->array);

    if (error == EXEC_SUCCESS) {
        side->memory = side->array->memory;
        side->pitch = row_bytes(side->array);
        side->rows = rows_of(side->array);
    }
    return error;
}

/* Replaces an array by its memory, for a box of that size. */
static int resolve(struct exec_side *side, size_t width, size_t height, size_t depth)
{
    const struct exec_array *array = side->array;
    int error = array != NULL ? take_memory(side) : EXEC_SUCCESS;

    if (array == NULL || error != EXEC_SUCCESS)
        return error;
    if (side->x + width > row_bytes(array) || side->y + height > rows_of(array) ||
        side->z + depth > layers_of(array)) {
        wrong_call("%s() copies %zu bytes in each of %zu rows in %zu layers from byte %zu of row "
                   "%zu of layer %zu, outside of an array of %zu bytes, %zu rows, %zu layers",
                   exec_site().name, width, height, depth, side->x, side->y, side->z,
                   row_bytes(array), rows_of(array), layers_of(array));
        return EXEC_INVALID_VALUE;
    }
    return EXEC_SUCCESS;
}

static size_t layer_bytes(const struct exec_side *side)
{
    return side->pitch * side->rows;
}

static const char *start(const struct exec_side *side)
{
    return (const char *)side->memory + side->x + side->y * side->pitch +
           side->z * layer_bytes(side);
}

int exec_box_between(const struct exec_side *to, const struct exec_side *from, size_t width,
                     size_t height, size_t depth, struct exec_box *box)
{
    struct exec_side target = *to, source = *from;
    int error = resolve(&target, width, height, depth);

    if (error == EXEC_SUCCESS)
        error = resolve(&source, width, height, depth);
    *box = (struct exec_box){
        .to = (void *)(uintptr_t)start(&target),
        .from = start(&source),
        .width = width,
        .height = height,
        .depth = depth,
        .to_pitch = target.pitch,
        .from_pitch = source.pitch,
        .to_layer = layer_bytes(&target),
        .from_layer = layer_bytes(&source),
    };
    return error;
}

/* Replaces an array by its memory, for bytes in any rows. */
static int resolve_bytes(struct exec_side *side, size_t bytes)
{
    const struct exec_array *array = side->array;
    int error = array != NULL ? take_memory(side) : EXEC_SUCCESS;
    size_t at, all;

    if (array == NULL || error != EXEC_SUCCESS)
        return error;
    at = side->x + side->y * side->pitch;
    all = layer_bytes(side) * layers_of(array);
    if (at + bytes <= all)
        return EXEC_SUCCESS;
    wrong_call("%s() copies %zu bytes at byte %zu of an array of %zu bytes", exec_site().name,
               bytes, at, all);
    return EXEC_INVALID_VALUE;
}

int exec_copy_bytes(const struct exec_side *to, const struct exec_side *from, size_t bytes,
                    int kind, struct exec_stream *stream, bool is_blocking)
{
    struct exec_side target = *to, source = *from;
    int error = resolve_bytes(&target, bytes);

    if (error == EXEC_SUCCESS)
        error = resolve_bytes(&source, bytes);
    if (error != EXEC_SUCCESS)
        return error;
    return exec_copy(&(struct exec_box){.to = (void *)(uintptr_t)start(&target),
                                        .from = start(&source),
                                        .width = bytes,
                                        .height = 1,
                                        .depth = 1,
                                        .to_pitch = bytes,
                                        .from_pitch = bytes},
                     kind, stream, is_blocking);
}
