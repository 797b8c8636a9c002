/* SPDX-License-Identifier: MIT
 *
 * CUDA arrays, and texture and surface objects. The texels of an array are in memory of the GPU,
 * row by row, so copies of arrays are those of memory.
 */
#ifndef SIMTCHECK_EXEC_CUDA_ARRAY_H
#define SIMTCHECK_EXEC_CUDA_ARRAY_H

#include "core.h"

/* The numbers of cudaChannelFormatKind. */
enum { EXEC_SIGNED = 0, EXEC_UNSIGNED = 1, EXEC_FLOAT = 2 };

struct exec_format {
    int kind;
    unsigned int bits, lanes; /* of a component; lanes: components of a texel */
};

EXEC_PUBLIC size_t exec_texel_bytes(const struct exec_format *format);

/* Flags, with the numbers of cudaMalloc3DArray() and cuArray3DCreate(). */
enum { EXEC_LAYERED = 1, EXEC_SURFACE = 2, EXEC_CUBEMAP = 4, EXEC_GATHER = 8 };

struct exec_array {
    struct exec_array *next;
    struct exec_format format;
    size_t width, height, depth; /* 0: it has no such dimension; depth: also the layers */
    unsigned int flags;
    void *memory;
};

/* Makes an array as `wanted` describes it. */
EXEC_PUBLIC int exec_array_create(const struct exec_array *wanted, struct exec_array **made);
EXEC_PUBLIC int exec_array_free(struct exec_array *array);
/* Reports a handle that is no array. */
EXEC_PUBLIC int exec_array_check(const struct exec_array *array);

/* A side of a copy: an array, or memory with that pitch and that many rows in a layer. The place in
 * it begins at byte x of row y of layer z. */
struct exec_side {
    struct exec_array *array;
    const void *memory;
    size_t pitch, rows;
    size_t x, y, z;
};

/* Makes a copy of a box between two sides. Reports a box that is not inside of an array. */
EXEC_PUBLIC int exec_box_between(const struct exec_side *to, const struct exec_side *from,
                                 size_t width, size_t height, size_t depth, struct exec_box *box);

/* Copies bytes that may continue in the next row of an array. */
EXEC_PUBLIC int exec_copy_bytes(const struct exec_side *to, const struct exec_side *from,
                                size_t bytes, int kind, struct exec_stream *stream,
                                bool is_blocking);

/* ---- Objects ---- */

/* What an object reads: an array, or memory. The numbers are those of cudaResourceType. */
struct exec_resource {
    enum { EXEC_OF_ARRAY, EXEC_OF_MIPMAPS, EXEC_OF_LINEAR, EXEC_OF_PITCHED } kind;
    struct exec_array *array;
    const void *memory;
    struct exec_format format;
    size_t width, height, pitch; /* of memory: width in texels, pitch in bytes */
};

struct exec_sampling {
    int address[3]; /* the numbers of cudaTextureAddressMode */
    bool is_linear, reads_floats, is_srgb, is_normalized, is_seamless;
    float border[4];
};

/* Makes a texture object, or without sampling a surface object. `given` is the description by the
 * program, which exec_object_given() returns; null: no such object. */
EXEC_PUBLIC int exec_object_create(const struct exec_resource *resource,
                                   const struct exec_sampling *sampling, const void *given,
                                   size_t given_bytes, uint64_t *handle);
EXEC_PUBLIC int exec_object_destroy(uint64_t handle, bool is_surface);
EXEC_PUBLIC const void *exec_object_given(uint64_t handle, bool is_surface);

#endif
