/* SPDX-License-Identifier: MIT */
#error "cub/cub.cuh (the library CUB) is not there without nvcc: give one by --nvcc"
