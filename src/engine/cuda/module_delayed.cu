/* SPDX-License-Identifier: MIT
 *
 * The kernels with delays before their accesses (ptx_delays.h). The image is loaded as a library,
 * in which each kernel has the name that it has in the program.
 */
#include "delay_probe.h"
#include "module.h"

#include <cstdio>

extern "C" const unsigned char simt_delayed_image[];

namespace
{
/* The default of --delay-length, as a multiple of the time of a child launch. Now and then, a delay
 * of a parent must be longer than the launch and the delays of its child. */
const unsigned int LAUNCHES_LONG = 8;
/* A lane that waits delays its warp. With a high percentage, all warps would be equally late. */
const unsigned int DEFAULT_PER_CENT = 10;

cudaLibrary_t library;
unsigned int longest_ns, launch_ns, per_cent;
} // namespace

engine_id module_engine()
{
    return ENGINE_CUDA_STRESS;
}

cudaError_t module_open(const engine_limits &limits)
{
    struct {
        unsigned int seed, often, longest, unused;
    } delays = {};
    void *address;
    size_t size;
    cudaError_t error;

    if (library != nullptr)
        return cudaSuccess;
    error =
        cudaLibraryLoadData(&library, simt_delayed_image, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error == cudaSuccess)
        error = cudaLibraryGetGlobal(&address, &size, library, "simt_delays");
    if (error == cudaSuccess && size != sizeof delays)
        error = cudaErrorInvalidSymbol;
    if (error == cudaSuccess)
        error = delay_probe(&launch_ns);
    if (error != cudaSuccess)
        return error;
    per_cent = limits.delays.per_cent != 0 ? limits.delays.per_cent : DEFAULT_PER_CENT;
    longest_ns =
        limits.delays.longest_ns != 0 ? limits.delays.longest_ns : LAUNCHES_LONG * launch_ns;
    delays.seed = limits.delays.seed * 0x9e3779b9u + 1;
    delays.often = per_cent >= 100 ? 0xffffffffu : 0xffffffffu / 100 * per_cent;
    delays.longest = longest_ns;
    error = cudaMemcpy(address, &delays, sizeof delays, cudaMemcpyHostToDevice);
    /* The copy may still be running, and other streams do not wait for it. */
    return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

cudaError_t module_load(const char *)
{
    return cudaErrorNotSupported;
}

cudaError_t module_variable(const char *, void **, size_t *)
{
    return cudaErrorNotSupported;
}

cudaError_t module_contents(const char *, void **)
{
    return cudaErrorNotSupported;
}

cudaError_t module_restore(const char *, cudaStream_t)
{
    return cudaErrorNotSupported;
}

cudaError_t module_function(const char *kernel, const void **function)
{
    const simt_kernel *own = simt_kernel_find(kernel);
    const char *name;
    cudaKernel_t found;
    cudaError_t error =
        own != nullptr ? cudaFuncGetName(&name, own->function) : cudaErrorInvalidDeviceFunction;

    if (error == cudaSuccess)
        error = cudaLibraryGetKernel(&found, library, name);
    if (error == cudaSuccess)
        *function = reinterpret_cast<const void *>(found);
    return error;
}

cudaError_t module_launches(void **address)
{
    size_t size;
    return cudaLibraryGetGlobal(address, &size, library, "simt_launches");
}

void module_describe(char *text, size_t size)
{
    snprintf(text, size,
             ", delays before %u %% of the accesses, up to %u ns (a child launch takes %u ns)",
             per_cent, longest_ns, launch_ns);
}
