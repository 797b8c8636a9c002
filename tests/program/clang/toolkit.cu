/* SPDX-License-Identifier: MIT
 *
 * Headers of a CUDA Toolkit that both compilers accept together. A toolkit may lack some.
 */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>
#include <vector_types.h>
#if __has_include(<cooperative_groups/memcpy_async.h>)
#include <cooperative_groups/memcpy_async.h>
#endif
#if __has_include(<cub/block/block_radix_sort.cuh>)
#include <cub/block/block_radix_sort.cuh>
#endif
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#if __has_include(<cufft.h>)
#include <cufft.h>
#endif
#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>
#endif

/* helper_cuda.h of the CUDA samples asks for this guard, and for the names below. */
#ifndef __DRIVER_TYPES_H__
#error __DRIVER_TYPES_H__ is not defined
#endif

int describe(int device)
{
    int mode = 0, integrated = 0;

    cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device);
    cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, device);
    return mode == cudaComputeModeProhibited ? -1 : integrated;
}

__global__ void halves(const __nv_bfloat16 *x, float *y, int n)
{
    register int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 rounded = {1.0, 2, 3, 4};

    if (i < n)
        y[i] = __bfloat162float(__hadd(x[i], __float2bfloat16(1.0f))) + __half2float(__half(x[i])) +
               rounded.x;
}

/* A function of libdevice that stores two results. */
__global__ void both(const float *x, float *y)
{
    float sine, cosine;

    sincosf(x[threadIdx.x], &sine, &cosine);
    y[threadIdx.x] = sine + cosine;
}

/* The driver API and a launch with attributes, in host code. */
const char *launch(const float *x, float *y, cudaStream_t stream)
{
    const char *text = "";
    cudaFuncAttributes known;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    CUresult result = cuStreamSynchronize(stream);

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    config.stream = stream;
    if (cudaFuncGetAttributes(&known, (const void *)both) == cudaSuccess)
        cudaLaunchKernelEx(&config, both, x, y);
    cuGetErrorString(result, &text);
    return text;
}

/* A texture, as the samples make one. */
cudaTextureObject_t texture_of(float *x, size_t bytes)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = x;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = bytes;
    description.addressMode[0] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = 0;
    return cudaCreateTextureObject(&texture, &resource, &description, NULL) ==
                   cudaErrorInvalidTexture
               ? 0
               : texture;
}
