/* SPDX-License-Identifier: MIT
 *
 * The stand-in for the CUDA runtime: types of its binary interface, and what its files share. The
 * build does not need the CUDA Toolkit, so the types are declared here, with names of our own.
 * RUNTIME_VERSION is 11, 12 or 13: each is a library of its own.
 */
#ifndef SIMTCHECK_EXEC_RUNTIME_H
#define SIMTCHECK_EXEC_RUNTIME_H

#include "core.h"
#include "cuda_array.h"

/* Records the error of a call for cudaGetLastError(). Returns it. */
int runtime_note(int error);

/* The body of a function of the API. */
#define RUNTIME_CALL(expression) runtime_note(EXEC_CALL(expression))

/* Declares and defines a function of the API. */
#define API(name, ...)                                                                             \
    EXEC_PUBLIC int name(__VA_ARGS__);                                                             \
    int name(__VA_ARGS__)

typedef struct exec_stream *stream_t;

struct dim3 {
    unsigned int x, y, z;
};

struct pitched_pointer {
    void *address;
    size_t pitch, xsize, ysize;
};

struct extent3 {
    size_t width, height, depth;
};

struct position3 {
    size_t x, y, z;
};

struct location {
    int type, id;
};

struct copy_3d {
    struct exec_array *from_array;
    struct position3 from_position;
    struct pitched_pointer from;
    struct exec_array *to_array;
    struct position3 to_position;
    struct pitched_pointer to;
    struct extent3 extent;
    int kind;
};

struct launch_config {
    struct dim3 grid, block;
    size_t shared_bytes;
    stream_t stream;
    const struct exec_launch_attribute *attributes;
    unsigned int attribute_count;
};

struct channel_format {
    int bits[4], kind;
};

/* Finds the kernel of a host function, or of a handle that __cudaGetKernel() returned. */
int runtime_function(const void *handle, struct exec_function **function);
/* Finds the address of a device variable by the address of its host variable. */
int runtime_symbol(const void *symbol, void **address, size_t *bytes);
/* Fills in a launch, whose place in the program is `site`. */
int runtime_launch(const struct launch_config *config, const void *function, void **arguments,
                   const struct exec_site *site);
int runtime_config(const struct launch_config *config, const void *function,
                   struct exec_launch *launch);
/* Converts the format of a texel. */
struct exec_format runtime_format(const struct channel_format *format);
/* Converts the parameters of a copy between memory or arrays. */
int runtime_box(const struct copy_3d *copy, struct exec_box *box);

#endif
