/* SPDX-License-Identifier: MIT */
#include "tensor_maps.h"

#include <cstring>
#include <cuda.h>

#if CUDART_VERSION >= 12000

static_assert(sizeof(CUtensorMap) == sizeof(encoded_map), "the bytes of a CUtensorMap");

namespace
{

/* Returns a function of the driver, or null. */
void *driver_function(const char *name)
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
    cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}

CUresult encode_tiled(const tensor_map &map, void *array, CUtensorMap *encoded)
{
    auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(
        driver_function("cuTensorMapEncodeTiled"));

    if (encode == nullptr)
        return CUDA_ERROR_NOT_SUPPORTED;
    return encode(encoded, static_cast<CUtensorMapDataType>(map.type), map.rank, array, map.sizes,
                  map.strides, map.box, map.steps,
                  static_cast<CUtensorMapInterleave>(map.interleave),
                  static_cast<CUtensorMapSwizzle>(map.swizzle),
                  static_cast<CUtensorMapL2promotion>(map.promotion),
                  static_cast<CUtensorMapFloatOOBfill>(map.is_nan_fill));
}

CUresult encode_pixels(const tensor_map &map, void *array, CUtensorMap *encoded)
{
    auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(
        driver_function("cuTensorMapEncodeIm2col"));

    if (encode == nullptr)
        return CUDA_ERROR_NOT_SUPPORTED;
    return encode(encoded, static_cast<CUtensorMapDataType>(map.type), map.rank, array, map.sizes,
                  map.strides, map.lower, map.upper, map.channels, map.pixels, map.steps,
                  static_cast<CUtensorMapInterleave>(map.interleave),
                  static_cast<CUtensorMapSwizzle>(map.swizzle),
                  static_cast<CUtensorMapL2promotion>(map.promotion),
                  static_cast<CUtensorMapFloatOOBfill>(map.is_nan_fill));
}

} // namespace

cudaError_t encode_map(const tensor_map &map, void *array, encoded_map *encoded)
{
    CUtensorMap own;
    CUresult result =
        map.is_im2col ? encode_pixels(map, array, &own) : encode_tiled(map, array, &own);

    memcpy(encoded->bytes, &own, sizeof own);
    return result == CUDA_SUCCESS               ? cudaSuccess
           : result == CUDA_ERROR_NOT_SUPPORTED ? cudaErrorNotSupported
                                                : cudaErrorInvalidValue;
}

#else

cudaError_t encode_map(const tensor_map &, void *, encoded_map *)
{
    return cudaErrorNotSupported;
}

#endif
