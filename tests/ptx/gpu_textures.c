/* SPDX-License-Identifier: MIT
 *
 * The structs and numbers are those of the CUDA driver API, cuda.h.
 */
#include "gpu_textures.h"

#include "driver_functions.h"

enum { MEMORY_HOST = 1, MEMORY_ARRAY = 3 };
enum { ARRAY_LAYERED = 1, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };
enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16 };

struct array_plan {
    size_t width, height, depth;
    int format;
    unsigned int channels, flags;
};

struct side {
    size_t x, y, z, level;
    int memory;
    const void *host;
    unsigned long long device;
    void *array, *reserved;
    size_t pitch, height;
};

struct copy_plan {
    struct side from, to;
    size_t width, height, depth;
};

struct resource {
    int kind;
    union {
        void *array;
        int reserved[32];
    } of;
    unsigned int flags;
};

struct reading {
    int address[3], filter;
    unsigned int flags, anisotropy;
    int level_filter;
    float levels[3], border[4];
    int reserved[12];
};

static struct {
    CUarray array;
    CUtexObject object;
} textures;

static int format_of(const struct view *view)
{
    static const int formats[][2] = {[ELEMENT_I8] = {1, 8},
                                     [ELEMENT_I16] = {2, 9},
                                     [ELEMENT_I32] = {3, 10},
                                     [ELEMENT_F16] = {16, 16},
                                     [ELEMENT_F32] = {32, 32}};

    return formats[view->element][view->is_signed];
}

bool gpu_texture(const struct view *view, const void *texels, uint64_t *handle)
{
    static const char names[] =
        "cuArray3DCreate_v2 cuArrayDestroy cuMemcpy3D_v2 cuTexObjectDestroy cuTexObjectCreate";
    static const int addresses[] = {
        [VIEW_WRAP] = 0, [VIEW_CLAMP] = 1, [VIEW_MIRROR] = 2, [VIEW_BORDER] = 3};
    bool has_layers = view->is_layered || view->is_cubemap;
    struct array_plan plan = {view->extent[0],
                              view->dimensions > 1 ? view->extent[1] : 0,
                              has_layers             ? view->layers
                              : view->dimensions > 2 ? view->extent[2]
                                                     : 0,
                              format_of(view),
                              view->lanes,
                              (view->is_layered ? ARRAY_LAYERED : 0) |
                                  (view->is_cubemap ? ARRAY_CUBEMAP : 0) |
                                  (view->dimensions == 2 && !has_layers ? ARRAY_GATHER : 0)};
    size_t row = view->extent[0] * view->lanes * element_size(view->element);
    struct copy_plan copy = {
        .from = {.memory = MEMORY_HOST, .host = texels, .pitch = row, .height = view->extent[1]},
        .to = {.memory = MEMORY_ARRAY},
        .width = row,
        .height = view->extent[1],
        .depth = view->extent[2] * view->layers};
    struct resource resource = {.kind = 0};
    struct reading reading = {
        .filter = view->is_linear,
        .flags = (view->is_normalized ? NORMALIZED : 0) | (view->is_srgb ? SRGB : 0) |
                 (view->reads_floats || element_is_float(view->element) ? 0 : READ_AS_INTEGER)};

    for (uint32_t d = 0; d < 3; d++)
        reading.address[d] = addresses[d < view->dimensions ? view->address : VIEW_CLAMP];
    if ((driver.cuTexObjectCreate == NULL && driver_load(names) != NULL) ||
        driver.cuArray3DCreate_v2(&textures.array, &plan) != 0)
        return false;
    copy.to.array = textures.array;
    resource.of.array = textures.array;
    if (driver.cuMemcpy3D_v2(&copy) != 0 ||
        driver.cuTexObjectCreate(&textures.object, &resource, &reading, NULL) != 0)
        return false;
    *handle = textures.object;
    return true;
}

void gpu_texture_free(void)
{
    driver.cuTexObjectDestroy(textures.object);
    driver.cuArrayDestroy(textures.array);
}
