/* SPDX-License-Identifier: MIT */
#error "cublas_v2.h (the library cuBLAS) is not there without nvcc: give one by --nvcc"
