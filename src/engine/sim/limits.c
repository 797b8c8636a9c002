/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include "module.h"

const char *limits_error(const struct extent *grid, const struct extent *block,
                         uint32_t shared_bytes)
{
    /* CUDA C++ Programming Guide, technical specifications per compute capability. */
    if (grid->x == 0 || grid->y == 0 || grid->z == 0 || block->x == 0 || block->y == 0 ||
        block->z == 0)
        return "invalid configuration argument: an extent is 0";
    if ((uint64_t)block->x * block->y * block->z > SIMT_BLOCK_THREADS ||
        block->z > SIMT_BLOCK_THREADS_Z)
        return "invalid configuration argument: a block has at most 1024 threads, 64 in z";
    if (grid->x > INT32_MAX || grid->y > SIMT_GRID_ROWS || grid->z > SIMT_GRID_ROWS)
        return "invalid configuration argument: the grid is too large";
    if (shared_bytes > 48 * 1024)
        return "invalid argument: more than 48 KiB of dynamic shared memory";
    return NULL;
}

uint64_t limits_count(const struct extent *extent)
{
    return (uint64_t)extent->x * extent->y * extent->z;
}

uint64_t limits_steps(const struct extent *grid, const struct extent *block, uint64_t elements)
{
    return (UINT64_C(1) << 20) + 4096 * limits_count(grid) * limits_count(block) + 64 * elements;
}

bool limits_refuse(const struct function_code *code, const struct extent *block)
{
    const uint32_t given[3] = {block->x, block->y, block->z};

    for (int k = 0; k < 3; k++)
        if (code->function->threads[k] != 0 && code->function->threads[k] != given[k])
            return true;
    return code->function->most_threads != 0 && limits_count(block) > code->function->most_threads;
}
