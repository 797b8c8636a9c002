/* SPDX-License-Identifier: MIT
 *
 * The quick race checker: one run that decides for every schedule.
 *
 * Each word has two stamps, one of the last write and one of the reads since. A stamp consists of
 * the block, the barriers that the block had passed, the warp, its __syncwarp() since that barrier,
 * and the lane. Only a __syncwarp() of the whole warp counts.
 *
 * The stamps show whether an access is ordered after all accesses that conflict with it. Only these
 * things order accesses here: program order, whole barriers of blocks and warps, and the ends of
 * grids. Atomic instructions that commute and return nothing do not conflict with each other. If
 * all accesses of a run are ordered in this way, the run is the same under every schedule and both
 * models. docs/internals.md has the proof sketch.
 *
 * The run is abandoned if a stamp cannot decide, or if an instruction's result depends on the order
 * of threads. The job then runs as requested, with the exact checker (race.h) if races are
 * requested.
 */
#include "quick.h"

#include "rooms.h"

#include "outcome.h"

#include <string.h>
#include <sys/mman.h>

/* The fields of a stamp, from its lowest bit: the kind of an atomic, who else may use the word with
 * this kind, and the lane. Then the epoch and the number of the warp, and those of the block. MANY
 * stands for several lanes or warps. */
enum {
    KIND_BITS = 5,
    LANE_SHIFT = KIND_BITS + 2,
    WARP_EPOCH_SHIFT = LANE_SHIFT + 6,
    WARP_SHIFT = WARP_EPOCH_SHIFT + 11,
    EPOCH_SHIFT = WARP_SHIFT + 6,
    SERIAL_SHIFT = EPOCH_SHIFT + 13,
    KIND_MASK = (1 << KIND_BITS) - 1,
    BLOCK_ONLY = 1 << KIND_BITS, /* a barrier orders other accesses before the atomics */
    WARP_ONLY = 2 << KIND_BITS,  /* a __syncwarp() does */
    ONLY_MASK = 3 << KIND_BITS,
    MANY = 32,
    MAX_WARP_EPOCH = 1 << (WARP_SHIFT - WARP_EPOCH_SHIFT),
    MAX_EPOCH = 1 << (SERIAL_SHIFT - EPOCH_SHIFT),
    MAX_SERIAL = (1 << (64 - SERIAL_SHIFT)) - 1,
};

static const uint64_t STAMP_BYTES = UINT64_C(64) << 30; /* for 8 GiB of bytes */

struct quick_races quick_races;

static uint64_t *global_stamps[2];

bool quick_open(void)
{
    for (int k = 0; k < 2; k++) {
        void *room = mmap(NULL, STAMP_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED)
            return false;
        global_stamps[k] = room;
    }
    quick_races.serial = 1;
    return true;
}

void quick_close(void)
{
    for (int k = 0; k < 2; k++) {
        if (global_stamps[k] != NULL)
            munmap(global_stamps[k], STAMP_BYTES);
        global_stamps[k] = NULL;
    }
}

/* Sets the stamps of an array of global memory, or of shared memory at `room`. There is one stamp
 * for each word, or for each element if that is smaller. */
void quick_stamps(struct region *region, uint64_t *room[2])
{
    uint64_t at = region->race - (uintptr_t)rooms_host, aligned = region->element_bytes | at;

    region->granule = aligned % 4 == 0 ? 2 : aligned % 2 == 0 ? 1 : room == NULL ? 0 : 2;
    for (int k = 0; k < 2; k++)
        region->stamps[k] = room != NULL ? room[k] : global_stamps[k] + at;
}

void quick_start(void)
{
    quick_races.base = ++quick_races.serial << SERIAL_SHIFT;
}

bool quick_start_block(struct block *block)
{
    if (++quick_races.serial >= MAX_SERIAL) { /* the numbers restart, after a long time */
        for (int k = 0; k < 2; k++)
            madvise(global_stamps[k], STAMP_BYTES, MADV_DONTNEED);
        quick_races.serial = 1;
        return false;
    }
    block->serial = quick_races.serial;
    block->epoch = 0;
    block->touched_exits = false;
    memset(block->touched, 0, sizeof block->touched);
    return true;
}

_Noreturn void leave_undecided(void)
{
    quick_races.is_undecided = true;
    longjmp(machine.out, 1);
}

