/* SPDX-License-Identifier: MIT */
#error "texture_fetch_functions.h (textures) is not there without nvcc: give one by --nvcc"
