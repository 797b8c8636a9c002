/* SPDX-License-Identifier: MIT
 *
 * The driver API: the linker, cuLink*(). It accepts one input, as PTX or a fat binary. That is the
 * result, which the program then loads as a module.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_PTX = 1, INPUT_FAT_BINARY = 2, INPUT_LIBRARY = 4, INFO_LOG = 3, ERROR_LOG = 5 };

struct link {
    char *image; /* null: no input yet */
    size_t bytes;
};

static int create(unsigned int count, const int *options, void *const *values, struct link **made)
{
    for (unsigned int k = 0; k < count; k++)
        if ((options[k] == INFO_LOG || options[k] == ERROR_LOG) && values[k] != NULL)
            *(char *)values[k] = '\0';
    *made = calloc(1, sizeof **made);
    return *made != NULL ? exec_start() : EXEC_OUT_OF_MEMORY;
}

API(cuLinkCreate_v2, unsigned int count, int *options, void **values, struct link **made)
{
    return EXEC_CALL(create(count, options, values, made));
}

/* Takes over the image. */
static int add(struct link *link, int type, char *image, size_t bytes)
{
    if (link != NULL && link->image == NULL && (type == INPUT_PTX || type == INPUT_FAT_BINARY)) {
        link->image = image;
        link->bytes = bytes;
        return image != NULL ? EXEC_SUCCESS : EXEC_OUT_OF_MEMORY;
    }
    free(image);
    if (link == NULL)
        return EXEC_INVALID_HANDLE;
    return link->image != NULL ? exec_unsupported("cuLink*() with a second input")
                               : exec_unsupported("cuLink*() with input of type %d", type);
}

static int add_data(struct link *link, int type, const void *data, size_t bytes)
{
    char *image = malloc(bytes + 1);

    if (image != NULL) {
        memcpy(image, data, bytes);
        image[bytes] = '\0';
    }
    return add(link, type, image, bytes + 1);
}

API(cuLinkAddData_v2, struct link *link, int type, void *data, size_t bytes, const char *name,
    unsigned int count, int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    return EXEC_CALL(add_data(link, type, data, bytes));
}

/* The library of the device runtime adds nothing: the simulator has its functions. */
static int add_file(struct link *link, int type, const char *path)
{
    size_t bytes = 0;
    char *image;

    if (type == INPUT_LIBRARY && strstr(path, "libcudadevrt") != NULL)
        return EXEC_SUCCESS;
    image = driver_read_file(path, &bytes);
    return image != NULL ? add(link, type, image, bytes) : EXEC_FILE_NOT_FOUND;
}

API(cuLinkAddFile_v2, struct link *link, int type, const char *path, unsigned int count,
    int *options, void **values)
{
    (void)count, (void)options, (void)values;
    return EXEC_CALL(add_file(link, type, path));
}

API(cuLinkComplete, struct link *link, void **image, size_t *bytes)
{
    if (link == NULL || link->image == NULL)
        return EXEC_INVALID_VALUE;
    *image = link->image;
    if (bytes != NULL)
        *bytes = link->bytes;
    return EXEC_SUCCESS;
}

API(cuLinkDestroy, struct link *link)
{
    if (link != NULL)
        free(link->image);
    free(link);
    return EXEC_SUCCESS;
}
