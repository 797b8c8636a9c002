/* SPDX-License-Identifier: MIT
 *
 * Arrays, textures and surfaces of the driver API, with PTX as text. It needs neither nvcc nor
 * CUDA's headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { HOST = 1, DEVICE = 2, ARRAY = 3 };          /* kinds of memory */
enum { FLOATS = 0x20, BYTES = 0x01, MIPMAPS = 1 }; /* formats; a kind of resource */
enum { SURFACE = 2, LINEAR = 1, IS_MANAGED = 8 };  /* a flag, a filter, an attribute */

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

struct copy_2d {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch, width, height;
};

struct copy_3d {
    size_t from_x, from_y, from_z, from_level;
    int from_kind;
    const void *from_host;
    uint64_t from_device;
    void *from_array, *from_reserved;
    size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array, *to_reserved;
    size_t to_pitch, to_height, width, height, depth;
};

struct resource {
    int kind;
    union {
        void *array;
        int reserved[32];
        uint64_t align;
    } of;
    unsigned int flags;
};

struct texture {
    int address[3], filter;
    unsigned int flags, anisotropy;
    int mipmap_filter;
    float mipmaps[3], border[4];
    int reserved[12];
};

int cuInit(unsigned int flags);
int cuCtxCreate_v2(void **context, unsigned int flags, int device);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name);
int cuModuleUnload(void *module);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
                   void *stream, void **arguments, void **extra);
int cuCtxSynchronize(void);
int cuPointerGetAttribute(void *value, int attribute, uint64_t address);
int cuArrayCreate_v2(void **array, const struct description *given);
int cuArray3DCreate_v2(void **array, const struct description_3d *given);
int cuArrayGetDescriptor_v2(struct description *description, void *array);
int cuArray3DGetDescriptor_v2(struct description_3d *description, void *array);
int cuArrayDestroy(void *array);
int cuMemcpy2D_v2(const struct copy_2d *copy);
int cuMemcpy3D_v2(const struct copy_3d *copy);
int cuMemcpyHtoA_v2(void *to, size_t offset, const void *from, size_t bytes);
int cuMemcpyAtoH_v2(void *to, void *from, size_t offset, size_t bytes);
int cuMemcpyAtoD_v2(uint64_t to, void *from, size_t offset, size_t bytes);
int cuMemcpyDtoA_v2(void *to, size_t offset, uint64_t from, size_t bytes);
int cuMemcpyAtoA_v2(void *to, size_t to_offset, void *from, size_t from_offset, size_t bytes);
int cuTexObjectCreate(uint64_t *object, const struct resource *resource,
                      const struct texture *texture, const void *view);
int cuTexObjectGetResourceDesc(struct resource *resource, uint64_t object);
int cuTexObjectGetTextureDesc(struct texture *texture, uint64_t object);
int cuTexObjectDestroy(uint64_t object);
int cuSurfObjectCreate(uint64_t *object, const struct resource *resource);
int cuSurfObjectGetResourceDesc(struct resource *resource, uint64_t object);
int cuSurfObjectDestroy(uint64_t object);

static const char ptx[] =
    ".version 7.8\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .u32 total = 7;\n"
    ".visible .entry sample(.param .u64 out, .param .u64 texture, .param .f32 x)\n"
    "{\n"
    "    .reg .u64 %rd<3>;\n"
    "    .reg .f32 %f<6>;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    ld.param.u64 %rd2, [texture];\n"
    "    ld.param.f32 %f1, [x];\n"
    "    tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd2, {%f1, %f1}];\n"
    "    st.global.f32 [%rd1], %f2;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry paint(.param .u64 surface)\n"
    "{\n"
    "    .reg .u64 %rd<2>;\n"
    "    .reg .b32 %r<5>;\n"
    "    ld.param.u64 %rd1, [surface];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    shl.b32 %r2, %r1, 2;\n"
    "    mov.u32 %r3, %tid.y;\n"
    "    mad.lo.u32 %r4, %r3, 10, %r1;\n"
    "    sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r4};\n"
    "    ret;\n"
    "}\n"
    ".visible .entry count()\n"
    "{\n"
    "    .reg .u32 %r<2>;\n"
    "    atom.global.add.u32 %r1, [total], 1;\n"
    "    ret;\n"
    "}\n";

