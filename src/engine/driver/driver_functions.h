/* SPDX-License-Identifier: MIT
 *
 * The functions of the CUDA driver that simtcheck calls. They are looked up by name in the driver's
 * library, because programs must also start without a driver.
 */
#ifndef SIMTCHECK_ENGINE_DRIVER_FUNCTIONS_H
#define SIMTCHECK_ENGINE_DRIVER_FUNCTIONS_H

#include <stddef.h>

/* Types as wide as those of cuda.h, for files that do not include it before this header. Pointers
 * to structures may be any pointers. */
#ifndef CUDA_VERSION
typedef int CUresult, CUdevice, CUdevice_attribute, CUjit_option, CUjitInputType,
    CUpointer_attribute, CUstreamCaptureStatus;
typedef void *CUarray, *CUcontext, *CUfunction, *CUkernel, *CUlibrary, *CUlinkState, *CUmodule,
    *CUstream;
typedef unsigned long long CUdeviceptr, CUtexObject;
typedef void CUuuid, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D, CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC;
#endif

/* Calls F(name, parameters) for each function (CUDA driver API, cuda.h). The names are those in the
 * library, which cuda.h may define as those of other versions. */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *plan))                  \
    F(cuArrayDestroy, (CUarray array))                                                             \
    F(cuCtxGetDevice, (CUdevice * device))                                                         \
    F(cuCtxSetCurrent, (CUcontext context))                                                        \
    F(cuCtxSynchronize, (void))                                                                    \
    F(cuDeviceGet, (CUdevice * device, int number))                                                \
    F(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))           \
    F(cuDeviceGetCount, (int *count))                                                              \
    F(cuDeviceGetName, (char *name, int size, CUdevice device))                                    \
    F(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                        \
    F(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                            \
    F(cuDriverGetVersion, (int *version))                                                          \
    F(cuFuncGetParamInfo, (CUfunction function, size_t k, size_t * offset, size_t * bytes))        \
    F(cuGetErrorName, (CUresult result, const char **name))                                        \
    F(cuGetErrorString, (CUresult result, const char **text))                                      \
    F(cuInit, (unsigned int flags))                                                                \
    F(cuKernelGetParamInfo, (CUkernel kernel, size_t k, size_t * offset, size_t * bytes))          \
    F(cuLaunchKernel,                                                                              \
      (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,         \
       unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,      \
       CUstream stream, void **arguments, void **extra))                                           \
    F(cuLibraryGetGlobal,                                                                          \
      (CUdeviceptr * address, size_t * bytes, CUlibrary library, const char *name))                \
    F(cuLinkAddData_v2,                                                                            \
      (CUlinkState link, CUjitInputType type, void *data, size_t size, const char *name,           \
       unsigned int count, CUjit_option *options, void **values))                                  \
    F(cuLinkComplete, (CUlinkState link, void **code, size_t *size))                               \
    F(cuLinkCreate_v2,                                                                             \
      (unsigned int count, CUjit_option *options, void **values, CUlinkState *link))               \
    F(cuLinkDestroy, (CUlinkState link))                                                           \
    F(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                        \
    F(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t * bytes, CUdeviceptr address))          \
    F(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy))                                                  \
    F(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                                 \
    F(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))                           \
    F(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))             \
    F(cuModuleGetGlobal_v2,                                                                        \
      (CUdeviceptr * address, size_t * bytes, CUmodule module, const char *name))                  \
    F(cuModuleLoadDataEx, (CUmodule * module, const void *image, unsigned int count,               \
                           CUjit_option *options, void **values))                                  \
    F(cuModuleUnload, (CUmodule module))                                                           \
    F(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr address))    \
    F(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                      \
    F(cuTexObjectCreate, (CUtexObject * object, const CUDA_RESOURCE_DESC *resource,                \
                          const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view))  \
    F(cuTexObjectDestroy, (CUtexObject object))

struct driver {
#define DRIVER_MEMBER(name, parameters) CUresult(*name) parameters;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

/* The functions that driver_load() has found; the others are null. */
extern struct driver driver;

/* Opens the driver's library, libcuda.so.1, and finds the functions whose names the text has, with
 * blanks between them. Returns the name of the first one that is missing, or null. */
const char *driver_load(const char *names);

#endif
