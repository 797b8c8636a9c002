/* SPDX-License-Identifier: MIT
 *
 * The driver API: memory.
 */
#include "cuda_array.h"
#include "driver.h"

enum { PITCH = 512, TO_DEVICE = 1, TO_HOST = 2, IN_DEVICE = 3, BY_ADDRESS = 4 };

static void *pointer(device_pointer address)
{
    return (void *)(uintptr_t)address;
}

/* ---- Allocations ---- */

static int allocate(enum exec_memory kind, size_t bytes, device_pointer *address)
{
    void *made = NULL;
    int error = bytes > 0 ? exec_allocate(kind, bytes, &made) : EXEC_INVALID_VALUE;

    *address = (uintptr_t)made;
    return error;
}

API(cuMemAlloc_v2, device_pointer *address, size_t bytes)
{
    return EXEC_CALL(allocate(EXEC_DEVICE, bytes, address));
}

API(cuMemAllocManaged, device_pointer *address, size_t bytes, unsigned int flags)
{
    return EXEC_CALL(exec_flags(FEATURE_MANAGED_FLAG, flags)
                         ?: allocate(EXEC_MANAGED, bytes, address));
}

API(cuMemAllocPitch_v2, device_pointer *address, size_t *pitch, size_t width, size_t height,
    unsigned int element_bytes)
{
    (void)element_bytes;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return EXEC_CALL(allocate(EXEC_DEVICE, *pitch * height, address));
}

API(cuMemFree_v2, device_pointer address)
{
    return EXEC_CALL(exec_free(EXEC_DEVICE, pointer(address)));
}

API(cuMemAllocHost_v2, void **address, size_t bytes)
{
    return EXEC_CALL(exec_allocate(EXEC_HOST, bytes, address));
}

API(cuMemHostAlloc, void **address, size_t bytes, unsigned int flags)
{
    return EXEC_CALL(exec_flags(FEATURE_HOST_FLAG, flags)
                         ?: exec_allocate(EXEC_HOST, bytes, address));
}

API(cuMemFreeHost, void *address)
{
    return EXEC_CALL(exec_free(EXEC_HOST, address));
}

API(cuMemHostRegister_v2, void *address, size_t bytes, unsigned int flags)
{
    return EXEC_CALL(exec_flags(FEATURE_REGISTERED_FLAG, flags) ?: exec_register(address, bytes));
}

API(cuMemHostUnregister, void *address)
{
    return EXEC_CALL(exec_unregister(address));
}

API(cuMemHostGetDevicePointer_v2, device_pointer *made, void *address, unsigned int flags)
{
    *made = (uintptr_t)address;
    return EXEC_CALL(exec_flags(FEATURE_RESERVED_FLAG, flags)
                         ?: exec_find(address) != NULL ? EXEC_SUCCESS
                                                       : EXEC_INVALID_VALUE);
}

static int allocate_async(device_pointer *address, size_t bytes, stream_t stream)
{
    void *made = NULL;
    int error = exec_allocate_async(bytes, &made, stream);

    *address = (uintptr_t)made;
    return error;
}

API(cuMemAllocAsync, device_pointer *address, size_t bytes, stream_t stream)
{
    return EXEC_CALL(allocate_async(address, bytes, stream));
}

API(cuMemFreeAsync, device_pointer address, stream_t stream)
{
    return EXEC_CALL(exec_free_async(pointer(address), stream));
}

API(cuMemGetInfo_v2, size_t *left, size_t *all)
{
    *left = exec_free_bytes();
    *all = exec_device_bytes;
    return EXEC_SUCCESS;
}

static int address_range(device_pointer *start, size_t *bytes, device_pointer address)
{
    const struct exec_allocation *one = exec_find(pointer(address));

    if (one == NULL)
        return EXEC_NOT_FOUND;
    if (start != NULL)
        *start = one->address;
    if (bytes != NULL)
        *bytes = one->bytes;
    return EXEC_SUCCESS;
}

API(cuMemGetAddressRange_v2, device_pointer *start, size_t *bytes, device_pointer address)
{
    return EXEC_CALL(address_range(start, bytes, address));
}

