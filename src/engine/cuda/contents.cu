/* SPDX-License-Identifier: MIT */
#include "contents.h"

#include "module.h"

const void *data_on_device(const data_copies *copies, const buffer &buffer)
{
    for (size_t k = 0; k < copies->count; k++)
        if (copies->copy[k].host == buffer.data)
            return copies->copy[k].device;
    return nullptr;
}

cudaError_t data_copy(data_copies *copies, const invocation &invocation)
{
    for (uint32_t k = 0; k < invocation.buffer_count; k++) {
        const buffer &buffer = invocation.buffers[k];
        size_t bytes = buffer.data_count * element_size(buffer.element);
        if (buffer.fill != FILL_DATA || bytes == 0 || data_on_device(copies, buffer) != nullptr)
            continue;
        if (copies->count == MAX_BUFFERS)
            return cudaErrorMemoryAllocation;
        auto &copy = copies->copy[copies->count];
        cudaError_t error = cudaMalloc(&copy.device, bytes);
        if (error == cudaSuccess)
            error = cudaMemcpy(copy.device, buffer.data, bytes, cudaMemcpyHostToDevice);
        if (error == cudaSuccess) /* The copy may still run, and other streams do not wait. */
            error = cudaStreamSynchronize(nullptr);
        if (error != cudaSuccess)
            return error;
        copy.host = buffer.data;
        copies->count++;
    }
    return cudaSuccess;
}

void data_free(data_copies *copies)
{
    for (size_t k = 0; k < copies->count; k++)
        cudaFree(copies->copy[k].device);
}

bool runs_alone(const invocation &invocation)
{
    return invocation.launches || invocation.view_count > 0 ||
           invocation_has_variables(&invocation);
}

/* Copies between the variable and the region that stands for it, in that direction. */
static cudaError_t copy_variable(const buffer &buffer, void *inside, direction direction,
                                 cudaStream_t stream)
{
    void *variable;
    size_t bytes;
    cudaError_t error = module_variable(buffer.variable, &variable, &bytes);

    if (error != cudaSuccess)
        return error;
    if (bytes != buffer_bytes(&buffer))
        return cudaErrorInvalidSymbol;
    return cudaMemcpyAsync(direction == TO_VARIABLES ? variable : inside,
                           direction == TO_VARIABLES ? inside : variable, bytes,
                           cudaMemcpyDeviceToDevice, stream);
}

cudaError_t copy_variables(const invocation &invocation, const region *regions, direction direction,
                           cudaStream_t stream)
{
    for (uint32_t k = 0; k < invocation.buffer_count; k++) {
        const buffer &buffer = invocation.buffers[k];
        cudaError_t error = cudaSuccess;
        if (buffer.variable != nullptr && buffer.role != ROLE_INITIAL)
            error = copy_variable(buffer, regions[k].words + regions[k].guard, direction, stream);
        else if (buffer.variable != nullptr && direction == TO_VARIABLES)
            error = module_restore(buffer.variable, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}
