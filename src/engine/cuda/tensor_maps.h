/* SPDX-License-Identifier: MIT
 *
 * Tensor maps as arguments of kernels.
 */
#ifndef SIMTCHECK_CUDA_TENSOR_MAPS_H
#define SIMTCHECK_CUDA_TENSOR_MAPS_H

#include "catalogue.h"

#include <cuda_runtime.h>

/* The bytes of a CUtensorMap. */
struct alignas(64) encoded_map {
    unsigned char bytes[128];
};

/* Encodes a map of an array on the device. */
cudaError_t encode_map(const tensor_map &map, void *array, encoded_map *encoded);

#endif
