/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: texture and surface objects.
 */
#include "cuda_array.h"
#include "runtime.h"

struct resource {
    int kind;
    union {
        struct exec_array *array;
        struct {
            void *memory;
            struct channel_format format;
            size_t bytes;
        } linear;
        struct {
            void *memory;
            struct channel_format format;
            size_t width, height, pitch;
        } pitched;
#if RUNTIME_VERSION >= 13
        int reserved[32];
#endif
    } of;
#if RUNTIME_VERSION >= 13
    unsigned int flags;
#endif
};
_Static_assert(sizeof(struct resource) == (RUNTIME_VERSION >= 13 ? 144 : 64),
               "as in the toolkit of that version");

struct texture {
    int address[3];
    int filter;  /* 1: linear */
    int reading; /* 1: as floats from 0 or -1 to 1 */
    int is_srgb;
    float border[4];
    int is_normalized;
    unsigned int anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int is_trilinear_exact;
#if RUNTIME_VERSION >= 12
    int is_seamless;
#endif
};

/* What an object was made of. */
struct given {
    struct resource resource;
    struct texture texture;
};

static struct exec_resource resource_of(const struct resource *given)
{
    struct exec_resource made = {.kind = (__typeof__(made.kind))given->kind};
    size_t texel;

    if (made.kind == EXEC_OF_ARRAY) {
        made.array = given->of.array;
    } else if (made.kind == EXEC_OF_LINEAR) {
        made.memory = given->of.linear.memory;
        made.format = runtime_format(&given->of.linear.format);
        texel = exec_texel_bytes(&made.format);
        made.width = texel > 0 ? given->of.linear.bytes / texel : 0;
    } else if (made.kind == EXEC_OF_PITCHED) {
        made.memory = given->of.pitched.memory;
        made.format = runtime_format(&given->of.pitched.format);
        made.width = given->of.pitched.width;
        made.height = given->of.pitched.height;
        made.pitch = given->of.pitched.pitch;
    }
    return made;
}

static int create_texture(unsigned long long *object, const struct resource *resource,
                          const struct texture *texture, const void *view)
{
    const struct given given = {*resource, *texture};
    const struct exec_resource read = resource_of(resource);
    const struct exec_sampling sampling = {
        .address = {texture->address[0], texture->address[1], texture->address[2]},
        .is_linear = texture->filter == 1,
        .reads_floats = texture->reading == 1,
        .is_srgb = texture->is_srgb != 0,
        .is_normalized = texture->is_normalized != 0,
#if RUNTIME_VERSION >= 12
        .is_seamless = texture->is_seamless != 0,
#endif
        .border = {texture->border[0], texture->border[1], texture->border[2], texture->border[3]},
    };
    uint64_t handle = 0;
    int error = view == NULL ? exec_object_create(&read, &sampling, &given, sizeof given, &handle)
                             : exec_unsupported("views of the resource of a texture object");

    *object = handle;
    return error;
}

API(cudaCreateTextureObject, unsigned long long *object, const struct resource *resource,
    const struct texture *texture, const void *view)
{
    return RUNTIME_CALL(create_texture(object, resource, texture, view));
}

API(cudaDestroyTextureObject, unsigned long long object)
{
    return RUNTIME_CALL(exec_object_destroy(object, false));
}

static int create_surface(unsigned long long *object, const struct resource *resource)
{
    const struct given given = {.resource = *resource};
    const struct exec_resource read = resource_of(resource);
    uint64_t handle = 0;
    int error = exec_object_create(&read, NULL, &given, sizeof given, &handle);

    *object = handle;
    return error;
}

API(cudaCreateSurfaceObject, unsigned long long *object, const struct resource *resource)
{
    return RUNTIME_CALL(create_surface(object, resource));
}

API(cudaDestroySurfaceObject, unsigned long long object)
{
    return RUNTIME_CALL(exec_object_destroy(object, true));
}

static int get(struct resource *resource, struct texture *texture, unsigned long long object,
               bool is_surface)
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

API(cudaGetTextureObjectResourceDesc, struct resource *resource, unsigned long long object)
{
    return RUNTIME_CALL(get(resource, NULL, object, false));
}

API(cudaGetTextureObjectTextureDesc, struct texture *texture, unsigned long long object)
{
    return RUNTIME_CALL(get(NULL, texture, object, false));
}

API(cudaGetSurfaceObjectResourceDesc, struct resource *resource, unsigned long long object)
{
    return RUNTIME_CALL(get(resource, NULL, object, true));
}

/* No texture object has a view of its resource. */
API(cudaGetTextureObjectResourceViewDesc, void *view, unsigned long long object)
{
    (void)view, (void)object;
    return runtime_note(EXEC_INVALID_VALUE);
}
