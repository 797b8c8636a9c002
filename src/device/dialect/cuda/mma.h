/* SPDX-License-Identifier: MIT */
#error "mma.h (matrix instructions) is not there without nvcc: give one by --nvcc"