void quick_barrier(struct block *block)
{
    if (block->touched_exits || ++block->epoch >= MAX_EPOCH)
        leave_undecided();
    memset(block->touched, 0, sizeof block->touched);
    for (uint32_t w = 0; w < block->warp_count; w++)
        block->warps[w].epoch = 0;
}

void quick_sync_warp(struct warp *warp, uint32_t lanes)
{
    if (lanes == warp->lanes && ++warp->epoch >= MAX_WARP_EPOCH)
        leave_undecided();
}

void quick_leave(struct warp *warp, uint32_t lanes)
{
    if (warp->block->touched[warp->number] & lanes)
        warp->block->touched_exits = true;
}

/* A stamp equal to `base` stands for accesses of several blocks of this grid. */

/* Bounds of the stamps that are ordered before the current warp's next accesses. They belong to
 * a complete grid, to the block before its last barrier, or to the warp before its last
 * __syncwarp(). */
struct now {
    uint64_t base, block, epoch, warp, warp_epoch;
};

static struct now now_of(const struct warp *warp, struct quick_time time, bool is_shared)
{
    uint64_t block = (uint64_t)warp->block->serial << SERIAL_SHIFT,
             epoch = block | (uint64_t)time.epoch << EPOCH_SHIFT,
             number = epoch | (uint64_t)warp->number << WARP_SHIFT,
             warp_epoch = number | (uint64_t)time.warp_epoch << WARP_EPOCH_SHIFT;

    /* shared memory of earlier blocks no longer exists */
    return (struct now){is_shared ? block : quick_races.base, block, epoch, number, warp_epoch};
}

static inline bool is_past(uint64_t stamp, const struct now *now)
{
    return (stamp < now->base) | (stamp - now->block < now->epoch - now->block) |
           (stamp - now->warp < now->warp_epoch - now->warp);
}

static inline bool is_fine(uint64_t stamp, const struct now *now, uint64_t own)
{
    return is_past(stamp, now) || stamp >> LANE_SHIFT == own >> LANE_SHIFT;
}

/* Returns a stamp for an access of `kind` and the accesses of an existing stamp. */
static inline uint64_t stamp_of_several(uint64_t stamp, const struct now *now, uint32_t kind)
{
    if (stamp >> SERIAL_SHIFT != now->block >> SERIAL_SHIFT)
        return now->base | kind;
    if (stamp >> WARP_SHIFT != now->warp >> WARP_SHIFT)
        return now->epoch | (uint64_t)MANY << WARP_SHIFT | kind;
    return now->warp_epoch | (uint64_t)MANY << LANE_SHIFT | kind;
}

static inline void note_read(uint64_t *stamp, const struct now *now, uint64_t own)
{
    if (*stamp != own)
        *stamp = is_past(*stamp, now) ? own : stamp_of_several(*stamp, now, 0);
}

/* Enters accesses of all lanes to consecutive words. Inlined, because `per_lane` is mostly 1. */
static inline __attribute__((always_inline)) bool enter_row(uint64_t *writes, uint64_t *reads,
                                                            uint32_t words, uint32_t per_lane,
                                                            const struct now *now, uint64_t first,
                                                            bool is_write)
{
    uint64_t bad = 0, own = first;

    for (uint32_t w = 0; w < words; w++) {
        uint64_t stamp = writes[w];
        bad |= !(is_past(stamp, now) |
                 (stamp >> LANE_SHIFT ==
                  (first + (uint64_t)(w / per_lane << LANE_SHIFT)) >> LANE_SHIFT));
    }
    if (bad)
        return false;
    if (!is_write) {
        for (uint32_t w = 0; w < words; w++) {
            own = first + (uint64_t)(w / per_lane << LANE_SHIFT);
            note_read(&reads[w], now, own);
        }
        return true;
    }
    for (uint32_t w = 0; w < words; w++) {
        uint64_t stamp = reads[w];
        bad |= !(is_past(stamp, now) |
                 (stamp >> LANE_SHIFT ==
                  (first + (uint64_t)(w / per_lane << LANE_SHIFT)) >> LANE_SHIFT));
    }
    for (uint32_t w = 0; w < words; w++)
        writes[w] = first + (uint64_t)(w / per_lane << LANE_SHIFT);
    return !bad;
}

