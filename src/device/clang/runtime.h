/* SPDX-License-Identifier: MIT
 *
 * Declarations of the CUDA Runtime API. Compiling kernels also parses the host code of their file,
 * which never runs. A few functions also exist for device code.
 */
#ifndef SIMTCHECK_CLANG_RUNTIME_H
#define SIMTCHECK_CLANG_RUNTIME_H

/* clang-format off */
typedef enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3, cudaErrorCudartUnloading = 4, cudaErrorProfilerDisabled = 5,
    cudaErrorInvalidConfiguration = 9, cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17, cudaErrorInvalidTexture = 18,
    cudaErrorInvalidTextureBinding = 19, cudaErrorInvalidChannelDescriptor = 20,
    cudaErrorInvalidMemcpyDirection = 21, cudaErrorInvalidFilterSetting = 26,
    cudaErrorInvalidNormSetting = 27, cudaErrorInsufficientDriver = 35,
    cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName = 44,
    cudaErrorDuplicateSurfaceName = 45, cudaErrorDevicesUnavailable = 46,
    cudaErrorIncompatibleDriverContext = 49, cudaErrorMissingConfiguration = 52,
    cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex = 66,
    cudaErrorLaunchFileScopedSurf = 67, cudaErrorSyncDepthExceeded = 68,
    cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101,
    cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200,
    cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed = 206,
    cudaErrorNoKernelImageForDevice = 209, cudaErrorECCUncorrectable = 214,
    cudaErrorUnsupportedLimit = 215, cudaErrorDeviceAlreadyInUse = 216,
    cudaErrorPeerAccessUnsupported = 217, cudaErrorSharedObjectSymbolNotFound = 302,
    cudaErrorSharedObjectInitFailed = 303, cudaErrorOperatingSystem = 304,
    cudaErrorInvalidResourceHandle = 400, cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702,
    cudaErrorPeerAccessAlreadyEnabled = 704, cudaErrorPeerAccessNotEnabled = 705,
    cudaErrorSetOnActiveProcess = 708, cudaErrorAssert = 710, cudaErrorTooManyPeers = 711,
    cudaErrorAlreadyMapped = 208, cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713, cudaErrorLaunchFailure = 719,
    cudaErrorNotPermitted = 800, cudaErrorNotSupported = 801, cudaErrorUnknown = 999
} cudaError_t;
/* clang-format on */

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual,
};

enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte,
};

enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
};

enum cudaRoundMode {
    cudaRoundNearest,
    cudaRoundZero,
    cudaRoundPosInf,
    cudaRoundMinInf,
};

enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess,
};

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy,
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};

enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
};

enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaMemAttachSingle = 4,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceMapHost = 8,
    cudaCpuDeviceId = -1,
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    size_t memPitch, totalConstMem, textureAlignment;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3];
    int maxGridSize[3], clockRate, major, minor, deviceOverlap, multiProcessorCount;
    int kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode, concurrentKernels;
    int ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
    int maxThreadsPerMultiProcessor, managedMemory, concurrentManagedAccess, cooperativeLaunch;
    int pageableMemoryAccess, maxBlocksPerMultiProcessor;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    union {
        int cooperative, programmaticStreamSerializationAllowed, priority;
        struct {
            unsigned int x, y, z;
        } clusterDim;
    } val;
};

struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};

typedef struct cudaArray *cudaArray_t;

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};

static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width,
                                                 size_t height)
{
    return {pointer, pitch, width, height};
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return {width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return {x, y, z};
}

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat
};

struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};

enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};

struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes, width, height, pitchInBytes;
        } linear, pitch2D;
    } res;
};

enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };

struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB, normalizedCoords;
    float borderColor[4];
};

template <typename Type>
cudaChannelFormatDesc cudaCreateChannelDesc();
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f);
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *description,
                            size_t width, size_t height = 0, unsigned int flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *description,
                              cudaExtent extent, unsigned int flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void *from,
                                size_t pitch, size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description, const void *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *to, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void *to, size_t pitch, int byte, size_t width, size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent);
cudaError_t cudaMemset3D(cudaPitchedPtr to, int byte, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int byte, cudaExtent extent,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream = nullptr);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes = 0,
                                     unsigned int flags = 0);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache config);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = nullptr);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

/* CUDA has these for pointers of every type. */
template <typename Type>
cudaError_t cudaMalloc(Type **pointer, size_t bytes);
template <typename Type>
cudaError_t cudaMallocAsync(Type **pointer, size_t bytes, cudaStream_t stream);
template <typename Type>
cudaError_t cudaMallocManaged(Type **pointer, size_t bytes, unsigned int flags = 1);
template <typename Type>
cudaError_t cudaMallocHost(Type **pointer, size_t bytes, unsigned int flags = 0);
template <typename Type>
cudaError_t cudaHostAlloc(Type **pointer, size_t bytes, unsigned int flags);
template <typename Type>
cudaError_t cudaHostGetDevicePointer(Type **pointer, void *host, unsigned int flags);
template <typename Type>
cudaError_t cudaMallocPitch(Type **pointer, size_t *pitch, size_t width, size_t height);

/* For variables and kernels. */
template <typename Symbol>
cudaError_t cudaMemcpyToSymbol(const Symbol &symbol, const void *from, size_t bytes,
                               size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice);
template <typename Symbol>
cudaError_t cudaMemcpyToSymbolAsync(const Symbol &symbol, const void *from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr);
template <typename Symbol>
cudaError_t cudaMemcpyFromSymbol(void *to, const Symbol &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
template <typename Symbol>
cudaError_t cudaGetSymbolAddress(void **pointer, const Symbol &symbol);
template <typename Symbol>
cudaError_t cudaGetSymbolSize(size_t *bytes, const Symbol &symbol);
template <typename... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute,
                                 int value);
template <typename... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(Parameters...));
template <typename... Parameters>
cudaError_t cudaFuncSetCacheConfig(void (*kernel)(Parameters...), cudaFuncCache config);
template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr);
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments);
template <typename... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          void (*kernel)(Parameters...),
                                                          int threads, size_t shared_bytes);
template <typename... Parameters>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, void (*kernel)(Parameters...),
                                               size_t shared_bytes = 0, int most = 0);

/* clang calls one of these for a launch by host code. The choice depends on the CUDA version that
 * it assumes. */
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                 cudaStream_t stream = nullptr);
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                    cudaStream_t stream = nullptr);

/* ---- Device code ---- */

/* The streams that only device code has. */
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)

extern "C" {
__device__ cudaError_t cudaGetLastError();
__device__ cudaError_t cudaPeekAtLastError();
__device__ cudaError_t cudaDeviceSynchronize();
__device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block,
                                                unsigned int shared_bytes);
__device__ cudaError_t __cudaCDP2LaunchDeviceV2(void *parameters, cudaStream_t stream);

__device__ int vprintf(const char *format, const char *values);
__device__ int printf(const char *format, ...); /* clang turns it into a call of vprintf() */
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file,
                                                       unsigned int line, const char *function,
                                                       size_t bytes_of_character);

/* assert() of the C library calls this. */
static __inline__ __device__ __attribute__((always_inline, nodebug, noreturn, unused)) void
__assert_fail(const char *message, const char *file, unsigned int line, const char *function)
{
    __assertfail(message, file, line, function, 1);
}
}

#endif
