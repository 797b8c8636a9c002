/* SPDX-License-Identifier: MIT */
#include "invocations.h"

#include <string.h>

enum { LINE_WORDS = 32, SECTOR_WORDS = 8, TAIL = 64 };

/* Returns how many aligned groups of `unit` words `count` lanes touch: lane k accesses word
 * first + k * apart. */
static uint64_t touched(uint64_t first, uint64_t count, uint64_t apart, uint64_t unit)
{
    return apart >= unit ? count : (first + (count - 1) * apart) / unit - first / unit + 1;
}

/* Adds one access of `lanes` threads, of which `group` are in each warp. */
static void add_access(struct cost_access *access, uint64_t first, uint64_t lanes, uint64_t group,
                       uint64_t apart)
{
    for (uint64_t lane = 0; lane < lanes; lane += group) {
        uint64_t count = lanes - lane < group ? lanes - lane : group;
        access->requests++;
        access->lines += touched(first + lane * apart, count, apart, LINE_WORDS);
        access->sectors += touched(first + lane * apart, count, apart, SECTOR_WORDS);
    }
}

/* Adds a step of a tree: each thread adds a partner to its own element. The lanes of a warp diverge
 * if only some of them take part. */
static void add_step(struct cost *cost, uint64_t partner, uint64_t lanes, uint64_t group,
                     uint64_t apart)
{
    add_access(&cost->access[0], 0, lanes, group, apart);
    add_access(&cost->access[0], partner, lanes, group, apart);
    add_access(&cost->access[1], 0, lanes, group, apart);
    if (group < SIMT_WARP_LANES)
        cost->divergent += (lanes + group - 1) / group;
    else
        cost->divergent += lanes % SIMT_WARP_LANES != 0;
}

/* Adds what is not a step: each thread adds up U elements, and thread 0 stores the sum. A sum in
 * shared memory only loads its elements and stores the sum. */
static void add_ends(const struct variant *variant, uint64_t block, struct cost *cost)
{
    bool is_shared = strcmp(variant->family, "reduce_shared") == 0;
    uint32_t loads = variant->elements_per_thread;

    if (is_shared)
        memset(cost->access, 0, sizeof cost->access);
    for (uint32_t k = 0; (is_shared || loads > 1) && k < loads; k++)
        add_access(&cost->access[0], 0, block, SIMT_WARP_LANES, 1);
    if (loads > 1)
        add_access(&cost->access[1], 0, block, SIMT_WARP_LANES, 1);
    if (!is_shared)
        add_access(&cost->access[0], 0, 1, 1, 1);
    add_access(&cost->access[1], 0, 1, 1, 1);
    cost->divergent++;
    /* These steps read and write under two conditions. */
    if (variant->kind == VARIANT_CORRECTED && variant->label != NULL &&
        strcmp(variant->label, "tail-syncwarp") == 0)
        cost->divergent *= 2;
}

/* Adds the tail of the originals that have one, which `label` tells: all lanes of a warp take part
 * in each step. Returns the number of elements that it leaves to the other steps. */
static uint64_t add_tail(const struct variant *variant, uint64_t apart, struct cost *cost)
{
    *cost = (struct cost){.divergent = 0};
    if (variant->label == NULL || variant->kind == VARIANT_CORRECTED)
        return 1;
    for (uint64_t k = TAIL / 2; k > 0; k /= 2)
        add_step(cost, k * apart, SIMT_WARP_LANES, SIMT_WARP_LANES, apart);
    return TAIL;
}

/* Neighbouring pairs: in the step of stride s, one of 2s threads works. All warps diverge. */
bool cost_neighbored(const struct variant *variant, const struct shape *shape, struct cost *cost)
{
    uint64_t block = shape->block.x;

    *cost = (struct cost){.divergent = 0};
    for (uint64_t s = 1; s < block; s *= 2)
        add_step(cost, s, block / (2 * s), s < 16 ? SIMT_WARP_LANES / (2 * s) : 1, 2 * s);
    add_ends(variant, block, cost);
    cost->least_divergent = cost->divergent;
    return true;
}

/* Neighbouring pairs for the first threads: only a warp with fewer than 32 pairs diverges. */
bool cost_packed(const struct variant *variant, const struct shape *shape, struct cost *cost)
{
    uint64_t block = shape->block.x, left = add_tail(variant, block / TAIL, cost);

    for (uint64_t s = 1; s < block / left; s *= 2)
        add_step(cost, s, block / (2 * s), SIMT_WARP_LANES, 2 * s);
    add_ends(variant, block, cost);
    return block >= left;
}

/* Interleaved pairs: neighbouring threads access neighbouring elements. */
bool cost_interleaved(const struct variant *variant, const struct shape *shape, struct cost *cost)
{
    uint64_t block = shape->block.x, left = add_tail(variant, 1, cost);

    for (uint64_t s = block / 2; s >= left; s /= 2)
        add_step(cost, s, s, SIMT_WARP_LANES, 1);
    add_ends(variant, block, cost);
    return block >= left;
}

/* Each thread stores its elements of all outputs, even and odd lanes one after the other if they
 * are split. Else no lanes diverge. The corrected map of warps reads the lane from the hardware. */
bool cost_map(const struct variant *variant, const struct shape *shape, struct cost *cost)
{
    bool is_map = variant->contract == CONTRACT_WARP_MAP;
    uint64_t threads = shape_threads(shape), warps = threads / SIMT_WARP_LANES,
             ways = variant->contract == CONTRACT_SPLIT_LANES ? 2 : 1,
             stores = is_map                ? 3
                      : variant->stores > 0 ? variant->stores
                                            : 1;

    *cost = (struct cost){.divergent = (ways - 1) * warps,
                          .least_divergent = (ways - 1) * warps,
                          .lane_numbers = is_map && variant->kind == VARIANT_CORRECTED ? warps : 0};
    for (uint64_t k = 0; k < ways * stores; k++)
        add_access(&cost->access[1], 0, threads / ways, SIMT_WARP_LANES / ways, ways);
    return true;
}

/* Each row of a block fills lines or, if it has fewer than 32 threads, whole sectors. */
bool cost_matrix(const struct variant *variant, const struct shape *shape, struct cost *cost)
{
    uint64_t width = shape->block.x < SIMT_WARP_LANES ? shape->block.x : SIMT_WARP_LANES;
    struct cost_access row = {.requests = 0}, *access = cost->access;

    (void)variant;
    *cost = (struct cost){.divergent = 0};
    add_access(&row, 0, shape_threads(shape), width, 1);
    row.requests = shape_threads(shape) / SIMT_WARP_LANES;
    access[1] = row;
    access[0] = (struct cost_access){2 * row.requests, 2 * row.lines, 2 * row.sectors};
    return true;
}
