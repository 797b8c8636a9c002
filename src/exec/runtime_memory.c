/* SPDX-License-Identifier: MIT
 *
 * The CUDA runtime: memory.
 */
#include "runtime.h"

#include <stdint.h>

enum { PITCH = 512 };

/* ---- Allocations ---- */

API(cudaMalloc, void **address, size_t bytes)
{
    return RUNTIME_CALL(exec_allocate(EXEC_DEVICE, bytes, address));
}

API(cudaFree, void *address)
{
    return RUNTIME_CALL(exec_free(EXEC_DEVICE, address));
}

API(cudaMallocHost, void **address, size_t bytes)
{
    return RUNTIME_CALL(exec_allocate(EXEC_HOST, bytes, address));
}

API(cudaHostAlloc, void **address, size_t bytes, unsigned int flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_HOST_FLAG, flags)
                            ?: exec_allocate(EXEC_HOST, bytes, address));
}

API(cudaFreeHost, void *address)
{
    return RUNTIME_CALL(exec_free(EXEC_HOST, address));
}

API(cudaMallocManaged, void **address, size_t bytes, unsigned int flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_MANAGED_FLAG, flags)
                            ?: exec_allocate(EXEC_MANAGED, bytes, address));
}

API(cudaHostRegister, void *address, size_t bytes, unsigned int flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_REGISTERED_FLAG, flags)
                            ?: exec_register(address, bytes));
}

API(cudaHostUnregister, void *address)
{
    return RUNTIME_CALL(exec_unregister(address));
}

static int device_pointer(void **made, void *address)
{
    const struct exec_allocation *one = exec_find(address);

    if (one == NULL || one->kind == EXEC_DEVICE)
        return EXEC_INVALID_VALUE;
    *made = address;
    return EXEC_SUCCESS;
}

API(cudaHostGetDevicePointer, void **made, void *address, unsigned int flags)
{
    return RUNTIME_CALL(exec_flags(FEATURE_RESERVED_FLAG, flags) ?: device_pointer(made, address));
}

API(cudaHostGetFlags, unsigned int *flags, void *address)
{
    void *made;

    *flags = 0;
    return RUNTIME_CALL(device_pointer(&made, address));
}

static int allocate_pitched(void **address, size_t *pitch, size_t width, size_t rows)
{
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return exec_allocate(EXEC_DEVICE, *pitch * rows, address);
}

API(cudaMallocPitch, void **address, size_t *pitch, size_t width, size_t height)
{
    return RUNTIME_CALL(allocate_pitched(address, pitch, width, height));
}

API(cudaMalloc3D, struct pitched_pointer *made, struct extent3 extent)
{
    made->xsize = extent.width;
    made->ysize = extent.height;
    return RUNTIME_CALL(
        allocate_pitched(&made->address, &made->pitch, extent.width, extent.height * extent.depth));
}

API(cudaMallocAsync, void **address, size_t bytes, stream_t stream)
{
    return RUNTIME_CALL(exec_allocate_async(bytes, address, stream));
}

API(cudaMallocFromPoolAsync, void **address, size_t bytes, void *pool, stream_t stream)
{
    (void)pool;
    return RUNTIME_CALL(exec_allocate_async(bytes, address, stream));
}

API(cudaFreeAsync, void *address, stream_t stream)
{
    return RUNTIME_CALL(exec_free_async(address, stream));
}

static int memory_info(size_t *left, size_t *all)
{
    *left = exec_free_bytes();
    *all = exec_device_bytes;
    return exec_start();
}

API(cudaMemGetInfo, size_t *left, size_t *all)
{
    return RUNTIME_CALL(memory_info(left, all));
}

struct pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

static int pointer_attributes(struct pointer_attributes *attributes, const void *address)
{
    static const int types[] = {
        [EXEC_DEVICE] = 2, [EXEC_HOST] = 1, [EXEC_MANAGED] = 3, [EXEC_REGISTERED] = 1};
    const struct exec_allocation *one = exec_find(address);
    void *shown = (void *)(uintptr_t)address;

    *attributes = (struct pointer_attributes){.type = 0, .device = -2, .host_pointer = shown};
    if (one != NULL)
        *attributes = (struct pointer_attributes){
            .type = types[one->kind],
            .device_pointer = shown,
            .host_pointer = one->kind == EXEC_DEVICE ? NULL : shown,
        };
    return EXEC_SUCCESS;
}

/* CUDA 12 and 13 have structures of the same beginning; only that of 13 has reserved members. */
API(cudaPointerGetAttributes, struct pointer_attributes *attributes, const void *address)
{
    struct pointer_attributes whole = {0};
    int error = RUNTIME_CALL(pointer_attributes(&whole, address));

#if RUNTIME_VERSION >= 13
    *attributes = whole;
#else
    attributes->type = whole.type;
    attributes->device = whole.device;
    attributes->device_pointer = whole.device_pointer;
    attributes->host_pointer = whole.host_pointer;
#endif
    return error;
}

/* ---- Pools: each allocates from the device ---- */

static char default_pool;