static int pointer_attribute(void *value, int attribute, device_pointer address)
{
    const struct exec_allocation *one = exec_find(pointer(address));

    if (one == NULL)
        return EXEC_INVALID_VALUE;
    switch (attribute) {
    case 2: /* memory type: 1 host, 2 device */
        *(unsigned int *)value = one->kind == EXEC_HOST || one->kind == EXEC_REGISTERED ? 1 : 2;
        return EXEC_SUCCESS;
    case 3: /* device pointer */
    case 4: /* host pointer */
        *(device_pointer *)value = attribute == 4 && one->kind == EXEC_DEVICE ? 0 : address;
        return EXEC_SUCCESS;
    case 7: /* buffer ID */
        *(unsigned long long *)value = one->id;
        return EXEC_SUCCESS;
    case 8: /* is managed */
        *(unsigned int *)value = one->kind == EXEC_MANAGED;
        return EXEC_SUCCESS;
    case 9: /* device */
        *(int *)value = 0;
        return EXEC_SUCCESS;
    case 11: /* start of the range */
        *(device_pointer *)value = one->address;
        return EXEC_SUCCESS;
    case 12: /* its size */
        *(size_t *)value = one->bytes;
        return EXEC_SUCCESS;
    default:
        return exec_unsupported("pointer attribute %d", attribute);
    }
}

API(cuPointerGetAttribute, void *value, int attribute, device_pointer address)
{
    return EXEC_CALL(pointer_attribute(value, attribute, address));
}

/* ---- Copies ---- */

static int copy(void *to, const void *from, size_t bytes, int kind, stream_t stream,
                bool is_blocking)
{
    const struct exec_box box = {to, from, bytes, 1, 1, bytes, bytes, 0, 0};

    return exec_copy(&box, kind, stream, is_blocking);
}

API(cuMemcpy, device_pointer to, device_pointer from, size_t bytes)
{
    return EXEC_CALL(copy(pointer(to), pointer(from), bytes, BY_ADDRESS, NULL, true));
}

API(cuMemcpyAsync, device_pointer to, device_pointer from, size_t bytes, stream_t stream)
{
    return EXEC_CALL(copy(pointer(to), pointer(from), bytes, BY_ADDRESS, stream, false));
}

API(cuMemcpyHtoD_v2, device_pointer to, const void *from, size_t bytes)
{
    return EXEC_CALL(copy(pointer(to), from, bytes, TO_DEVICE, NULL, true));
}

API(cuMemcpyHtoDAsync_v2, device_pointer to, const void *from, size_t bytes, stream_t stream)
{
    return EXEC_CALL(copy(pointer(to), from, bytes, TO_DEVICE, stream, false));
}

API(cuMemcpyDtoH_v2, void *to, device_pointer from, size_t bytes)
{
    return EXEC_CALL(copy(to, pointer(from), bytes, TO_HOST, NULL, true));
}

API(cuMemcpyDtoHAsync_v2, void *to, device_pointer from, size_t bytes, stream_t stream)
{
    return EXEC_CALL(copy(to, pointer(from), bytes, TO_HOST, stream, false));
}

API(cuMemcpyDtoD_v2, device_pointer to, device_pointer from, size_t bytes)
{
    return EXEC_CALL(copy(pointer(to), pointer(from), bytes, IN_DEVICE, NULL, false));
}

API(cuMemcpyDtoDAsync_v2, device_pointer to, device_pointer from, size_t bytes, stream_t stream)
{
    return EXEC_CALL(copy(pointer(to), pointer(from), bytes, IN_DEVICE, stream, false));
}

struct copy_2d {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    device_pointer from_device;
    struct exec_array *from_array;
    size_t from_pitch, to_x, to_y;
    int to_kind;
    void *to_host;
    device_pointer to_device;
    struct exec_array *to_array;
    size_t to_pitch, width, height;
};

struct copy_3d {
    size_t from_x, from_y, from_z, from_level;
    int from_kind;
    const void *from_host;
    device_pointer from_device;
    struct exec_array *from_array;
    void *from_reserved;
    size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
    int to_kind;
    void *to_host;
    device_pointer to_device;
    struct exec_array *to_array;
    void *to_reserved;
    size_t to_pitch, to_height, width, height, depth;
};

enum { KIND_HOST = 1, KIND_ARRAY = 3 };

