/* SPDX-License-Identifier: MIT
 *
 * The cost of warps' instructions, as a profiler counts it. A request for global memory touches a
 * number of 128-byte lines and 32-byte sectors (CUDA C++ Programming Guide, device memory
 * accesses).
 */
#include "counters.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LINE_SECTORS = LINE_BYTES / SECTOR_BYTES };

/* A line that a request touches, with a bit for each touched sector. */
struct line {
    uint64_t number;
    uint32_t sectors;
};

void counters_start(struct engine_counters *counters)
{
    machine.counters = counters;
    *counters = (struct engine_counters){.interval_count = 1};
}

/* Sums the counters of all intervals. */
void counters_finish(const struct engine_outcome *outcome)
{
    struct engine_counters *counters = machine.counters;
    uint64_t *sum = (uint64_t *)&counters->all;

    for (uint64_t i = 0; i < counters->interval_count; i++) {
        const uint64_t *numbers = (const uint64_t *)&counters->intervals[i];
        for (size_t k = 0; k < sizeof counters->all / sizeof *sum; k++)
            sum[k] += numbers[k];
    }
    counters->children = outcome->children;
    counters->child_threads = outcome->child_threads;
    machine.counters = NULL;
}

/* Returns the counters of the interval that the block is in. */
static struct interval_counters *interval_of(const struct block *block)
{
    uint64_t number = block->barriers_passed;

    if (number >= MAX_INTERVALS)
        number = MAX_INTERVALS - 1;
    if (machine.counters->interval_count <= number)
        machine.counters->interval_count = number + 1;
    return &machine.counters->intervals[number];
}

void count_barrier(struct block *block)
{
    interval_of(block)->blocks++;
}

void count_block(const struct warp *warp, const struct block_code *code, uint32_t lanes)
{
    struct interval_counters *interval = interval_of(warp->block);

    for (int k = 0; k < SIMT_CLASSES; k++) {
        interval->instructions[k] += code->instructions[k];
        interval->lane_instructions[k] += (uint64_t)count_lanes(lanes) * code->instructions[k];
    }
    interval->lane_numbers += code->lane_numbers;
}

void count_branch(const struct warp *warp, uint32_t lanes, uint32_t taken)
{
    struct interval_counters *interval = interval_of(warp->block);

    interval->branches++;
    interval->divergent_branches += taken != 0 && taken != lanes;
}

/* Returns the line of that number among the `count` lines already touched, or a new one.
 * Neighbouring lanes often touch the same line. */
static struct line *find_line(struct line *lines, uint32_t *count, uint64_t number)
{
    for (uint32_t k = *count; k > 0; k--)
        if (lines[k - 1].number == number)
            return &lines[k - 1];
    lines[*count] = (struct line){.number = number};
    return &lines[(*count)++];
}

/* Returns 0, 1 or 2 for the smallest aligned group of 1, 2 or 4 sectors that contains those of the
 * bits. */
static unsigned int size_of_transaction(uint32_t sectors)
{
    if ((sectors & (sectors - 1)) == 0)
        return 0;
    return (sectors & 3) == 0 || (sectors & 12) == 0 ? 1 : 2;
}

static void count_global(struct access_counters *access, const uint64_t at[LANES], uint32_t bytes,
                         uint32_t lanes)
{
    struct line lines[2 * LANES]; /* an access is at most as large as a sector */
    uint32_t count = 0;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint64_t first = at[__builtin_ctz(left)], last = first + bytes - 1;
        for (uint64_t s = first / SECTOR_BYTES; s <= last / SECTOR_BYTES; s++)
            find_line(lines, &count, s / LINE_SECTORS)->sectors |= UINT32_C(1) << s % LINE_SECTORS;
    }
    access->requests++;
    access->lanes += count_lanes(lanes);
    access->bytes += (uint64_t)count_lanes(lanes) * bytes;
    access->lines += count;
    for (uint32_t k = 0; k < count; k++) {
        access->sectors += count_lanes(lines[k].sectors);
        access->by_size[size_of_transaction(lines[k].sectors)]++;
    }
}

void count_access(struct warp *warp, bool writes, const uint64_t at[LANES], uint32_t bytes,
                  uint32_t global, uint32_t shared)
{
    struct interval_counters *interval = interval_of(warp->block);
    uint64_t number = warp->block->barriers_passed + 1;

    if ((global | shared) == 0)
        return;
    if (global != 0)
        count_global(&interval->access[writes], at, bytes, global);
    if (shared != 0) {
        interval->shared[writes].requests++;
        interval->shared[writes].lanes += count_lanes(shared);
    }
    if (warp->counted_in != number) {
        warp->counted_in = number;
        warp->counted_split = false;
        interval->warps++;
    }
    if ((global | shared) != warp->alive && !warp->counted_split) {
        warp->counted_split = true;
        interval->split++;
    }
}
