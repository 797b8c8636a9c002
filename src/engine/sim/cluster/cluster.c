/* SPDX-License-Identifier: MIT */
#include "cluster.h"

#include "faults.h"
#include "limits.h"
#include "paths.h"
#include "undefined.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Launches ---- */

static bool is_given(const struct extent *extent)
{
    return extent->x != 0 || extent->y != 0 || extent->z != 0;
}

const char *cluster_error(const struct function_code *code, const struct extent *grid,
                          const struct extent *asked, bool is_nonportable, struct extent *cluster)
{
    const struct function *function = code->function;
    const struct extent own = {function->cluster[0], function->cluster[1], function->cluster[2]};
    static char text[160];
    uint64_t size;

    *cluster = is_given(&own) ? own : *asked;
    size = limits_count(cluster);
    if (is_given(&own) && is_given(asked) && memcmp(&own, asked, sizeof own) != 0)
        return "invalid cluster size: the kernel was compiled for other clusters "
               "(__cluster_dims__)";
    if (function->needs_cluster && !is_given(&own) && !is_given(asked))
        return "invalid cluster size: the kernel needs a cluster: write cluster(2) or the like "
               "before it";
    if (!is_given(cluster))
        return NULL;
    if (size == 0 || size > MAX_CLUSTER || cluster->x > size || cluster->y > size)
        return "invalid cluster size: a cluster has 1 to 8 blocks, or 16 with `nonportable`";
    if (size > PORTABLE_CLUSTER && !is_nonportable)
        return "invalid cluster size: more than 8 blocks, without "
               "cudaFuncAttributeNonPortableClusterSizeAllowed (`nonportable` before the kernel)";
    if (function->most_cluster != 0 && size > function->most_cluster)
        return "invalid cluster size: more blocks than the kernel was compiled for "
               "(.maxclusterrank)";
    if (grid->x % cluster->x != 0 || grid->y % cluster->y != 0 || grid->z % cluster->z != 0) {
        snprintf(text, sizeof text,
                 "invalid cluster size: the grid of %ux%ux%u blocks is no multiple of "
                 "the cluster of %ux%ux%u",
                 grid->x, grid->y, grid->z, cluster->x, cluster->y, cluster->z);
        return text;
    }
    return NULL;
}

struct extent cluster_block(const struct grid *grid, uint64_t k)
{
    const struct extent *c = &grid->cluster;
    uint32_t size = (uint32_t)limits_count(c), rank = (uint32_t)(k % size);
    uint64_t number = k / size, x = grid->extent.x / c->x, y = grid->extent.y / c->y;

    return (struct extent){(uint32_t)(number % x) * c->x + rank % c->x,
                           (uint32_t)(number / x % y) * c->y + rank / c->x % c->y,
                           (uint32_t)(number / x / y) * c->z + rank / c->x / c->y};
}

/* ---- Blocks ---- */

static uint32_t cluster_count;

bool cluster_enter(struct cluster *cluster, struct block *block)
{
    const struct extent *c = &block->grid->cluster, *at = &block->index;

    if (cluster == NULL) {
        cluster = calloc(1, sizeof *cluster);
        if (cluster == NULL)
            return false;
        cluster->size = (uint32_t)limits_count(c);
        cluster->number = cluster->size > 1 ? ++cluster_count : 0;
    }
    block->cluster = cluster;
    block->race.cluster = cluster->number;
    block->rank = at->x % c->x + c->x * (at->y % c->y + c->y * (at->z % c->z));
    cluster->blocks[block->rank] = block;
    cluster->resident++;
    cluster->alive += block->threads;
    return true;
}

void cluster_leave(struct block *block)
{
    struct cluster *cluster = block->cluster;

    block->cluster = NULL;
    if (cluster == NULL)
        return;
    cluster->blocks[block->rank] = NULL;
    if (--cluster->resident == 0)
        free(cluster);
}

/* ---- The barrier ---- */

/* Lets lanes continue after their wait. */
static void pass(struct warp *warp, uint32_t lanes)
{
    warp->cluster_complete &= ~lanes;
    for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
        race_leave(&warp->block->race, warp->number * LANES + (uint32_t)__builtin_ctz(left),
                   &warp->block->cluster->passed);
}

