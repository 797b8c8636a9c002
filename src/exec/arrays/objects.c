/* SPDX-License-Identifier: MIT */
#include "cuda_array.h"

#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 32 }; /* of memory that a texture reads; device.c */

struct object {
    struct object *next;
    uint64_t handle;
    bool is_surface;
    void *given;
};

static struct object *objects;

static struct object **find(uint64_t handle, bool is_surface)
{
    struct object **at = &objects;

    while (*at != NULL && ((*at)->handle != handle || (*at)->is_surface != is_surface))
        at = &(*at)->next;
    return at;
}

/* Reports a wrong object. */
static int wrong(const char *what)
{
    wrong_call("%s(): %s", exec_site().name, what);
    return EXEC_INVALID_VALUE;
}

/* ---- What an object reads ---- */

static void set_format(struct view *view, const struct exec_format *format)
{
    view->element = format->kind == EXEC_FLOAT ? (format->bits == 16 ? ELEMENT_F16 : ELEMENT_F32)
                    : format->bits == 8        ? ELEMENT_I8
                    : format->bits == 16       ? ELEMENT_I16
                                               : ELEMENT_I32;
    view->is_signed = format->kind == EXEC_SIGNED;
    view->lanes = format->lanes;
}

static void set_array(struct view *view, const struct exec_array *array)
{
    bool has_layers = array->flags & (EXEC_LAYERED | EXEC_CUBEMAP);

    set_format(view, &array->format);
    view->is_layered = array->flags & EXEC_LAYERED;
    view->is_cubemap = array->flags & EXEC_CUBEMAP;
    view->dimensions = array->height == 0 ? 1 : array->depth == 0 || has_layers ? 2 : 3;
    view->layers = has_layers ? array->depth : 1;
    view->extent[0] = array->width;
    view->extent[1] = view->dimensions > 1 ? array->height : 1;
    view->extent[2] = view->dimensions > 2 ? array->depth : 1;
}

static int set_memory(struct view *view, const struct exec_resource *resource)
{
    bool is_pitched = resource->kind == EXEC_OF_PITCHED;

    if ((uintptr_t)resource->memory % ALIGNMENT != 0)
        return wrong("the memory of a texture object does not begin at a multiple of 512 bytes");
    if (is_pitched && resource->pitch % PITCH_ALIGNMENT != 0)
        return wrong("the pitch of a texture object is not a multiple of 32 bytes");
    if (resource->width == 0 || (is_pitched && resource->height == 0))
        return wrong("a texture object has no texels");
    set_format(view, &resource->format);
    view->is_memory = !is_pitched;
    view->dimensions = is_pitched ? 2 : 1;
    view->layers = 1;
    view->extent[0] = resource->width;
    view->extent[1] = is_pitched ? resource->height : 1;
    view->extent[2] = 1;
    view->pitch = is_pitched ? resource->pitch : 0;
    return EXEC_SUCCESS;
}

/* Sets *memory to the texels. */
static int set_resource(struct view *view, const struct exec_resource *resource,
                        const void **memory)
{
    int error;

    *memory = resource->memory;
    switch (resource->kind) {
    case EXEC_OF_ARRAY:
        error = exec_array_check(resource->array);
        if (error != EXEC_SUCCESS)
            return error;
        if (view->is_surface && !(resource->array->flags & EXEC_SURFACE))
            return wrong("a surface object needs an array made with cudaArraySurfaceLoadStore");
        set_array(view, resource->array);
        *memory = resource->array->memory;
        return EXEC_SUCCESS;
    case EXEC_OF_MIPMAPS:
        return exec_unsupported("textures of mipmapped arrays");
    default:
        return view->is_surface ? wrong("a surface object needs an array")
                                : set_memory(view, resource);
    }
}

/* ---- How a texture reads ---- */

/* Returns the address mode of a dimension. Wrapping and mirroring need normalized coordinates. */
static enum view_address address_of(const struct exec_sampling *sampling, uint32_t dimension,
                                    bool is_normalized)
{
    switch (sampling->address[dimension]) {
    case 0:
        return is_normalized ? VIEW_WRAP : VIEW_CLAMP;
    case 2:
        return is_normalized ? VIEW_MIRROR : VIEW_CLAMP;
    case 3:
        return VIEW_BORDER;
    default:
        return VIEW_CLAMP;
    }
}

static int set_address(struct view *view, const struct exec_sampling *sampling)
{
    static const float black[4] = {0};

    view->address = address_of(sampling, 0, view->is_normalized);
    for (uint32_t d = 1; d < view->dimensions; d++)
        if (address_of(sampling, d, view->is_normalized) != view->address)
            return exec_unsupported("textures with different address modes by dimension");
    if (view->address == VIEW_BORDER && memcmp(sampling->border, black, sizeof black) != 0)
        return exec_unsupported("textures with a border colour other than 0");
    return EXEC_SUCCESS;
}

static int set_sampling(struct view *view, const struct exec_sampling *sampling)
{
    bool is_float = element_is_float(view->element);

    view->reads_floats =
        sampling->reads_floats && !is_float && element_size(view->element) < sizeof(float);
    view->is_srgb = sampling->is_srgb && view->reads_floats && !view->is_signed &&
                    element_size(view->element) == 1;
    if (view->is_memory)
        return EXEC_SUCCESS;
    view->is_linear = sampling->is_linear;
    view->is_normalized = sampling->is_normalized || view->is_cubemap;
    if (view->is_linear && !is_float && !view->reads_floats)
        return wrong("linear filtering needs texels that are read as floats");
    if (view->is_cubemap && view->is_linear && sampling->is_seamless)
        return exec_unsupported("seamless cubemaps");
    return set_address(view, sampling);
}

/* ---- Objects ---- */

static int add_object(const struct view *view, const void *memory, const void *given,
                      size_t given_bytes, uint64_t *handle)
{
    struct object *object = malloc(sizeof *object);
    void *copy = malloc(given_bytes);
    uint64_t added = 0;

    if (object != NULL && copy != NULL)
        added = launches_add_view(view, memory);
    if (added == 0) {
        free(object);
        free(copy);
        return wrong("the memory of the object is not allocated, or too small");
    }
    memcpy(copy, given, given_bytes);
    *object = (struct object){objects, added, view->is_surface, copy};
    objects = object;
    *handle = added;
    return EXEC_SUCCESS;
}

int exec_object_create(const struct exec_resource *resource, const struct exec_sampling *sampling,
                       const void *given, size_t given_bytes, uint64_t *handle)
{
    struct view view = {.is_surface = sampling == NULL};
    const void *memory;
    int error = exec_start();

    if (error == EXEC_SUCCESS)
        error = set_resource(&view, resource, &memory);
    if (error == EXEC_SUCCESS && sampling != NULL)
        error = set_sampling(&view, sampling);
    return error == EXEC_SUCCESS ? add_object(&view, memory, given, given_bytes, handle) : error;
}

int exec_object_destroy(uint64_t handle, bool is_surface)
{
    struct object **at = find(handle, is_surface), *object = *at;
    int error;

    if (handle == 0)
        return EXEC_SUCCESS;
    if (object == NULL)
        return wrong("the handle is none of an object, or of one that was destroyed");
    error = run_all();
    launches_drop_view(handle);
    *at = object->next;
    free(object->given);
    free(object);
    return error;
}

const void *exec_object_given(uint64_t handle, bool is_surface)
{
    const struct object *object = *find(handle, is_surface);

    return object != NULL ? object->given : NULL;
}
