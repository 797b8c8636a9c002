/* SPDX-License-Identifier: MIT
 *
 * The functions of the CUDA driver that the capture calls. They are looked up in the driver that
 * the program has loaded, so the library does not link it.
 */
#ifndef SIMTCHECK_CAPTURE_DRIVER_H
#define SIMTCHECK_CAPTURE_DRIVER_H

#include <cuda.h>
#include <stdbool.h>

/* cuda.h defines some of these names as those of newer versions. */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuCtxGetDevice)                                                                              \
    F(cuCtxSynchronize)                                                                            \
    F(cuDeviceGetAttribute)                                                                        \
    F(cuDeviceGetName)                                                                             \
    F(cuDriverGetVersion)                                                                          \
    F(cuFuncGetParamInfo)                                                                          \
    F(cuGetErrorName)                                                                              \
    F(cuKernelGetParamInfo)                                                                        \
    F(cuLibraryGetGlobal)                                                                          \
    F(cuMemcpyDtoH)                                                                                \
    F(cuMemGetAddressRange)                                                                        \
    F(cuModuleGetGlobal)                                                                           \
    F(cuPointerGetAttribute)                                                                       \
    F(cuStreamIsCapturing)

struct driver {
#define DRIVER_MEMBER(name) __typeof__(name) *name;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

extern struct driver driver;

/* Fills in `driver`. Returns the name of a function that this driver lacks, or null. */
const char *driver_load(void);

/* Returns the name of a result, such as "CUDA_ERROR_ILLEGAL_ADDRESS". */
const char *driver_error(CUresult result);

#endif
