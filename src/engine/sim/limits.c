/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include "accept.h"
#include "module.h"

enum { OPT_IN_KIB = 227 };

/* cudaFuncAttributeMaxDynamicSharedMemorySize is 48 KiB minus the static shared memory, unless the
 * kernel opts in: CUDA C++ Programming Guide, compute capability 9.0. */
static const char *shared_error(uint32_t static_bytes, uint32_t dynamic_bytes, bool opts_in)
{
    uint64_t all = (static_bytes + UINT64_C(15)) / 16 * 16 + dynamic_bytes;

    if (static_bytes > STATIC_SHARED)
        return "invalid device function: ptxas rejects a kernel with more than 48 KiB of static "
               "shared memory: make the array dynamic (extern __shared__)";
    if (opts_in && all > OPT_IN_KIB * 1024)
        return "invalid argument: more than 227 KiB of static and dynamic shared memory";
    if (!opts_in && all > STATIC_SHARED && dynamic_bytes > 0)
        return "invalid argument: more than 48 KiB of static and dynamic shared memory, without "
               "cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, ...); in a "
               "launch line, `optin` stands for that call";
    return NULL;
}

/* Returns true if the kernel was compiled for other block sizes (__launch_bounds__()). */
static bool has_other_blocks(const struct function *function, const struct extent *block)
{
    const uint32_t given[3] = {block->x, block->y, block->z};

    for (int k = 0; k < 3; k++)
        if (function->threads[k] != 0 && function->threads[k] != given[k])
            return true;
    return function->most_threads != 0 && limits_count(block) > function->most_threads;
}

const char *limits_error(const struct function_code *code, const struct extent *grid,
                         const struct extent *block, uint32_t shared_bytes, bool opts_in)
{
    uint32_t static_bytes = 0;

    /* CUDA C++ Programming Guide, technical specifications per compute capability. */
    if (grid->x == 0 || grid->y == 0 || grid->z == 0 || block->x == 0 || block->y == 0 ||
        block->z == 0)
        return "invalid configuration argument: a grid or block dimension is 0";
    if ((uint64_t)block->x * block->y * block->z > SIMT_BLOCK_THREADS ||
        block->z > SIMT_BLOCK_THREADS_Z)
        return "invalid configuration argument: a block has at most 1024 threads, 64 in z";
    if (grid->x > INT32_MAX || grid->y > SIMT_GRID_ROWS || grid->z > SIMT_GRID_ROWS)
        return "invalid configuration argument: a grid has at most 2147483647 blocks in x, and "
               "65535 in y "
               "and z";
    if (code != NULL && has_other_blocks(code->function, block))
        return "invalid configuration argument: the kernel was compiled for other block sizes "
               "(__launch_bounds__)";
    if (code != NULL)
        static_bytes = shared_bytes > 0 ? code->dynamic_start : code->shared_bytes;
    return shared_error(static_bytes, shared_bytes, opts_in);
}

/* CUDA C++ Programming Guide, technical specifications per compute capability. A block needs 1 KiB
 * of shared memory for the system. */
uint64_t limits_resident(const struct function_code *code, const struct extent *block,
                         uint32_t shared_bytes)
{
    enum { THREADS = 2048, BLOCKS = 32, SHARED_BYTES = 228 << 10 };
    uint64_t threads = (limits_count(block) + LANES - 1) / LANES * LANES,
             shared = (code->shared_bytes + UINT64_C(127)) / 128 * 128 + shared_bytes + 1024,
             most = THREADS / threads < BLOCKS ? THREADS / threads : BLOCKS;

    return MULTIPROCESSORS * (SHARED_BYTES / shared < most ? SHARED_BYTES / shared : most);
}

uint64_t limits_count(const struct extent *extent)
{
    return (uint64_t)extent->x * extent->y * extent->z;
}

uint64_t limits_steps(const struct extent *grid, const struct extent *block, uint64_t elements)
{
    return (UINT64_C(1) << 20) + 4096 * limits_count(grid) * limits_count(block) + 64 * elements;
}