API(cudaDeviceGetDefaultMemPool, void **pool, int device)
{
    *pool = &default_pool;
    return runtime_note(device == 0 ? EXEC_SUCCESS : EXEC_INVALID_DEVICE);
}

API(cudaDeviceGetMemPool, void **pool, int device)
{
    *pool = &default_pool;
    return runtime_note(device == 0 ? EXEC_SUCCESS : EXEC_INVALID_DEVICE);
}

API(cudaDeviceSetMemPool, int device, void *pool)
{
    (void)pool;
    return runtime_note(device == 0 ? EXEC_SUCCESS : EXEC_INVALID_DEVICE);
}

API(cudaMemPoolCreate, void **pool, const void *properties)
{
    (void)properties;
    *pool = &default_pool;
    return EXEC_SUCCESS;
}

API(cudaMemPoolDestroy, void *pool)
{
    (void)pool;
    return EXEC_SUCCESS;
}

API(cudaMemPoolSetAttribute, void *pool, int attribute, void *value)
{
    (void)pool, (void)attribute, (void)value;
    return EXEC_SUCCESS;
}

API(cudaMemPoolGetAttribute, void *pool, int attribute, void *value)
{
    (void)pool;
    if (attribute <= 3)
        *(int *)value = 1;
    else
        *(uint64_t *)value = attribute == 4 ? 0 : exec_device_bytes - exec_free_bytes();
    return EXEC_SUCCESS;
}

API(cudaMemPoolTrimTo, void *pool, size_t bytes)
{
    (void)pool, (void)bytes;
    return EXEC_SUCCESS;
}

API(cudaMemPoolSetAccess, void *pool, const void *descriptors, size_t count)
{
    (void)pool, (void)descriptors, (void)count;
    return EXEC_SUCCESS;
}

/* ---- Copies ---- */

static int copy(void *to, const void *from, size_t bytes, int kind, stream_t stream,
                bool is_blocking)
{
    const struct exec_box box = {to, from, bytes, 1, 1, bytes, bytes, 0, 0};

    return exec_copy(&box, kind, stream, is_blocking);
}

API(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    return RUNTIME_CALL(copy(to, from, bytes, kind, NULL, true));
}

API(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind, stream_t stream)
{
    return RUNTIME_CALL(copy(to, from, bytes, kind, stream, false));
}

API(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    (void)to_device, (void)from_device;
    return RUNTIME_CALL(copy(to, from, bytes, 3, NULL, true));
}

API(cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t bytes,
    stream_t stream)
{
    (void)to_device, (void)from_device;
    return RUNTIME_CALL(copy(to, from, bytes, 3, stream, false));
}

API(cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind)
{
    const struct exec_box box = {to, from, width, height, 1, to_pitch, from_pitch, 0, 0};

    return RUNTIME_CALL(exec_copy(&box, kind, NULL, true));
}

API(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, stream_t stream)
{
    const struct exec_box box = {to, from, width, height, 1, to_pitch, from_pitch, 0, 0};

    return RUNTIME_CALL(exec_copy(&box, kind, stream, false));
}

static struct exec_side side_of(struct exec_array *array, const struct pitched_pointer *memory,
                                const struct position3 *position)
{
    size_t texel = array != NULL ? exec_texel_bytes(&array->format) : 1;

    return (struct exec_side){.array = array,
                              .memory = memory->address,
                              .pitch = memory->pitch,
                              .rows = memory->ysize,
                              .x = position->x * texel,
                              .y = position->y,
                              .z = position->z};
}

/* Lengths in x are in texels of the array, if there is one, and else in bytes. */
int runtime_box(const struct copy_3d *copied, struct exec_box *box)
{
    struct exec_array *arrays[] = {copied->to_array, copied->from_array};
    struct exec_side to, from;
    size_t texel = 1;
    int error = EXEC_SUCCESS;

    for (int k = 0; k < 2 && error == EXEC_SUCCESS; k++)
        if (arrays[k] != NULL) {
            error = exec_array_check(arrays[k]);
            texel = error == EXEC_SUCCESS ? exec_texel_bytes(&arrays[k]->format) : 1;
        }
    if (error != EXEC_SUCCESS)
        return error;
    to = side_of(copied->to_array, &copied->to, &copied->to_position);
    from = side_of(copied->from_array, &copied->from, &copied->from_position);
    return exec_box_between(&to, &from, copied->extent.width * texel, copied->extent.height,
                            copied->extent.depth, box);
}

static int copy_3d(const struct copy_3d *copied, stream_t stream, bool is_blocking)
{
    struct exec_box box;
    int error = runtime_box(copied, &box);

    return error == EXEC_SUCCESS ? exec_copy(&box, copied->kind, stream, is_blocking) : error;
}

API(cudaMemcpy3D, const struct copy_3d *copied)
{
    return RUNTIME_CALL(copy_3d(copied, NULL, true));
}

API(cudaMemcpy3DAsync, const struct copy_3d *copied, stream_t stream)
{
    return RUNTIME_CALL(copy_3d(copied, stream, false));
}

