/* SPDX-License-Identifier: MIT */
#include "contents.h"

#include "module.h"

const void *data_on_device(data_copies *copies, const buffer &buffer)
{
    for (auto &copy : copies->copy)
        if (copy.host == buffer.data && copy.bytes == buffer_bytes(&buffer))
            return copy.device;
    auto &copy = copies->copy[copies->next++ % MAX_BUFFERS];
    cudaFree(copy.device);
    copy = {buffer.data, nullptr, buffer_bytes(&buffer)};
    if (cudaMalloc(&copy.device, copy.bytes) == cudaSuccess)
        cudaMemcpy(copy.device, buffer.data, copy.bytes, cudaMemcpyHostToDevice);
    return copy.device;
}

void data_free(data_copies *copies)
{
    for (auto &copy : copies->copy)
        cudaFree(copy.device);
}

bool runs_alone(const invocation &invocation)
{
    return invocation.launches || invocation_has_variables(&invocation);
}

/* The variable's contents from what stands for it, or the other way round. */
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
