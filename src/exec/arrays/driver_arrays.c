/* SPDX-License-Identifier: MIT
 *
 * The driver API: CUDA arrays, and texture and surface objects.
 */
#include "cuda_array.h"
#include "driver.h"

enum { BY_ADDRESS = 4, TO_DEVICE = 1, TO_HOST = 2 };

typedef struct exec_array *array_t;

/* The numbers of CUarray_format. */
static const struct {
    int number, kind;
    unsigned int bits;
} formats[] = {
    {0x01, EXEC_UNSIGNED, 8}, {0x02, EXEC_UNSIGNED, 16}, {0x03, EXEC_UNSIGNED, 32},
    {0x08, EXEC_SIGNED, 8},   {0x09, EXEC_SIGNED, 16},   {0x0a, EXEC_SIGNED, 32},
    {0x10, EXEC_FLOAT, 16},   {0x20, EXEC_FLOAT, 32},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int format_of(int number, unsigned int lanes, struct exec_format *format)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].number == number) {
            *format = (struct exec_format){formats[k].kind, formats[k].bits, lanes};
            return EXEC_SUCCESS;
        }
    return exec_unsupported("texels of format 0x%x", (unsigned int)number);
}

static int number_of(const struct exec_format *format)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].kind == format->kind && formats[k].bits == format->bits)
            return formats[k].number;
    return 0;
}

/* ---- Arrays ---- */

struct description {
    size_t width, height;
    int format;
    unsigned int lanes;
};

struct description_3d {
    size_t width, height, depth;
    int format;
    unsigned int lanes, flags;
};

static int create(array_t *array, const struct description_3d *given)
{
    struct exec_array wanted = {.width = given->width,
                                .height = given->height,
                                .depth = given->depth,
                                .flags = given->flags};
    int error = format_of(given->format, given->lanes, &wanted.format);

    return error == EXEC_SUCCESS ? exec_array_create(&wanted, array) : error;
}

API(cuArray3DCreate_v2, array_t *array, const struct description_3d *given)
{
    return EXEC_CALL(create(array, given));
}

API(cuArrayCreate_v2, array_t *array, const struct description *given)
{
    const struct description_3d deep = {given->width,  given->height, 0,
                                        given->format, given->lanes,  0};

    return EXEC_CALL(create(array, &deep));
}

API(cuArrayDestroy, array_t array)
{
    return EXEC_CALL(exec_array_free(array));
}

static int describe(struct description_3d *description, array_t array)
{
    int error = exec_array_check(array);

    if (error == EXEC_SUCCESS)
        *description = (struct description_3d){array->width,        array->height,
                                               array->depth,        number_of(&array->format),
                                               array->format.lanes, array->flags};
    return error;
}

API(cuArray3DGetDescriptor_v2, struct description_3d *description, array_t array)
{
    return EXEC_CALL(describe(description, array));
}

API(cuArrayGetDescriptor_v2, struct description *description, array_t array)
{
    struct description_3d deep = {.width = 0};
    int error = EXEC_CALL(describe(&deep, array));

    *description = (struct description){deep.width, deep.height, deep.format, deep.lanes};
    return error;
}

API(cuDeviceGetTexture1DLinearMaxWidth, size_t *width, int format, unsigned int lanes, int device)
{
    (void)format, (void)lanes, (void)device;
    *width = (size_t)1 << 28;
    return EXEC_SUCCESS;
}

/* ---- Copies of bytes of an array ---- */

static struct exec_side in_array(array_t array, size_t offset)
{
    return (struct exec_side){.array = array, .x = offset};
}

static struct exec_side in_memory(const void *memory)
{
    return (struct exec_side){.memory = memory};
}

static int copy(struct exec_side to, struct exec_side from, size_t bytes, int kind, stream_t stream,
                bool is_blocking)
{
    return exec_copy_bytes(&to, &from, bytes, kind, stream, is_blocking);
}

API(cuMemcpyHtoA_v2, array_t to, size_t offset, const void *from, size_t bytes)
{
    return EXEC_CALL(copy(in_array(to, offset), in_memory(from), bytes, TO_DEVICE, NULL, true));
}

API(cuMemcpyHtoAAsync_v2, array_t to, size_t offset, const void *from, size_t bytes,
    stream_t stream)
{
    return EXEC_CALL(copy(in_array(to, offset), in_memory(from), bytes, TO_DEVICE, stream, false));
}

API(cuMemcpyAtoH_v2, void *to, array_t from, size_t offset, size_t bytes)
{
    return EXEC_CALL(copy(in_memory(to), in_array(from, offset), bytes, TO_HOST, NULL, true));
}

API(cuMemcpyAtoHAsync_v2, void *to, array_t from, size_t offset, size_t bytes, stream_t stream)
{
    return EXEC_CALL(copy(in_memory(to), in_array(from, offset), bytes, TO_HOST, stream, false));
}

API(cuMemcpyDtoA_v2, array_t to, size_t offset, device_pointer from, size_t bytes)
{
    return EXEC_CALL(copy(in_array(to, offset), in_memory((void *)(uintptr_t)from), bytes,
                          BY_ADDRESS, NULL, false));
}