/* Completes the arrivals of a warp, and releases those of its lanes that wait. */
static void release(struct warp *warp)
{
    warp->cluster_complete |= warp->cluster_arrived;
    warp->cluster_arrived = 0;
    for (uint32_t p = 0; p < warp->party_count; p++) {
        struct party *party = &warp->parties[p];
        if (party->state != PARTY_AT_CLUSTER)
            continue;
        pass(warp, party->lanes);
        party->state = PARTY_READY;
        party->op++;
        give_turn(warp->block);
    }
}

static void complete_if_full(struct cluster *cluster)
{
    if (cluster->arrived == 0 || cluster->arrived < cluster->alive)
        return;
    for (uint32_t b = 0; b < cluster->size; b++)
        if (cluster->blocks[b] != NULL && paths_bypass(cluster->blocks[b], false))
            leave_faulty();
    cluster->arrived = 0;
    cluster->passed = cluster->came;
    cluster->came = (struct race_meeting){.before = NULL};
    machine.progress++;
    machine.released = UINT32_MAX;
    for (uint32_t b = 0; b < cluster->size; b++) {
        struct block *block = cluster->blocks[b];
        if (block != NULL)
            block->race.has_met = true;
        for (uint32_t w = 0; block != NULL && w < block->warp_count; w++)
            release(&block->warps[w]);
    }
}

/* PTX ISA, barrier.cluster: all threads of a warp execute the same .aligned instruction. */
static void check_aligned(struct warp *warp, const struct op *op, uint32_t lanes)
{
    const struct op *first = warp->cluster_op;

    if (warp->cluster_arrived == 0)
        warp->cluster_op = op;
    else if ((op->is_aligned || first->is_aligned) && op->place != first->place)
        raise_fault(FAULT_DIVERGENT_BARRIER, (uint32_t)__builtin_ctz(lanes), SAYS_CLUSTER_MIXED,
                    .others = {first->place});
}

void cluster_arrive(struct warp *warp, const struct op *op, uint32_t lanes)
{
    struct cluster *cluster = warp->block->cluster;
    uint32_t again = lanes & (warp->cluster_arrived | warp->cluster_complete);

    machine.accesses += count_lanes(lanes);
    if (again != 0)
        raise_fault(FAULT_DIVERGENT_BARRIER, (uint32_t)__builtin_ctz(again), SAYS_CLUSTER_AGAIN,
                    .others = {warp->cluster_op->place});
    check_aligned(warp, op, lanes);
    for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
        race_arrive_in_cluster(&warp->block->race,
                               warp->number * LANES + (uint32_t)__builtin_ctz(left), &cluster->came,
                               op->order == SIMT_RELEASE);
    warp->cluster_arrived |= lanes;
    cluster->arrived += count_lanes(lanes);
    complete_if_full(cluster);
}