static int failed;

static void check(int good, int line)
{
    if (!good)
        printf("line %d is wrong\n", line);
    failed += !good;
}

#define CHECK(condition) check(condition, __LINE__)
#define GOOD(call) CHECK((call) == 0)

static void *function_of(void *module, const char *name)
{
    void *function = NULL;

    GOOD(cuModuleGetFunction(&function, module, name));
    return function;
}

static void launch(void *function, unsigned int width, unsigned int height, void **arguments)
{
    GOOD(cuLaunchKernel(function, 1, 1, 1, width, height, 1, 0, NULL, arguments, NULL));
}

static float texels[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};

static float sample(void *module, void *array, int filter, float x)
{
    const struct resource resource = {.of = {.array = array}};
    const struct texture reading = {.address = {1, 1, 1}, .filter = filter};
    struct resource used = {.kind = -1};
    struct texture read = {.filter = -1};
    uint64_t object = 0, out = 0;
    void *arguments[] = {&out, &object, &x};
    float value = 0;

    GOOD(cuTexObjectCreate(&object, &resource, &reading, NULL));
    GOOD(cuTexObjectGetResourceDesc(&used, object));
    GOOD(cuTexObjectGetTextureDesc(&read, object));
    CHECK(used.kind == 0 && used.of.array == array && read.filter == filter);
    GOOD(cuMemAlloc_v2(&out, sizeof value));
    launch(function_of(module, "sample"), 1, 1, arguments);
    GOOD(cuMemcpyDtoH_v2(&value, out, sizeof value));
    GOOD(cuMemFree_v2(out));
    GOOD(cuTexObjectDestroy(object));
    return value;
}

static void use_plane(void *module)
{
    const struct description wanted = {4, 2, FLOATS, 1};
    const struct copy_2d filled = {.from_kind = HOST,
                                   .from_host = texels,
                                   .from_pitch = sizeof texels[0],
                                   .to_kind = ARRAY,
                                   .width = sizeof texels[0],
                                   .height = 2};
    struct copy_2d copy = filled;
    struct description found = {.width = 0};
    void *array = NULL, *other = NULL;
    uint64_t memory = 0;
    float row[4] = {0};

    GOOD(cuArrayCreate_v2(&array, &wanted));
    GOOD(cuArrayCreate_v2(&other, &wanted));
    GOOD(cuArrayGetDescriptor_v2(&found, array));
    CHECK(found.width == 4 && found.height == 2 && found.format == FLOATS && found.lanes == 1);
    copy.to_array = array;
    GOOD(cuMemcpy2D_v2(&copy));
    CHECK(sample(module, array, 0, 1.5f) == 6);
    CHECK(sample(module, array, LINEAR, 1) == 3.5f);

    GOOD(cuMemcpyAtoH_v2(row, array, 4, 8));
    CHECK(row[0] == 2 && row[1] == 3 && row[2] == 0);
    GOOD(cuMemcpyHtoA_v2(other, 0, texels[1], sizeof texels[1]));
    GOOD(cuMemcpyAtoA_v2(other, 16, array, 0, 16));
    GOOD(cuMemAlloc_v2(&memory, 8));
    GOOD(cuMemcpyAtoD_v2(memory, other, 12, 8));
    GOOD(cuMemcpyDtoA_v2(other, 0, memory, 8));
    GOOD(cuMemcpyAtoH_v2(row, other, 0, 16));
    CHECK(row[0] == 8 && row[1] == 1 && row[2] == 7 && row[3] == 8);
    GOOD(cuMemFree_v2(memory));
    GOOD(cuArrayDestroy(array));
    GOOD(cuArrayDestroy(other));
}