API(cuMemcpyAtoD_v2, device_pointer to, array_t from, size_t offset, size_t bytes)
{
    return EXEC_CALL(copy(in_memory((void *)(uintptr_t)to), in_array(from, offset), bytes,
                          BY_ADDRESS, NULL, false));
}

API(cuMemcpyAtoA_v2, array_t to, size_t to_offset, array_t from, size_t from_offset, size_t bytes)
{
    return EXEC_CALL(
        copy(in_array(to, to_offset), in_array(from, from_offset), bytes, BY_ADDRESS, NULL, false));
}

/* ---- Objects ---- */

struct resource {
    int kind;
    union {
        array_t array;
        struct {
            device_pointer memory;
            int format;
            unsigned int lanes;
            size_t bytes;
        } linear;
        struct {
            device_pointer memory;
            int format;
            unsigned int lanes;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned int flags;
};

struct texture {
    int address[3];
    int filter;         /* 1: linear */
    unsigned int flags; /* of the values below */
    unsigned int anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    float border[4];
    int reserved[12];
};

enum { READS_INTEGERS = 0x01, NORMALIZED = 0x02, SRGB = 0x10, SEAMLESS = 0x40 };

/* What an object was made of. */
struct given {
    struct resource resource;
    struct texture texture;
};

static int resource_of(const struct resource *given, struct exec_resource *made)
{
    int error = EXEC_SUCCESS;
    size_t texel;

    *made = (struct exec_resource){.kind = (__typeof__(made->kind))given->kind};
    if (made->kind == EXEC_OF_ARRAY) {
        made->array = given->of.array;
    } else if (made->kind == EXEC_OF_LINEAR) {
        error = format_of(given->of.linear.format, given->of.linear.lanes, &made->format);
        texel = exec_texel_bytes(&made->format);
        made->memory = (void *)(uintptr_t)given->of.linear.memory;
        made->width = texel > 0 ? given->of.linear.bytes / texel : 0;
    } else if (made->kind == EXEC_OF_PITCHED) {
        error = format_of(given->of.pitched.format, given->of.pitched.lanes, &made->format);
        made->memory = (void *)(uintptr_t)given->of.pitched.memory;
        made->width = given->of.pitched.width;
        made->height = given->of.pitched.height;
        made->pitch = given->of.pitched.pitch;
    }
    return error;
}

static int create_object(uint64_t *object, const struct resource *resource,
                         const struct texture *texture, const void *view)
{
    struct given given = {.resource = *resource};
    struct exec_resource read;
    struct exec_sampling sampling;
    int error = view == NULL ? resource_of(resource, &read)
                             : exec_unsupported("views of the resource of a texture object");

    if (error == EXEC_SUCCESS && texture != NULL) {
        given.texture = *texture;
        sampling = (struct exec_sampling){
            .address = {texture->address[0], texture->address[1], texture->address[2]},
            .is_linear = texture->filter == 1,
            .reads_floats = !(texture->flags & READS_INTEGERS),
            .is_srgb = texture->flags & SRGB,
            .is_normalized = texture->flags & NORMALIZED,
            .is_seamless = texture->flags & SEAMLESS,
            .border = {texture->border[0], texture->border[1], texture->border[2],
                       texture->border[3]},
        };
    }
    return error == EXEC_SUCCESS ? exec_object_create(&read, texture != NULL ? &sampling : NULL,
                                                      &given, sizeof given, object)
                                 : error;
}

API(cuTexObjectCreate, uint64_t *object, const struct resource *resource,
    const struct texture *texture, const void *view)
{
    return EXEC_CALL(texture != NULL ? create_object(object, resource, texture, view)
                                     : EXEC_INVALID_VALUE);
}

API(cuTexObjectDestroy, uint64_t object)
{
    return EXEC_CALL(exec_object_destroy(object, false));
}

API(cuSurfObjectCreate, uint64_t *object, const struct resource *resource)
{
    return EXEC_CALL(create_object(object, resource, NULL, NULL));
}

API(cuSurfObjectDestroy, uint64_t object)
{
    return EXEC_CALL(exec_object_destroy(object, true));
}

static int get(struct resource *resource, struct texture *texture, uint64_t object, bool is_surface)
{
    const struct given *given = exec_object_given(object, is_surface);

    if (given == NULL)
        return EXEC_INVALID_VALUE;
    if (resource != NULL)
        *resource = given->resource;
    if (texture != NULL)
        *texture = given->texture;
    return EXEC_SUCCESS;
}

API(cuTexObjectGetResourceDesc, struct resource *resource, uint64_t object)
{
    return EXEC_CALL(get(resource, NULL, object, false));
}

API(cuTexObjectGetTextureDesc, struct texture *texture, uint64_t object)
{
    return EXEC_CALL(get(NULL, texture, object, false));
}

API(cuSurfObjectGetResourceDesc, struct resource *resource, uint64_t object)
{
    return EXEC_CALL(get(resource, NULL, object, true));
}
