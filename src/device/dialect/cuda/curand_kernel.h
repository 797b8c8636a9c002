/* SPDX-License-Identifier: MIT */
#error "curand_kernel.h (random numbers) is not there without nvcc: give one by --nvcc"
