/* SPDX-License-Identifier: MIT */
#include "views.h"

#include "module.h"

#include <cstring>

namespace
{

uint64_t texels(const view &view)
{
    return view.extent[0] * view.extent[1] * view.extent[2] * view.layers;
}

size_t row_bytes(const view &view)
{
    return view.extent[0] * view.lanes * element_size(view.element);
}

cudaChannelFormatDesc format_of(const view &view)
{
    const int bits = 8 * static_cast<int>(element_size(view.element));

    return cudaCreateChannelDesc(bits, view.lanes > 1 ? bits : 0, view.lanes > 2 ? bits : 0,
                                 view.lanes > 2 ? bits : 0,
                                 element_is_float(view.element) ? cudaChannelFormatKindFloat
                                 : view.is_signed               ? cudaChannelFormatKindSigned
                                                                : cudaChannelFormatKindUnsigned);
}

/* The extent of an array: 0 stands for a dimension that it does not have. */
cudaExtent extent_of(const view &view)
{
    const bool has_layers = view.is_layered || view.is_cubemap;

    return make_cudaExtent(view.extent[0], view.dimensions > 1 ? view.extent[1] : 0,
                           has_layers            ? view.layers
                           : view.dimensions > 2 ? view.extent[2]
                                                 : 0);
}

unsigned int flags_of(const view &view)
{
    const bool has_layers = view.is_layered || view.is_cubemap;

    return cudaArraySurfaceLoadStore | (view.is_layered ? cudaArrayLayered : 0) |
           (view.is_cubemap ? cudaArrayCubemap : 0) |
           (view.dimensions == 2 && !has_layers ? cudaArrayTextureGather : 0);
}

void *memory_of(const view &view, const invocation &invocation, const region *regions)
{
    return row_in_region(invocation.buffers[view.buffer], regions[view.buffer], view.row);
}

/* Returns the first view of the same texels. */
uint32_t first_like(const invocation &invocation, uint32_t v)
{
    uint32_t first = 0;

    while (invocation.views[first].buffer != invocation.views[v].buffer ||
           invocation.views[first].row != invocation.views[v].row)
        first++;
    return first;
}

cudaError_t copy(const view &view, cudaArray_t array, void *texels, bool to_array,
                 cudaStream_t stream)
{
    cudaMemcpy3DParms plan = {};
    const cudaPitchedPtr memory =
        make_cudaPitchedPtr(texels, row_bytes(view), view.extent[0], view.extent[1]);

    if (to_array) {
        plan.srcPtr = memory;
        plan.dstArray = array;
    } else {
        plan.srcArray = array;
        plan.dstPtr = memory;
    }
    plan.extent = make_cudaExtent(view.extent[0], view.extent[1], view.extent[2] * view.layers);
    plan.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3DAsync(&plan, stream);
}

cudaTextureDesc reading_of(const view &view)
{
    static const cudaTextureAddressMode addresses[] = {
        cudaAddressModeClamp, cudaAddressModeWrap, cudaAddressModeMirror, cudaAddressModeBorder};
    cudaTextureDesc reading = {};

    for (uint32_t d = 0; d < 3; d++) /* others would also filter with the border */
        reading.addressMode[d] =
            d < view.dimensions ? addresses[view.address] : cudaAddressModeClamp;
    reading.filterMode = view.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    reading.readMode = view.reads_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    reading.normalizedCoords = view.is_normalized;
    reading.sRGB = view.is_srgb;
    return reading;
}

cudaError_t make(const view &view, cudaArray_t array, void *texels, unsigned long long *handle)
{
    cudaResourceDesc resource = {};
    const cudaTextureDesc reading = reading_of(view);

    resource.resType = view.is_memory ? cudaResourceTypeLinear : cudaResourceTypeArray;
    if (view.is_memory) {
        resource.res.linear.devPtr = texels;
        resource.res.linear.desc = format_of(view);
        resource.res.linear.sizeInBytes = row_bytes(view);
    } else {
        resource.res.array.array = array;
    }
    return view.is_surface ? cudaCreateSurfaceObject(handle, &resource)
                           : cudaCreateTextureObject(handle, &resource, &reading, nullptr);
}

/* Writes the handle into a variable of the code. */
cudaError_t put(unsigned long long handle, const char *variable, cudaStream_t stream)
{
    void *address;
    size_t bytes;
    cudaError_t error = module_variable(variable, &address, &bytes);

    if (error == cudaSuccess && bytes != sizeof handle)
        error = cudaErrorInvalidSymbol;
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(address, &handle, sizeof handle, cudaMemcpyHostToDevice, stream);
    return error;
}

} // namespace

cudaError_t views_make(view_objects *objects, const invocation &invocation, const region *regions)
{
    cudaError_t error = cudaSuccess;

    memset(objects, 0, sizeof *objects);
    for (uint32_t v = 0; v < invocation.view_count && error == cudaSuccess; v++) {
        const view &view = invocation.views[v];
        cudaArray_t &array = objects->arrays[first_like(invocation, v)];
        const cudaChannelFormatDesc format = format_of(view);
        if (texels(view) == 0)
            continue;
        if (array == nullptr && !view.is_memory)
            error = cudaMalloc3DArray(&array, &format, extent_of(view), flags_of(view));
        objects->is_surface[v] = view.is_surface;
        if (error == cudaSuccess)
            error = make(view, array, memory_of(view, invocation, regions), &objects->handles[v]);
    }
    return error;
}

cudaError_t views_fill(const view_objects *objects, const invocation &invocation,
                       const region *regions, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    for (uint32_t v = 0; v < invocation.view_count && error == cudaSuccess; v++) {
        const view &view = invocation.views[v];
        if (objects->arrays[v] != nullptr)
            error =
                copy(view, objects->arrays[v], memory_of(view, invocation, regions), true, stream);
        if (error == cudaSuccess && view.variable != nullptr && objects->handles[v] != 0)
            error = put(objects->handles[v], view.variable, stream);
    }
    return error;
}

cudaError_t views_read(const view_objects *objects, const invocation &invocation,
                       const region *regions, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    for (uint32_t v = 0; v < invocation.view_count && error == cudaSuccess; v++) {
        const view &view = invocation.views[v];
        if (view.is_surface && objects->handles[v] != 0)
            error = copy(view, objects->arrays[first_like(invocation, v)],
                         memory_of(view, invocation, regions), false, stream);
    }
    return error;
}

void views_free(view_objects *objects)
{
    for (uint32_t v = 0; v < MAX_VIEWS; v++) {
        if (objects->handles[v] == 0)
            continue;
        if (objects->is_surface[v])
            cudaDestroySurfaceObject(objects->handles[v]);
        else
            cudaDestroyTextureObject(objects->handles[v]);
    }
    for (auto &array : objects->arrays)
        if (array != nullptr)
            cudaFreeArray(array);
    memset(objects, 0, sizeof *objects);
}