/* Recognizes the usual read patterns of tiles, in which several lanes of a whole warp read each
 * word. Every `step`th of the first `count` lanes reads a different word. 0: another pattern. */
struct pattern {
    uint32_t step, count;
};

static struct pattern pattern_of(const uint64_t *offsets)
{
    for (uint32_t length = LANES / 2; length > 0; length /= 2) {
        uint64_t other = 0;
        if (offsets[length] == offsets[0]) { /* the offsets repeat after `length` lanes */
            for (uint32_t l = 0; l < LANES - length; l++)
                other |= offsets[l] ^ offsets[l + length];
            if (other == 0 && length > 1 && offsets[length / 2] == offsets[0])
                continue;
            if (other == 0)
                return (struct pattern){1, length};
        } else if (offsets[length - 1] == offsets[0] && length > 1) { /* lanes share a word */
            for (uint32_t l = 0; l < LANES; l++)
                other |= offsets[l] ^ offsets[l & ~(length - 1)];
            if (other == 0)
                return (struct pattern){length, LANES};
        }
    }
    return (struct pattern){0, 0};
}

static bool enter_reads(uint64_t *writes, uint64_t *reads, const uint64_t *offsets, uint32_t lanes,
                        uint32_t shift, const struct now *now, uint64_t first)
{
    struct pattern pattern = lanes == UINT32_MAX ? pattern_of(offsets) : (struct pattern){0, 0};
    bool good = true;

    if (pattern.count != 0) {
        uint64_t several = first | (uint64_t)MANY << LANE_SHIFT;
        for (uint32_t l = 0; l < pattern.count; l += pattern.step) {
            uint64_t word = offsets[l] >> shift;
            good &= is_past(writes[word], now);
            note_read(&reads[word], now, several);
        }
        return good;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint64_t word = offsets[l] >> shift, own = first + ((uint64_t)l << LANE_SHIFT);
        good &= is_fine(writes[word], now, own);
        note_read(&reads[word], now, own);
    }
    return good;
}

static bool enter_lane(const struct region *region, uint64_t offset, uint32_t bytes,
                       const struct now *now, uint64_t own, bool is_write)
{
    uint64_t from = offset >> region->granule, to = (offset + bytes - 1) >> region->granule;

    for (uint64_t word = from; word <= to; word++) {
        if (!is_fine(region->stamps[0][word], now, own))
            return false;
        if (!is_write) {
            note_read(&region->stamps[1][word], now, own);
            continue;
        }
        if (!is_fine(region->stamps[1][word], now, own))
            return false;
        region->stamps[0][word] = own;
    }
    return true;
}

/* Returns the stamp of a word with `stamp` after an atomic, or 0 if the two may conflict. An access
 * that conflicts with the atomic and is ordered before it here may not be so elsewhere. The new
 * stamp keeps that: it is that of a plain write, or admits this block or warp only. */
static inline uint64_t stamp_of_atomic(uint64_t stamp, const struct now *now, uint64_t own,
                                       uint32_t kind)
{
    bool is_same = (stamp & KIND_MASK) == kind;
    uint64_t only = stamp & ONLY_MASK;

    if (stamp < now->base)
        return own | kind;
    if (stamp >> LANE_SHIFT == own >> LANE_SHIFT)
        return is_same ? stamp : own;
    if (stamp - now->block < now->epoch - now->block)
        return own | kind | (is_same && only == 0 ? 0 : BLOCK_ONLY);
    if (stamp - now->warp < now->warp_epoch - now->warp)
        return own | kind | (is_same ? only : WARP_ONLY);
    if (!is_same || (only == BLOCK_ONLY && stamp >> SERIAL_SHIFT != now->block >> SERIAL_SHIFT) ||
        (only == WARP_ONLY && stamp >> WARP_SHIFT != now->warp >> WARP_SHIFT))
        return 0;
    return stamp_of_several(stamp, now, kind | (uint32_t)only);
}

/* `kind` is not 0, and differs between instructions that do not commute. */
static bool enter_atomic(const struct region *region, uint64_t offset, uint32_t bytes,
                         const struct now *now, uint64_t own, uint32_t kind)
{
    uint64_t from = offset >> region->granule, to = (offset + bytes - 1) >> region->granule;

    for (uint64_t word = from; word <= to; word++) {
        uint64_t *write = &region->stamps[0][word];
        uint64_t stamp = stamp_of_atomic(*write, now, own, kind);
        if (stamp == 0 || !is_fine(region->stamps[1][word], now, own))
            return false;
        *write = stamp;
    }
    return true;
}