bool cluster_wait(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
{
    uint32_t none = lanes & ~(warp->cluster_arrived | warp->cluster_complete);

    if (none != 0)
        raise_fault(FAULT_DIVERGENT_BARRIER, (uint32_t)__builtin_ctz(none),
                    SAYS_CLUSTER_NO_ARRIVAL);
    if ((lanes & warp->cluster_arrived) == 0) {
        pass(warp, lanes);
        return false;
    }
    if (lanes != party->lanes)
        part_party(warp, party, party->lanes & ~lanes, op + 1);
    party->state = PARTY_AT_CLUSTER;
    return true;
}

void cluster_exit(struct warp *warp, uint32_t lanes)
{
    struct cluster *cluster = warp->block->cluster;

    cluster->alive -= count_lanes(lanes);
    cluster->arrived -= count_lanes(lanes & warp->cluster_arrived);
    warp->cluster_arrived &= ~lanes;
    warp->cluster_complete &= ~lanes;
    complete_if_full(cluster);
}

/* Finds the first thread of the cluster that has not arrived, and its block's rank. */
static void find_missing(const struct cluster *cluster, uint32_t *thread, uint32_t *rank)
{
    for (uint32_t b = 0; b < cluster->size; b++) {
        const struct block *block = cluster->blocks[b];
        for (uint32_t w = 0; block != NULL && w < block->warp_count; w++) {
            uint32_t missing = block->warps[w].alive & ~block->warps[w].cluster_arrived;
            if (missing == 0)
                continue;
            *thread = w * LANES + (uint32_t)__builtin_ctz(missing);
            *rank = b;
            return;
        }
    }
}

bool cluster_report_waiting(const struct block *block)
{
    const struct cluster *cluster = block->cluster;
    uint32_t thread = 0, rank = 0;

    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t p = 0; p < block->warps[w].party_count; p++) {
            const struct party *party = &block->warps[w].parties[p];
            if (party->state != PARTY_AT_CLUSTER)
                continue;
            find_missing(cluster, &thread, &rank);
            record_fault_of(FAULT_DIVERGENT_BARRIER, block,
                            w * LANES + (uint32_t)__builtin_ctz(party->lanes), party->op->place,
                            SAYS_CLUSTER_LACKS,
                            .numbers = {cluster->arrived, cluster->alive, thread, rank});
            return true;
        }
    return false;
}

/* ---- Registers and addresses ---- */

uint32_t cluster_special(const struct block *block, uint8_t special)
{
    const struct grid *grid = block->grid;
    const struct extent *c = &grid->cluster, *g = &grid->extent, *at = &block->index;

    switch (special) {
    case SPECIAL_CLUSTERID_X:
        return at->x / c->x;
    case SPECIAL_CLUSTERID_Y:
        return at->y / c->y;
    case SPECIAL_CLUSTERID_Z:
        return at->z / c->z;
    case SPECIAL_NCLUSTERID_X:
        return g->x / c->x;
    case SPECIAL_NCLUSTERID_Y:
        return g->y / c->y;
    case SPECIAL_NCLUSTERID_Z:
        return g->z / c->z;
    case SPECIAL_CLUSTER_CTAID_X:
        return at->x % c->x;
    case SPECIAL_CLUSTER_CTAID_Y:
        return at->y % c->y;
    case SPECIAL_CLUSTER_CTAID_Z:
        return at->z % c->z;
    case SPECIAL_CLUSTER_NCTAID_X:
        return c->x;
    case SPECIAL_CLUSTER_NCTAID_Y:
        return c->y;
    case SPECIAL_CLUSTER_NCTAID_Z:
        return c->z;
    case SPECIAL_CLUSTER_CTARANK:
        return block->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return block->cluster->size;
    default: /* SPECIAL_IS_EXPLICIT_CLUSTER */
        return grid->is_explicit_cluster ? UINT32_MAX : 0;
    }
}

static uint64_t address_at(const char *frame, uint32_t slot, uint32_t bytes, uint32_t lane)
{
    uint64_t address = 0;

    memcpy(&address, frame + slot + lane * bytes, bytes);
    return address;
}

uint64_t cluster_windows(uint64_t grid)
{
    return grid * 648055 % WINDOWS; /* the golden section */
}

uint64_t cluster_window(const struct grid *grid, uint64_t k)
{
    uint64_t number = (grid->windows + k) % WINDOWS;

    return SHARED_WINDOW_BASE + (number << GLOBAL_SHIFT) + (UINT64_C(1) << (GLOBAL_SHIFT - 1));
}

enum { OUTSIDE = 30 }; /* the rank of any block that is not in the cluster */

static uint32_t rank_bits(uint32_t rank)
{
    return (rank < OUTSIDE ? rank + 1 : OUTSIDE + 1) << RANK_SHIFT;
}

/* Returns the rank of the block that an address is in. */
static uint32_t rank_of(const struct block *block, uint64_t address)
{
    uint32_t given = (uint32_t)address >> RANK_SHIFT;
    uint64_t apart = is_shared_address(address) ? (address >> 32) - (block->window >> 32) : 0;
    uint64_t rank = (block->rank + (apart >> (GLOBAL_SHIFT - 32))) % WINDOWS;

    if (rank >= block->cluster->size || apart % (1 << (GLOBAL_SHIFT - 32)) != 0)
        return OUTSIDE;
    return given == 0 ? (uint32_t)rank : given - 1;
}

