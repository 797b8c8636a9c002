/* SPDX-License-Identifier: MIT */
#include "dialect.h"
#include "module.h"

engine_id module_engine()
{
    return ENGINE_CUDA;
}

cudaError_t module_open(const engine_limits &)
{
    return cudaSuccess;
}

cudaError_t module_function(const simt_kernel *kernel, const void **function)
{
    *function = kernel->function;
    return cudaSuccess;
}

cudaError_t module_launches(void **address)
{
#ifdef __CUDACC_RDC__
    return cudaGetSymbolAddress(address, simt_launches);
#else /* a program without kernels that launch */
    *address = nullptr;
    return cudaSuccess;
#endif
}

void module_describe(char *text, size_t size)
{
    const char *jit = getenv("CUDA_FORCE_PTX_JIT");
    snprintf(text, size, "%s",
             jit != nullptr && strcmp(jit, "1") == 0 ? ", PTX compiled by the driver"
                                                     : ", machine code");
}
