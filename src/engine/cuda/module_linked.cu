/* SPDX-License-Identifier: MIT */
#include "module.h"
#include <simtcheck/dialect.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

engine_id module_engine()
{
    return ENGINE_CUDA;
}

cudaError_t module_open(const engine_limits &)
{
    return cudaSuccess;
}

/* Kernels of a file replace those of the program. They have their own names. If the file was made
 * from the kernels of the program, they have the same names in both. */
#if CUDART_VERSION >= 12080
static cudaLibrary_t library;
static std::map<std::string, void *> initial;             /* contents of variables, on the device */
static std::map<std::string, std::vector<char>> constant; /* contents of variables, on the host */
static std::mutex reading;                                /* of `constant` */

cudaError_t module_load(const char *path)
{
    for (auto &variable : initial)
        cudaFree(variable.second);
    initial.clear();
    constant.clear();
    if (library != nullptr)
        cudaLibraryUnload(library);
    library = nullptr;
    return cudaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

cudaError_t module_variable(const char *symbol, void **address, size_t *bytes)
{
    return library == nullptr ? cudaErrorInvalidSymbol
                              : cudaLibraryGetGlobal(address, bytes, library, symbol);
}

cudaError_t module_contents(const char *symbol, void **contents)
{
    std::lock_guard<std::mutex> lock(reading);
    std::vector<char> &kept = constant[symbol];
    void *address;
    size_t bytes;
    cudaError_t error = kept.empty() ? module_variable(symbol, &address, &bytes) : cudaSuccess;

    if (error == cudaSuccess && kept.empty()) {
        kept.resize(bytes);
        error = cudaMemcpy(kept.data(), address, bytes, cudaMemcpyDeviceToHost);
    }
    *contents = kept.data();
    return error;
}

cudaError_t module_restore(const char *symbol, cudaStream_t stream)
{
    void *address, *&kept = initial[symbol];
    size_t bytes;
    cudaError_t error = module_variable(symbol, &address, &bytes);

    if (error != cudaSuccess)
        return error;
    if (kept != nullptr)
        return cudaMemcpyAsync(address, kept, bytes, cudaMemcpyDeviceToDevice, stream);
    error = cudaMalloc(&kept, bytes);
    if (error != cudaSuccess)
        return error;
    /* The copy is in the stream, because the kernel would not wait for cudaMemcpy(). */
    return cudaMemcpyAsync(kept, address, bytes, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t loaded_function(const char *kernel, const void **function)
{
    cudaKernel_t found;
    const simt_kernel *own = simt_kernel_find(kernel);
    const char *name = kernel;
    cudaError_t error = own != nullptr ? cudaFuncGetName(&name, own->function) : cudaSuccess;

    if (error == cudaSuccess)
        error = cudaLibraryGetKernel(&found, library, name);
    if (error == cudaSuccess)
        *function = reinterpret_cast<const void *>(found);
    return error == cudaErrorSymbolNotFound ? cudaErrorInvalidDeviceFunction : error;
}
#else
static const bool library = false;

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

static cudaError_t loaded_function(const char *, const void **)
{
    return cudaErrorNotSupported;
}
#endif

cudaError_t module_function(const char *kernel, const void **function)
{
    const simt_kernel *own;

    if (library)
        return loaded_function(kernel, function);
    own = simt_kernel_find(kernel);
    if (own == nullptr)
        return cudaErrorInvalidDeviceFunction;
    *function = own->function;
    return cudaSuccess;
}

cudaError_t module_launches(void **address)
{
#ifdef __CUDACC_RDC__
    return cudaGetSymbolAddress(address, simt_launches);
#else /* No kernel of the program launches. */
    *address = nullptr;
    return cudaSuccess;
#endif
}

void module_describe(char *text, size_t size)
{
#ifdef SIMT_KERNELS_ARE_PTX
    bool jit = true;
#else
    const char *forced = getenv("CUDA_FORCE_PTX_JIT");
    bool jit = forced != nullptr && strcmp(forced, "1") == 0;
#endif
    snprintf(text, size, "%s", jit ? ", PTX compiled by the driver" : ", machine code");
}
