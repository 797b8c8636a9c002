/* SPDX-License-Identifier: MIT */
#include "cuda_driver.h"

/* The table has the types of cuda.h. */
#define IS_OF_CUDA(name, parameters)                                                               \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(driver.name)), #name);
DRIVER_FUNCTIONS(IS_OF_CUDA)

const char *cuda_driver_load(void)
{
    return driver_load("cuCtxGetDevice cuCtxSynchronize cuDeviceGetAttribute cuDeviceGetName "
                       "cuDriverGetVersion cuFuncGetParamInfo cuGetErrorName "
                       "cuKernelGetParamInfo cuLibraryGetGlobal cuMemcpyDtoH_v2 "
                       "cuMemGetAddressRange_v2 cuModuleGetGlobal_v2 cuPointerGetAttribute "
                       "cuStreamIsCapturing");
}

const char *cuda_driver_error(CUresult result)
{
    const char *name = NULL;

    if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL)
        return "an unknown error";
    return name;
}
