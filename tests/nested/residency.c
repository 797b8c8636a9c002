/* SPDX-License-Identifier: MIT */
#include "residency.h"

enum { WARP = 32 };

#define KIB(n) ((n)*1024)

/* clang-format off */
const struct sm_limits sm_limits_table[] = {
    /* cc | pro-  | block | resident           | registers of   | handed out: | parts | shared mem.  | most for
           | cess. | thr.  | blocks warps threads | SM    block    | unit block  |   | of SM unit reserved | a block */
    {1, 0, 8,   512,   8,   24,  768,   KIB(8),    KIB(8),   256,  true,   1,  KIB(16),   512,  0,  KIB(16)},
    {1, 1, 8,   512,   8,   24,  768,   KIB(8),    KIB(8),   256,  true,   1,  KIB(16),   512,  0,  KIB(16)},
    {1, 2, 8,   512,   8,   32,  1024,  KIB(16),   KIB(16),  512,  true,   1,  KIB(16),   512,  0,  KIB(16)},
    {1, 3, 8,   512,   8,   32,  1024,  KIB(16),   KIB(16),  512,  true,   1,  KIB(16),   512,  0,  KIB(16)},
    {2, 0, 32,  1024,  8,   48,  1536,  KIB(32),   KIB(32),  64,   false,  2,  KIB(48),   128,  0,  KIB(48)},
    {2, 1, 48,  1024,  8,   48,  1536,  KIB(32),   KIB(32),  64,   false,  2,  KIB(48),   128,  0,  KIB(48)},
    {3, 0, 192, 1024,  16,  64,  2048,  KIB(64),   KIB(64),  256,  false,  4,  KIB(48),   256,  0,  KIB(48)},
    {3, 2, 192, 1024,  16,  64,  2048,  KIB(64),   KIB(64),  256,  false,  4,  KIB(48),   256,  0,  KIB(48)},
    {3, 5, 192, 1024,  16,  64,  2048,  KIB(64),   KIB(64),  256,  false,  4,  KIB(48),   256,  0,  KIB(48)},
    {3, 7, 192, 1024,  16,  64,  2048,  KIB(128),  KIB(64),  256,  false,  4,  KIB(112),  256,  0,  KIB(48)},
    {5, 0, 128, 1024,  32,  64,  2048,  KIB(64),   KIB(64),  256,  false,  4,  KIB(64),   256,  0,  KIB(48)},
    {5, 2, 128, 1024,  32,  64,  2048,  KIB(64),   KIB(64),  256,  false,  4,  KIB(96),   256,  0,  KIB(48)},
    {5, 3, 128, 1024,  32,  64,  2048,  KIB(64),   KIB(32),  256,  false,  4,  KIB(64),   256,  0,  KIB(48)},
};
/* clang-format on */

const size_t sm_limits_count = sizeof sm_limits_table / sizeof *sm_limits_table;

const struct sm_limits *sm_limits_of(int major, int minor)
{
    for (size_t i = 0; i < sm_limits_count; i++)
        if (sm_limits_table[i].major == major && sm_limits_table[i].minor == minor)
            return &sm_limits_table[i];
    return NULL;
}

static uint32_t rounded_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns how many blocks fit in the registers. */
static uint32_t blocks_by_registers(const struct sm_limits *limits, uint32_t warps,
                                    uint32_t registers)
{
    uint32_t of_warp = rounded_up(registers * WARP, limits->register_unit);

    if (registers == 0)
        return UINT32_MAX;
    if (limits->registers_by_block) { /* allocated for an even number of warps */
        uint32_t of_block =
            rounded_up(rounded_up(warps, 2) * registers * WARP, limits->register_unit);
        return limits->registers / of_block;
    }
    /* The limit per block counts warps as if all partitions had equally many of them. */
    if (of_warp * rounded_up(warps, limits->partitions) > limits->block_registers)
        return 0;
    return limits->registers / limits->partitions / of_warp * limits->partitions / warps;
}

static uint32_t blocks_by_shared(const struct sm_limits *limits, uint32_t shared)
{
    uint32_t of_block = rounded_up(shared + limits->shared_reserved, limits->shared_unit);

    if (of_block > limits->block_shared + limits->shared_reserved)
        return 0;
    return of_block == 0 ? UINT32_MAX : limits->shared / of_block;
}

double oracle_occupancy(const struct sm_limits *limits, const struct residency *residency)
{
    return (double)residency->warps / limits->warps;
}

double oracle_concurrency(double latency, double throughput)
{
    return latency * throughput;
}

struct residency oracle_residency(const struct sm_limits *limits, uint32_t block_threads,
                                  uint32_t registers, uint32_t shared)
{
    uint32_t warps = rounded_up(block_threads, WARP) / WARP, blocks;

    if (block_threads == 0 || block_threads > limits->block_threads)
        return (struct residency){0, 0, 0};
    blocks = least(limits->blocks, limits->warps / warps);
    blocks = least(blocks, blocks_by_registers(limits, warps, registers));
    blocks = least(blocks, blocks_by_shared(limits, shared));
    return (struct residency){blocks, blocks * warps, blocks * block_threads};
}
