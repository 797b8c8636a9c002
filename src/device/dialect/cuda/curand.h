/* SPDX-License-Identifier: MIT */
#error "curand.h (random numbers) is not there without nvcc: give one by --nvcc"
