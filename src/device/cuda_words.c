/* SPDX-License-Identifier: MIT */
#include "cuda_words.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLACED(name, meaning) name, CUDA_PLACED_CALL, "simt_cuda::" meaning, false
#define CALLED(name, meaning) name, CUDA_CALL, meaning, false
#define REFUSED(name, what) name, CUDA_REFUSED_CALL, what, false
#define REFUSED_ALL(name, what) name, CUDA_REFUSED_CALL, what, true

static const struct cuda_word words[] = {
    /* Coordinates: functions, for a variable would be memory. */
    {"threadIdx", CUDA_VALUE, "::simt_thread_index()", false},
    {"blockIdx", CUDA_VALUE, "::simt_block_index()", false},
    {"blockDim", CUDA_VALUE, "::simt_cuda::block_extent()", false},
    {"gridDim", CUDA_VALUE, "::simt_cuda::grid_extent()", false},

    /* What threads do together: each place is one of its own. */
    {PLACED("__syncthreads", "syncthreads")},
    {PLACED("__syncthreads_count", "syncthreads_count")},
    {PLACED("__syncthreads_and", "syncthreads_and")},
    {PLACED("__syncthreads_or", "syncthreads_or")},
    {PLACED("__syncwarp", "syncwarp")},
    {PLACED("__shfl_sync", "shfl_sync")},
    {PLACED("__shfl_up_sync", "shfl_up_sync")},
    {PLACED("__shfl_down_sync", "shfl_down_sync")},
    {PLACED("__shfl_xor_sync", "shfl_xor_sync")},
    {PLACED("__ballot_sync", "ballot_sync")},
    {PLACED("__any_sync", "any_sync")},
    {PLACED("__all_sync", "all_sync")},
    {PLACED("__match_any_sync", "match_any_sync")},
    {PLACED("__match_all_sync", "match_all_sync")},
    {PLACED("__reduce_add_sync", "reduce_add_sync")},
    {PLACED("__reduce_min_sync", "reduce_min_sync")},
    {PLACED("__reduce_max_sync", "reduce_max_sync")},
    {PLACED("__reduce_and_sync", "reduce_and_sync")},
    {PLACED("__reduce_or_sync", "reduce_or_sync")},
    {PLACED("__reduce_xor_sync", "reduce_xor_sync")},

    /* Functions of the C library that are others on a device. */
    {PLACED("printf", "print")},
    {PLACED("__assert_fail", "assertion_failed")},
    {PLACED("__trap", "trap")},
    {PLACED("cudaDeviceSynchronize", "device_wait")},
    {CALLED("cudaGetLastError", "simt_cuda::last_error")},
    {CALLED("cudaPeekAtLastError", "simt_cuda::peek_error")},
    {CALLED("clock", "simt_cuda::clock")},
    {CALLED("__sinf", "simt_cuda::fast_sin")},
    {CALLED("__cosf", "simt_cuda::fast_cos")},
    {CALLED("__tanf", "simt_cuda::fast_tan")},
    {CALLED("__sincosf", "simt_cuda::fast_sincos")},
    {CALLED("__expf", "simt_cuda::fast_exp")},
    {CALLED("__exp10f", "simt_cuda::fast_exp10")},
    {CALLED("__logf", "simt_cuda::fast_log")},
    {CALLED("__log2f", "simt_cuda::fast_log2")},
    {CALLED("__log10f", "simt_cuda::fast_log10")},
    {CALLED("__powf", "simt_cuda::fast_pow")},

    /* What is not there. */
    {"asm", CUDA_REFUSED, "inline PTX", false},
    {"__asm__", CUDA_REFUSED, "inline PTX", false},
    {"__asm", CUDA_REFUSED, "inline PTX", false},
    {"wmma", CUDA_REFUSED, "matrix instructions", false},
    {"new", CUDA_REFUSED_WORD, "memory that kernels allocate", false},
    {"delete", CUDA_REFUSED_WORD, "memory that kernels allocate", false},
    {"grid_group", CUDA_REFUSED, "synchronisation of a grid", false},
    {REFUSED("this_grid", "synchronisation of a grid")},
    {REFUSED("this_cluster", "clusters of blocks")},
    {REFUSED("coalesced_threads", "groups of the lanes that happen to run together")},
    {REFUSED("memcpy_async", "asynchronous copies")},
    {REFUSED_ALL("__pipeline_", "asynchronous copies")},
    {REFUSED("malloc", "memory that kernels allocate")},
    {REFUSED("free", "memory that kernels allocate")},
    {REFUSED("__shfl", "which CUDA has no more: __shfl_sync")},
    {REFUSED("__shfl_up", "which CUDA has no more: __shfl_up_sync")},
    {REFUSED("__shfl_down", "which CUDA has no more: __shfl_down_sync")},
    {REFUSED("__shfl_xor", "which CUDA has no more: __shfl_xor_sync")},
    {REFUSED("__ballot", "which CUDA has no more: __ballot_sync")},
    {REFUSED("__any", "which CUDA has no more: __any_sync")},
    {REFUSED("__all", "which CUDA has no more: __all_sync")},
    {REFUSED_ALL("tex1D", "textures and surfaces")},
    {REFUSED_ALL("tex2D", "textures and surfaces")},
    {REFUSED_ALL("tex3D", "textures and surfaces")},
    {REFUSED_ALL("texCubemap", "textures and surfaces")},
    {REFUSED_ALL("surf1D", "textures and surfaces")},
    {REFUSED_ALL("surf2D", "textures and surfaces")},
    {REFUSED_ALL("surf3D", "textures and surfaces")},
    {REFUSED_ALL("surfCubemap", "textures and surfaces")},
};

