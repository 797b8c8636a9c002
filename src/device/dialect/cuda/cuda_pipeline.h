/* SPDX-License-Identifier: MIT */
#error "cuda_pipeline.h (asynchronous copies) is not there without nvcc: give one by --nvcc"