/* ---- Symbols ---- */

static int copy_symbol(const void *symbol, void *other, size_t bytes, size_t offset, int kind,
                       stream_t stream, bool is_blocking, bool to_symbol)
{
    void *address;
    size_t size;
    int error = runtime_symbol(symbol, &address, &size);

    if (error != EXEC_SUCCESS)
        return error;
    if (offset > size)
        return exec_invalid(NULL, EXEC_INVALID_VALUE, "the offset is outside the variable");
    /* A copy past the end fails in the call: a blocking one does so, and is reported. */
    is_blocking = is_blocking || bytes > size - offset;
    address = (char *)address + offset;
    return to_symbol ? copy(address, other, bytes, kind, stream, is_blocking)
                     : copy(other, address, bytes, kind, stream, is_blocking);
}

API(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    return RUNTIME_CALL(
        copy_symbol(symbol, (void *)(uintptr_t)from, bytes, offset, kind, NULL, true, true));
}

API(cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t bytes, size_t offset,
    int kind, stream_t stream)
{
    return RUNTIME_CALL(
        copy_symbol(symbol, (void *)(uintptr_t)from, bytes, offset, kind, stream, false, true));
}

API(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return RUNTIME_CALL(copy_symbol(symbol, to, bytes, offset, kind, NULL, true, false));
}

API(cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t bytes, size_t offset, int kind,
    stream_t stream)
{
    return RUNTIME_CALL(copy_symbol(symbol, to, bytes, offset, kind, stream, false, false));
}

API(cudaGetSymbolAddress, void **address, const void *symbol)
{
    size_t bytes;

    return RUNTIME_CALL(runtime_symbol(symbol, address, &bytes));
}

API(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    void *address;

    return RUNTIME_CALL(runtime_symbol(symbol, &address, bytes));
}

/* ---- Fills ---- */

static int fill(void *to, int value, size_t width, size_t height, size_t pitch, stream_t stream,
                bool is_blocking)
{
    const struct exec_fill filled = {to, (uint32_t)value, 1, width, height, pitch};

    return exec_fill(&filled, stream, is_blocking);
}

API(cudaMemset, void *to, int value, size_t bytes)
{
    return RUNTIME_CALL(fill(to, value, bytes, 1, bytes, NULL, true));
}

API(cudaMemsetAsync, void *to, int value, size_t bytes, stream_t stream)
{
    return RUNTIME_CALL(fill(to, value, bytes, 1, bytes, stream, false));
}

API(cudaMemset2D, void *to, size_t pitch, int value, size_t width, size_t height)
{
    return RUNTIME_CALL(fill(to, value, width, height, pitch, NULL, true));
}

API(cudaMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
    stream_t stream)
{
    return RUNTIME_CALL(fill(to, value, width, height, pitch, stream, false));
}

API(cudaMemset3D, struct pitched_pointer to, int value, struct extent3 extent)
{
    return RUNTIME_CALL(
        fill(to.address, value, extent.width, extent.height * extent.depth, to.pitch, NULL, true));
}

API(cudaMemset3DAsync, struct pitched_pointer to, int value, struct extent3 extent, stream_t stream)
{
    return RUNTIME_CALL(fill(to.address, value, extent.width, extent.height * extent.depth,
                             to.pitch, stream, false));
}

/* ---- Hints ---- */

#if RUNTIME_VERSION >= 13
API(cudaMemPrefetchAsync, const void *address, size_t bytes, struct location where,
    unsigned int flags, stream_t stream)
{
    (void)address, (void)bytes, (void)where, (void)stream;
    return RUNTIME_CALL(exec_flags(FEATURE_RESERVED_FLAG, flags));
}

API(cudaMemAdvise, const void *address, size_t bytes, int advice, struct location where)
{
    (void)address, (void)bytes, (void)advice, (void)where;
    return EXEC_SUCCESS;
}
#else
API(cudaMemPrefetchAsync, const void *address, size_t bytes, int device, stream_t stream)
{
    (void)address, (void)bytes, (void)device, (void)stream;
    return EXEC_SUCCESS;
}

API(cudaMemAdvise, const void *address, size_t bytes, int advice, int device)
{
    (void)address, (void)bytes, (void)advice, (void)device;
    return EXEC_SUCCESS;
}

API(cudaMemPrefetchAsync_v2, const void *address, size_t bytes, struct location where,
    unsigned int flags, stream_t stream)
{
    (void)address, (void)bytes, (void)where, (void)stream;
    return RUNTIME_CALL(exec_flags(FEATURE_RESERVED_FLAG, flags));
}

API(cudaMemAdvise_v2, const void *address, size_t bytes, int advice, struct location where)
{
    (void)address, (void)bytes, (void)advice, (void)where;
    return EXEC_SUCCESS;
}
#endif

API(cudaStreamAttachMemAsync, stream_t stream, void *address, size_t bytes, unsigned int flags)
{
    (void)stream, (void)address, (void)bytes;
    return RUNTIME_CALL(exec_flags(FEATURE_MANAGED_FLAG, flags));
}
