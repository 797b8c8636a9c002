/* SPDX-License-Identifier: MIT
 *
 * A captured launch with its memory, in a file that the workers map. The file has this structure,
 * and then the contents of each buffer before and after the launch. Pieces of zeros are holes.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_IMAGE_H
#define SIMTCHECK_CASES_LAUNCH_IMAGE_H

#include "catalogue.h"

enum { IMAGE_NAME = 96, IMAGE_SYMBOL = 8192, IMAGE_VARIABLE = 512 };

struct launch_image {
    struct invocation invocation; /* its pointers are those of the process that opened the image */
    char kernel[IMAGE_SYMBOL];
    uint64_t bytes;  /* of the file */
    bool has_result; /* the GPU completed the launch */
    struct image_buffer {
        char name[IMAGE_NAME];
        char variable[IMAGE_VARIABLE]; /* "": memory */
        bool is_changed;               /* by the launch on the GPU */
        uint64_t before, after;        /* where in the file its contents are */
    } buffers[MAX_BUFFERS];
};

/* Sets the places of the contents in the file, and its size. The invocation must have the buffers.
 * One that is not changed has its contents once. */
void launch_image_lay_out(struct launch_image *image);

/* Opens an image. Returns null with an error message in `error`. */
struct launch_image *launch_image_open(const char *path, char *error, size_t error_size);
void launch_image_close(struct launch_image *image); /* may be null */

/* Returns the contents of buffer k after the launch on the GPU. */
const void *launch_image_after(const struct variant *variant, uint32_t k);

/* `invoke` and `expected` of the variant of a launch with an image. */
void launch_image_invoke(const struct variant *variant, const struct shape *shape,
                         struct invocation *out);
bool launch_image_expect(const struct expectation *expectation);

#endif
