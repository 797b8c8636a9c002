/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include "memory.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, WORST_UNITS = SIMT_WARP_LANES * 2 };

/* The step of a warp that is being counted. */
static struct {
    unsigned int access;
    uint32_t lanes;
    struct {
        uintptr_t address;
        size_t size;
    } lane[SIMT_WARP_LANES];
} step;

static struct engine_counters total;
bool counters_on;

void counters_start(bool on)
{
    counters_on = on;
    step.lanes = 0;
    total = (struct engine_counters){0};
}

void counters_barrier(void)
{
    total.barriers++;
}

const struct engine_counters *counters_total(void)
{
    return &total;
}

void counters_add(uintptr_t address, size_t size, unsigned int access)
{
    if (!memory_is_global(address) || step.lanes == SIMT_WARP_LANES)
        return;
    step.access = access & ACCESS_WRITE;
    step.lane[step.lanes].address = address;
    step.lane[step.lanes++].size = size;
}

/* How many different aligned units of that many bytes the step touches. Accesses are at most 16
 * bytes, so one touches two units at the most. */
static uint64_t units_touched(size_t unit)
{
    uintptr_t seen[WORST_UNITS];
    uint64_t count = 0;

    for (uint32_t lane = 0; lane < step.lanes; lane++) {
        uintptr_t first = step.lane[lane].address / unit;
        uintptr_t last = (step.lane[lane].address + step.lane[lane].size - 1) / unit;
        for (uintptr_t touched = first; touched <= last && count < WORST_UNITS; touched++) {
            uint64_t k = 0;
            while (k < count && seen[k] != touched)
                k++;
            if (k == count)
                seen[count++] = touched;
        }
    }
    return count;
}

void counters_flush(void)
{
    struct access_counters *counters = &total.access[step.access];

    if (step.lanes == 0)
        return;
    counters->requests++;
    counters->lanes += step.lanes;
    for (uint32_t lane = 0; lane < step.lanes; lane++)
        counters->bytes += step.lane[lane].size;
    counters->lines += units_touched(LINE_BYTES);
    counters->sectors += units_touched(SECTOR_BYTES);
    step.lanes = 0;
}