static struct exec_side side_of(int kind, const void *host, device_pointer device,
                                struct exec_array *array)
{
    return (struct exec_side){.array = kind == KIND_ARRAY ? array : NULL,
                              .memory = kind == KIND_HOST ? host : pointer(device)};
}

static int copy_3d(const struct copy_3d *given, stream_t stream, bool is_blocking)
{
    struct exec_side to =
                         side_of(given->to_kind, given->to_host, given->to_device, given->to_array),
                     from = side_of(given->from_kind, given->from_host, given->from_device,
                                    given->from_array);
    struct exec_box box;
    int error;

    to.pitch = given->to_pitch > 0 ? given->to_pitch : given->width;
    to.rows = given->to_height > 0 ? given->to_height : given->height;
    to.x = given->to_x;
    to.y = given->to_y;
    to.z = given->to_z;
    from.pitch = given->from_pitch > 0 ? given->from_pitch : given->width;
    from.rows = given->from_height > 0 ? given->from_height : given->height;
    from.x = given->from_x;
    from.y = given->from_y;
    from.z = given->from_z;
    error = exec_box_between(&to, &from, given->width, given->height, given->depth, &box);
    return error == EXEC_SUCCESS ? exec_copy(&box, BY_ADDRESS, stream, is_blocking) : error;
}

API(cuMemcpy3D_v2, const struct copy_3d *given)
{
    return EXEC_CALL(copy_3d(given, NULL, true));
}

API(cuMemcpy3DAsync_v2, const struct copy_3d *given, stream_t stream)
{
    return EXEC_CALL(copy_3d(given, stream, false));
}

static int copy_2d(const struct copy_2d *given, stream_t stream, bool is_blocking)
{
    const struct copy_3d deep = {
        .from_x = given->from_x,
        .from_y = given->from_y,
        .from_kind = given->from_kind,
        .from_host = given->from_host,
        .from_device = given->from_device,
        .from_array = given->from_array,
        .from_pitch = given->from_pitch,
        .to_x = given->to_x,
        .to_y = given->to_y,
        .to_kind = given->to_kind,
        .to_host = given->to_host,
        .to_device = given->to_device,
        .to_array = given->to_array,
        .to_pitch = given->to_pitch,
        .width = given->width,
        .height = given->height,
        .depth = 1,
    };

    return copy_3d(&deep, stream, is_blocking);
}

API(cuMemcpy2D_v2, const struct copy_2d *given)
{
    return EXEC_CALL(copy_2d(given, NULL, true));
}

API(cuMemcpy2DUnaligned_v2, const struct copy_2d *given)
{
    return EXEC_CALL(copy_2d(given, NULL, true));
}

API(cuMemcpy2DAsync_v2, const struct copy_2d *given, stream_t stream)
{
    return EXEC_CALL(copy_2d(given, stream, false));
}

/* ---- Fills ---- */

static int fill(device_pointer to, uint32_t value, unsigned int element_bytes, size_t count,
                stream_t stream, bool is_blocking)
{
    const struct exec_fill filled = {pointer(to),           value, element_bytes,
                                     count * element_bytes, 1,     count * element_bytes};

    return exec_fill(&filled, stream, is_blocking);
}

API(cuMemsetD8_v2, device_pointer to, unsigned char value, size_t count)
{
    return EXEC_CALL(fill(to, value, 1, count, NULL, true));
}

API(cuMemsetD16_v2, device_pointer to, unsigned short value, size_t count)
{
    return EXEC_CALL(fill(to, value, 2, count, NULL, true));
}

API(cuMemsetD32_v2, device_pointer to, unsigned int value, size_t count)
{
    return EXEC_CALL(fill(to, value, 4, count, NULL, true));
}

API(cuMemsetD8Async, device_pointer to, unsigned char value, size_t count, stream_t stream)
{
    return EXEC_CALL(fill(to, value, 1, count, stream, false));
}

API(cuMemsetD16Async, device_pointer to, unsigned short value, size_t count, stream_t stream)
{
    return EXEC_CALL(fill(to, value, 2, count, stream, false));
}

API(cuMemsetD32Async, device_pointer to, unsigned int value, size_t count, stream_t stream)
{
    return EXEC_CALL(fill(to, value, 4, count, stream, false));
}