uint32_t cluster_to_shared(const struct block *block, uint64_t address)
{
    if (!is_shared_address(address) || address >> 32 == block->window >> 32)
        return (uint32_t)address;
    return ((uint32_t)address & ~RANK_BITS) | rank_bits(rank_of(block, address));
}

/* The address in the block that it is in does not change. A rank outside of the cluster makes an
 * address at which an access fails. */
void cluster_map_address(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
{
    const struct head sources[] = {*head_of(frame, op->a), *head_of(frame, op->b)};

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = address_at(frame, op->a, op->bytes, lane);
        uint32_t rank = (uint32_t)address_at(frame, op->b, sizeof rank, lane);
        if (op->space == SPACE_SHARED || is_shared_address(address)) {
            address &= ~(uint64_t)RANK_BITS;
            if (rank != rank_of(warp->block, address))
                address |= (uint64_t)rank_bits(rank);
        }
        copy_bytes(frame + op->d + lane * op->bytes, &address, op->bytes);
    }
    struct head result = {.bytes = ALL_BYTES};
    result.undefined = (sources[0].undefined | sources[1].undefined) & lanes;
    result.origin = sources[(sources[0].undefined & lanes) == 0].origin;
    note_undefined(frame, op->d, lanes, &result);
}

void cluster_get_rank(const struct warp *warp, char *frame, const struct op *op, uint32_t lanes)
{
    struct head from = *head_of(frame, op->a);

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t rank = rank_of(warp->block, address_at(frame, op->a, op->bytes, lane));
        memcpy(frame + op->d + lane * sizeof rank, &rank, sizeof rank);
    }
    from.bytes = ALL_BYTES;
    note_undefined(frame, op->d, lanes, &from);
}

struct block *cluster_owner(const struct block *block, uint64_t address)
{
    uint32_t rank = rank_of(block, address);

    return rank < block->cluster->size ? block->cluster->blocks[rank] : NULL;
}

static _Noreturn void raise_outside(const struct block *block, enum fault_kind kind, uint32_t lane,
                                    uint64_t address, bool writes, uint32_t bytes)
{
    const struct grid *grid = block->grid;
    uint64_t k = ((address >> GLOBAL_SHIFT) - grid->windows) % WINDOWS;
    struct extent maker;

    if (!is_shared_address(address) || k >= grid->blocks ||
        address >> 32 != cluster_window(grid, k) >> 32)
        raise_fault(kind, lane, SAYS_OUTSIDE_SHARED, .writes = writes, .bytes = bytes,
                    .numbers = {(int64_t)address});
    maker = cluster_block(grid, k);
    raise_fault(kind, lane,
                grid->is_explicit_cluster ? SAYS_OTHER_SHARED_CLUSTER : SAYS_OTHER_SHARED,
                .writes = writes, .bytes = bytes, .numbers = {maker.x, maker.y, maker.z});
}

_Noreturn void cluster_raise_stray(const struct block *block, const struct op *op, uint32_t lane,
                                   uint64_t address, bool writes, uint32_t bytes)
{
    enum fault_kind kind =
        op->access & ACCESS_WRITE ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ;
    uint32_t rank = rank_of(block, address);

    if (rank == OUTSIDE)
        raise_outside(block, kind, lane, address, writes, bytes);
    if (rank >= block->cluster->size)
        raise_fault(kind, lane, SAYS_NO_SUCH_RANK, .writes = writes, .bytes = bytes,
                    .numbers = {rank, block->cluster->size});
    if (block->cluster->blocks[rank] == NULL)
        raise_fault(kind, lane, SAYS_RANK_EXITED, .writes = writes, .bytes = bytes,
                    .numbers = {rank});
    raise_fault(kind, lane, SAYS_NEEDS_CLUSTER_SPACE, .writes = writes, .bytes = bytes,
                .numbers = {rank});
}
