/* SPDX-License-Identifier: MIT */
#error "cuda_fp8.h (numbers of 8 bits) is not there without nvcc: give one by --nvcc"