const struct cuda_word *cuda_word_find(const char *word, size_t length)
{
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t wanted = strlen(words[w].name);
        if ((words[w].starts ? length >= wanted : length == wanted) &&
            memcmp(words[w].name, word, wanted) == 0)
            return &words[w];
    }
    return NULL;
}

/* Of those, beginnings of files' names, or folders and a file that is in each. */
static const struct {
    const char *name, *mark;
} libraries[] = {
    {"thrust/", "version.h"},
    {"cub/", "version.cuh"},
    {"cuda/", "std/version"},
    {"cute/", "tensor.hpp"},
    {"cutlass/", "cutlass.h"},
    {"nvtx3/", "nvToolsExt.h"},
    {"cooperative_groups/", "reduce.h"},
    {"curand", NULL},
    {"cublas", NULL},
    {"cufft", NULL},
    {"cusparse", NULL},
    {"cusolver", NULL},
    {"mma.h", NULL},
    {"nvToolsExt", NULL},
    {"cuda_pipeline", NULL},
    {"cuda_awbarrier", NULL},
    {"cuda_bf16", NULL},
    {"cuda_fp8", NULL},
    {"cudnn", NULL},
    {"nccl", NULL},
    {"texture_fetch", NULL},
    {"texture_indirect", NULL},
    {"surface_functions", NULL},
};

enum { LIBRARIES = sizeof libraries / sizeof *libraries, PATH = 4096 };

/* Does the name at that place of a path start as that one of theirs? */
static bool starts_so(size_t library, const char *name, size_t length)
{
    size_t wanted = strlen(libraries[library].name);

    return wanted <= length && memcmp(name, libraries[library].name, wanted) == 0 &&
           (libraries[library].mark != NULL || memchr(name, '/', length) == NULL);
}

bool cuda_library_names(const char *header, size_t length)
{
    for (size_t k = 0; k < LIBRARIES; k++)
        if (starts_so(k, header, length))
            return true;
    return false;
}

/* Anybody may have a folder of that name. */
static bool has_mark(size_t library, const char *path, size_t length)
{
    char file[PATH];

    if (libraries[library].mark == NULL)
        return true;
    return snprintf(file, sizeof file, "%.*s%s", (int)length, path, libraries[library].mark) <
               PATH &&
           access(file, F_OK) == 0;
}

const char *cuda_library_find(const char *path, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        if (at > 0 && path[at - 1] != '/')
            continue;
        for (size_t k = 0; k < LIBRARIES; k++)
            if (starts_so(k, path + at, length - at) &&
                has_mark(k, path, at + strlen(libraries[k].name)))
                return path + at;
    }
    return NULL;
}
