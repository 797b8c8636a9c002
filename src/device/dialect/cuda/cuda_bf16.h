/* SPDX-License-Identifier: MIT */
#error "cuda_bf16.h (numbers of the type bfloat16) is not there without nvcc: give one by --nvcc"