/* Abandons the run for an access that may be to a part of what a stamp stands for. Later runs have
 * a stamp for each part, unless the memory is shared. */
static _Noreturn void leave_narrow(struct region *region, uint32_t bytes)
{
    if (!region->is_shared && bytes < 1u << region->granule)
        region->granule = bytes == 1 ? 0 : 1;
    leave_undecided();
}

void quick_enter(struct warp *warp, const struct op *op, const struct group *group)
{
    struct block *block = warp->block;
    struct region *region = group->region;
    struct now now =
        now_of(warp, (struct quick_time){block->epoch, warp->epoch}, region->is_shared);
    uint64_t first = now.warp_epoch;
    bool is_write = (op->access & ACCESS_WRITE) != 0, good = true;
    uint32_t size = 1u << region->granule;

    if (region->is_shared && region->owner != block)
        leave_undecided();
    block->touched[warp->number] |= group->lanes;
    if (op->commutes != 0 && op->returns)
        leave_undecided();
    /* If the grid writes to what it reads by ld.nc, no order makes it correct: PTX ISA, ld.nc. The
     * stamps do not show that, so the exact checker decides if a grid does both to an array. */
    if (op->access & ACCESS_CONSTANT)
        region->constant_in = quick_races.base;
    if (op->access & (ACCESS_WRITE | ACCESS_ATOMIC))
        region->written_in = quick_races.base;
    if (region->constant_in == quick_races.base && region->written_in == quick_races.base)
        leave_undecided();
    if (op->access & ACCESS_ATOMIC) {
        if (op->commutes == 0 || group->bytes < size)
            leave_narrow(region, group->bytes);
        for (uint32_t left = group->lanes; good && left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            good = enter_atomic(region, group->offsets[l], group->bytes, &now,
                                first + ((uint64_t)l << LANE_SHIFT), op->commutes);
        }
    } else if (group->bytes < size) {
        leave_narrow(region, group->bytes);
    } else if (group->is_contiguous) {
        uint64_t word = group->offsets[0] >> region->granule;
        uint32_t per_lane = group->bytes >> region->granule;
        if (per_lane == 1)
            good = enter_row(region->stamps[0] + word, region->stamps[1] + word, LANES, 1, &now,
                             first, is_write);
        else
            good = enter_row(region->stamps[0] + word, region->stamps[1] + word, LANES * per_lane,
                             per_lane, &now, first, is_write);
    } else if (!is_write && group->bytes == size) {
        good = enter_reads(region->stamps[0], region->stamps[1], group->offsets, group->lanes,
                           region->granule, &now, first);
    } else {
        for (uint32_t left = group->lanes; good && left != 0; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            good = enter_lane(region, group->offsets[l], group->bytes, &now,
                              first + ((uint64_t)l << LANE_SHIFT), is_write);
        }
    }
    if (!good)
        leave_undecided();
}

/* ---- Asynchronous copies ---- */

static void set_stamps(const struct region *to, uint64_t offset, uint32_t bytes, uint64_t stamp)
{
    for (uint64_t word = offset >> to->granule; word <= (offset + bytes - 1) >> to->granule; word++)
        to->stamps[0][word] = stamp;
}

struct quick_time quick_begin_copy(const struct warp *warp, const struct region *to,
                                   uint64_t offset, uint32_t bytes)
{
    const uint64_t next = ((uint64_t)warp->block->serial + 1) << SERIAL_SHIFT;

    /* Later than any access of the block. */
    set_stamps(to, offset, bytes, next - (1 << LANE_SHIFT));
    return (struct quick_time){warp->block->epoch, warp->epoch};
}

void quick_complete_copy(const struct region *to, uint64_t offset, uint32_t bytes)
{
    set_stamps(to, offset, bytes, 0);
}

void quick_expect_unchanged(const struct warp *warp, const struct region *region, uint64_t offset,
                            uint32_t bytes, struct quick_time time)
{
    const struct now then = now_of(warp, time, region->is_shared);
    uint64_t from = offset >> region->granule, to = (offset + bytes - 1) >> region->granule;

    for (uint64_t word = from; word <= to; word++)
        if (!is_past(region->stamps[0][word], &then))
            leave_undecided();
}
