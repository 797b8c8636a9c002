/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include "memory.h"
#include "schedule.h"

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    LINE_SECTORS = LINE_BYTES / SECTOR_BYTES,
    WORST_UNITS = SIMT_WARP_LANES * 2, /* an access of 16 bytes touches two at the most */
};

/* The step of a warp that is being counted. */
static struct {
    struct resident_block *block;
    uint32_t warp;
    unsigned int access;
    uint32_t took_part, alive; /* lanes */
    uint32_t in_shared;
    uint32_t lanes; /* in global memory */
    struct {
        uintptr_t address;
        size_t size;
    } lane[SIMT_WARP_LANES];
} step;

/* The basic block that a group of lanes executes. */
static struct {
    struct resident_block *block;
    const uint16_t *instructions; /* null: none */
    uint32_t lanes, taken, not_taken;
} code;

static struct engine_counters *counters;
bool counters_on;
int simt_counting;

void counters_start(struct engine_counters *to)
{
    counters = to;
    counters_on = to != NULL;
    simt_counting = counters_on;
    step.took_part = 0;
    code.instructions = NULL;
    if (counters_on)
        *counters = (struct engine_counters){.interval_count = 1};
}

/* The interval that the block is in. */
static struct interval_counters *interval_of(const struct resident_block *block)
{
    uint64_t number = block->scheduler.barriers;

    if (number >= MAX_INTERVALS)
        number = MAX_INTERVALS - 1;
    if (counters->interval_count <= number)
        counters->interval_count = number + 1;
    return &counters->intervals[number];
}

void counters_barrier(void)
{
    interval_of(current.block)->blocks++;
    current.block->scheduler.barriers++;
}

/* Lanes of the warp that have not exited. */
static uint32_t lanes_alive(const struct resident_block *block, uint32_t warp)
{
    uint32_t alive = 0, first = warp * SIMT_WARP_LANES;

    for (uint32_t t = first; t < first + SIMT_WARP_LANES && t < block->scheduler.threads; t++)
        alive += !block->threads[t].exited;
    return alive;
}

void counters_add(uintptr_t address, size_t size, unsigned int access)
{
    bool is_global = memory_is_global(address);

    if ((!is_global && !memory_is_shared(address)) || step.took_part == SIMT_WARP_LANES)
        return;
    if (step.took_part++ == 0) {
        step.block = current.block;
        step.warp = current.thread->number / SIMT_WARP_LANES;
        step.alive = lanes_alive(step.block, step.warp);
        step.access = access & ACCESS_WRITE;
        step.in_shared = step.lanes = 0;
    }
    if (!is_global) {
        step.in_shared++;
        return;
    }
    step.lane[step.lanes].address = address;
    step.lane[step.lanes++].size = size;
}

/* The different aligned units of that many bytes that the step touches, in `seen`; how many. */
static uint32_t units_touched(size_t unit, uintptr_t seen[WORST_UNITS])
{
    uint32_t count = 0;

    for (uint32_t lane = 0; lane < step.lanes; lane++) {
        uintptr_t first = step.lane[lane].address / unit;
        uintptr_t last = (step.lane[lane].address + step.lane[lane].size - 1) / unit;
        for (uintptr_t touched = first; touched <= last && count < WORST_UNITS; touched++) {
            uint32_t k = 0;
            while (k < count && seen[k] != touched)
                k++;
            if (k == count)
                seen[count++] = touched;
        }
    }
    return count;
}

/* 0, 1 or 2 for the least aligned 1, 2 or 4 sectors of the line that hold those of them. */
static unsigned int size_of_transaction(uintptr_t line, const uintptr_t sectors[], uint32_t count)
{
    uintptr_t least = LINE_SECTORS, most = 0;

    for (uint32_t k = 0; k < count; k++) {
        uintptr_t sector = sectors[k] % LINE_SECTORS;
        if (sectors[k] / LINE_SECTORS != line)
            continue;
        least = sector < least ? sector : least;
        most = sector > most ? sector : most;
    }
    return least == most ? 0 : least / 2 == most / 2 ? 1 : 2;
}

static void count_global(struct access_counters *access)
{
    uintptr_t lines[WORST_UNITS], sectors[WORST_UNITS];
    uint32_t line_count = units_touched(LINE_BYTES, lines);
    uint32_t sector_count = units_touched(SECTOR_BYTES, sectors);

    access->requests++;
    access->lanes += step.lanes;
    for (uint32_t lane = 0; lane < step.lanes; lane++)
        access->bytes += step.lane[lane].size;
    access->lines += line_count;
    access->sectors += sector_count;
    for (uint32_t k = 0; k < line_count; k++)
        access->by_size[size_of_transaction(lines[k], sectors, sector_count)]++;
}

void simt_enter_block(const struct simt_place *place, const uint16_t instructions[SIMT_CLASSES])
{
    schedule_step(place);
    if (code.instructions == NULL) {
        code.block = current.block;
        code.instructions = instructions;
        code.lanes = code.taken = code.not_taken = 0;
    }
    code.lanes++;
}

void simt_branch(bool taken)
{
    code.taken += taken;
    code.not_taken += !taken;
}

static void flush_code(void)
{
    struct interval_counters *interval;

    if (code.instructions == NULL)
        return;
    interval = interval_of(code.block);
    for (int k = 0; k < SIMT_CLASSES; k++) {
        interval->instructions[k] += code.instructions[k];
        interval->lane_instructions[k] += (uint64_t)code.lanes * code.instructions[k];
    }
    interval->branches += code.taken + code.not_taken > 0;
    interval->divergent_branches += code.taken > 0 && code.not_taken > 0;
    code.instructions = NULL;
}

void counters_flush(void)
{
    struct interval_counters *interval;
    struct warp *warp;

    flush_code();
    if (step.took_part == 0)
        return;
    interval = interval_of(step.block);
    warp = &step.block->scheduler.warp[step.warp];
    if (step.lanes > 0)
        count_global(&interval->access[step.access]);
    if (step.in_shared > 0) {
        interval->shared[step.access].requests++;
        interval->shared[step.access].lanes += step.in_shared;
    }
    if (warp->counted_in != step.block->scheduler.barriers + 1) {
        warp->counted_in = step.block->scheduler.barriers + 1;
        warp->counted_split = false;
        interval->warps++;
    }
    if (step.took_part < step.alive && !warp->counted_split) {
        warp->counted_split = true;
        interval->split++;
    }
    step.took_part = 0;
}

void counters_finish(uint64_t children, uint64_t child_threads)
{
    uint64_t *sum = (uint64_t *)&counters->all;

    for (uint64_t i = 0; i < counters->interval_count; i++) {
        const uint64_t *numbers = (const uint64_t *)&counters->intervals[i];
        for (size_t k = 0; k < sizeof counters->all / sizeof *sum; k++)
            sum[k] += numbers[k];
    }
    counters->children = children;
    counters->child_threads = child_threads;
}