static void use_volume(void)
{
    const struct description_3d wanted = {2, 3, 4, BYTES, 4, 0};
    uint32_t volume[4 * 3 * 2], part[2] = {0};
    struct copy_3d copy = {.from_kind = HOST,
                           .from_host = volume,
                           .from_pitch = 8,
                           .from_height = 3,
                           .to_kind = ARRAY,
                           .width = 8,
                           .height = 3,
                           .depth = 4};
    struct description_3d found = {.width = 0};
    void *array = NULL;

    for (uint32_t k = 0; k < 24; k++)
        volume[k] = k;
    GOOD(cuArray3DCreate_v2(&array, &wanted));
    GOOD(cuArray3DGetDescriptor_v2(&found, array));
    CHECK(found.depth == 4 && found.lanes == 4 && found.format == BYTES && found.flags == 0);
    copy.to_array = array;
    GOOD(cuMemcpy3D_v2(&copy));
    copy = (struct copy_3d){.from_x = 4,
                            .from_y = 1,
                            .from_z = 2,
                            .from_kind = ARRAY,
                            .from_array = array,
                            .to_kind = HOST,
                            .to_host = part,
                            .to_pitch = 4,
                            .width = 4,
                            .height = 2,
                            .depth = 1};
    GOOD(cuMemcpy3D_v2(&copy));
    CHECK(part[0] == volume[15] && part[1] == volume[17]);
    copy.from_z = 4;
    CHECK(cuMemcpy3D_v2(&copy) == 1); /* finding: invalid-call */
    GOOD(cuArrayDestroy(array));
}

static void use_surface(void *module)
{
    const struct description_3d wanted = {4, 2, 0, FLOATS, 1, SURFACE};
    struct resource resource = {.kind = 0}, used = {.kind = -1};
    uint64_t surface = 0;
    void *array = NULL, *arguments[] = {&surface};
    uint32_t row[4] = {0};

    GOOD(cuArray3DCreate_v2(&array, &wanted));
    resource.of.array = array;
    GOOD(cuSurfObjectCreate(&surface, &resource));
    GOOD(cuSurfObjectGetResourceDesc(&used, surface));
    CHECK(used.of.array == array);
    launch(function_of(module, "paint"), 4, 2, arguments);
    GOOD(cuMemcpyAtoH_v2(row, array, 16, sizeof row));
    CHECK(row[0] == 10 && row[3] == 13);
    GOOD(cuSurfObjectDestroy(surface));
    CHECK(cuSurfObjectDestroy(surface) == 1); /* finding: invalid-call */
    resource.kind = MIPMAPS;
    CHECK(cuSurfObjectCreate(&surface, &resource) == 801); /* finding: unsupported */
    GOOD(cuArrayDestroy(array));
}

/* The host accesses the variable at its address. */
static uint64_t use_managed(void *module)
{
    uint64_t address = 0;
    size_t bytes = 0;
    unsigned int *total;

    GOOD(cuModuleGetGlobal_v2(&address, &bytes, module, "total"));
    total = (unsigned int *)(uintptr_t)address;
    CHECK(bytes == sizeof *total && *total == 7);
    *total = 10;
    launch(function_of(module, "count"), 32, 1, NULL);
    CHECK(*total != 0); /* finding: unsynchronized-access */
    GOOD(cuCtxSynchronize());
    CHECK(*total == 42);
    return address;
}

int main(void)
{
    void *context, *module = NULL;
    unsigned int is_managed = 0;
    uint64_t variable;

    GOOD(cuInit(0));
    GOOD(cuCtxCreate_v2(&context, 0, 0));
    GOOD(cuModuleLoadData(&module, ptx));
    use_plane(module);
    use_volume();
    use_surface(module);
    variable = use_managed(module);
    GOOD(cuPointerGetAttribute(&is_managed, IS_MANAGED, variable));
    CHECK(is_managed == 1);
    GOOD(cuModuleUnload(module));
    CHECK(cuPointerGetAttribute(&is_managed, IS_MANAGED, variable) == 1);
    return failed;
}
