/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: CUDA arrays.
 */
#include "cuda_array.h"
#include "runtime.h"

typedef struct exec_array *array_t;

struct exec_format runtime_format(const struct channel_format *format)
{
    const int *bits = format->bits;
    bool is_even = true;
    unsigned int lanes = 0;

    while (lanes < 4 && bits[lanes] != 0)
        lanes++;
    for (unsigned int k = 1; k < 4; k++)
        is_even = is_even && bits[k] == (k < lanes ? bits[0] : 0);
    return (struct exec_format){format->kind, is_even ? (unsigned int)bits[0] : 0, lanes};
}

static struct channel_format channels_of(const struct exec_format *format)
{
    struct channel_format made = {.kind = format->kind};

    for (unsigned int k = 0; k < format->lanes; k++)
        made.bits[k] = (int)format->bits;
    return made;
}

EXEC_PUBLIC struct channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind);

struct channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct channel_format){{x, y, z, w}, kind};
}

/* ---- Arrays ---- */

static int create(array_t *array, const struct channel_format *format, struct extent3 extent,
                  unsigned int flags)
{
    const struct exec_array wanted = {.format = runtime_format(format),
                                      .width = extent.width,
                                      .height = extent.height,
                                      .depth = extent.depth,
                                      .flags = flags};

    return exec_array_create(&wanted, array);
}

API(cudaMallocArray, array_t *array, const struct channel_format *format, size_t width,
    size_t height, unsigned int flags)
{
    const struct extent3 extent = {width, height, 0};

    return RUNTIME_CALL(create(array, format, extent, flags));
}

API(cudaMalloc3DArray, array_t *array, const struct channel_format *format, struct extent3 extent,
    unsigned int flags)
{
    return RUNTIME_CALL(create(array, format, extent, flags));
}

API(cudaFreeArray, array_t array)
{
    return RUNTIME_CALL(exec_array_free(array));
}

static int describe(struct channel_format *format, struct extent3 *extent, unsigned int *flags,
                    array_t array)
{
    int error = exec_array_check(array);

    if (error != EXEC_SUCCESS)
        return error;
    if (format != NULL)
        *format = channels_of(&array->format);
    if (extent != NULL)
        *extent = (struct extent3){array->width, array->height, array->depth};
    if (flags != NULL)
        *flags = array->flags;
    return EXEC_SUCCESS;
}

API(cudaArrayGetInfo, struct channel_format *format, struct extent3 *extent, unsigned int *flags,
    array_t array)
{
    return RUNTIME_CALL(describe(format, extent, flags, array));
}

API(cudaGetChannelDesc, struct channel_format *format, array_t array)
{
    return RUNTIME_CALL(describe(format, NULL, NULL, array));
}

API(cudaDeviceGetTexture1DLinearMaxWidth, size_t *width, const struct channel_format *format,
    int device)
{
    (void)format, (void)device;
    *width = (size_t)1 << 28;
    return EXEC_SUCCESS;
}

/* ---- Copies ---- */

/* Copies rows. All sizes and offsets are in bytes. */
static int copy_rows(const struct exec_side *to, const struct exec_side *from, size_t width,
                     size_t height, int kind, stream_t stream, bool is_blocking)
{
    struct exec_box box;
    int error = exec_box_between(to, from, width, height, 1, &box);

    return error == EXEC_SUCCESS ? exec_copy(&box, kind, stream, is_blocking) : error;
}

static int copy_to(array_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                   size_t height, int kind, stream_t stream, bool is_blocking)
{
    const struct exec_side target = {.array = to, .x = x, .y = y},
                           source = {.memory = from, .pitch = pitch};

    return copy_rows(&target, &source, width, height, kind, stream, is_blocking);
}

static int copy_from(void *to, size_t pitch, array_t from, size_t x, size_t y, size_t width,
                     size_t height, int kind, stream_t stream, bool is_blocking)
{
    const struct exec_side target = {.memory = to, .pitch = pitch},
                           source = {.array = from, .x = x, .y = y};

    return copy_rows(&target, &source, width, height, kind, stream, is_blocking);
}

API(cudaMemcpy2DToArray, array_t to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind)
{
    return RUNTIME_CALL(copy_to(to, x, y, from, pitch, width, height, kind, NULL, true));
}

API(cudaMemcpy2DToArrayAsync, array_t to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind, stream_t stream)
{
    return RUNTIME_CALL(copy_to(to, x, y, from, pitch, width, height, kind, stream, false));
}

API(cudaMemcpy2DFromArray, void *to, size_t pitch, array_t from, size_t x, size_t y, size_t width,
    size_t height, int kind)
{
    return RUNTIME_CALL(copy_from(to, pitch, from, x, y, width, height, kind, NULL, true));
}

API(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch, array_t from, size_t x, size_t y,
    size_t width, size_t height, int kind, stream_t stream)
{
    return RUNTIME_CALL(copy_from(to, pitch, from, x, y, width, height, kind, stream, false));
}

API(cudaMemcpy2DArrayToArray, array_t to, size_t to_x, size_t to_y, array_t from, size_t from_x,
    size_t from_y, size_t width, size_t height, int kind)
{
    const struct exec_side target = {.array = to, .x = to_x, .y = to_y},
                           source = {.array = from, .x = from_x, .y = from_y};

    return RUNTIME_CALL(copy_rows(&target, &source, width, height, kind, NULL, false));
}

/* The bytes of these copies may continue in the next row. */
API(cudaMemcpyToArray, array_t to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    return RUNTIME_CALL(exec_copy_bytes(&(struct exec_side){.array = to, .x = x, .y = y},
                                        &(struct exec_side){.memory = from}, bytes, kind, NULL,
                                        true));
}

API(cudaMemcpyToArrayAsync, array_t to, size_t x, size_t y, const void *from, size_t bytes,
    int kind, stream_t stream)
{
    return RUNTIME_CALL(exec_copy_bytes(&(struct exec_side){.array = to, .x = x, .y = y},
                                        &(struct exec_side){.memory = from}, bytes, kind, stream,
                                        false));
}

API(cudaMemcpyFromArray, void *to, array_t from, size_t x, size_t y, size_t bytes, int kind)
{
    return RUNTIME_CALL(exec_copy_bytes(&(struct exec_side){.memory = to},
                                        &(struct exec_side){.array = from, .x = x, .y = y}, bytes,
                                        kind, NULL, true));
}

API(cudaMemcpyFromArrayAsync, void *to, array_t from, size_t x, size_t y, size_t bytes, int kind,
    stream_t stream)
{
    return RUNTIME_CALL(exec_copy_bytes(&(struct exec_side){.memory = to},
                                        &(struct exec_side){.array = from, .x = x, .y = y}, bytes,
                                        kind, stream, false));
}

API(cudaMemcpyArrayToArray, array_t to, size_t to_x, size_t to_y, array_t from, size_t from_x,
    size_t from_y, size_t bytes, int kind)
{
    return RUNTIME_CALL(exec_copy_bytes(
        &(struct exec_side){.array = to, .x = to_x, .y = to_y},
        &(struct exec_side){.array = from, .x = from_x, .y = from_y}, bytes, kind, NULL, false));
}
