/* SPDX-License-Identifier: MIT
 *
 * What the steps of lockstep warps cost in global memory, as a profiler counts it: a request
 * touches so many 128-byte lines and 32-byte sectors (CUDA C++ Programming Guide, device memory
 * accesses).
 */
#include "host.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, WORST_UNITS = WARP_LANES * 2 };

void counters_add(uintptr_t address, size_t size, unsigned int access)
{
    if (address - host.global_base >= host.global_size || host.counted_lanes == WARP_LANES)
        return;
    host.counted_access = access & ACCESS_WRITE;
    host.counted[host.counted_lanes].address = address;
    host.counted[host.counted_lanes++].size = size;
}

/* How many different aligned units of that many bytes the step touches. Accesses are at most 16
 * bytes, so one touches two units at the most. */
static uint64_t units_touched(size_t unit)
{
    uintptr_t seen[WORST_UNITS];
    uint64_t count = 0;

    for (uint32_t lane = 0; lane < host.counted_lanes; lane++) {
        uintptr_t first = host.counted[lane].address / unit;
        uintptr_t last = (host.counted[lane].address + host.counted[lane].size - 1) / unit;
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
    struct access_counters *counters = &host.counters.access[host.counted_access];

    if (host.counted_lanes == 0)
        return;
    counters->requests++;
    counters->lanes += host.counted_lanes;
    for (uint32_t lane = 0; lane < host.counted_lanes; lane++)
        counters->bytes += host.counted[lane].size;
    counters->lines += units_touched(LINE_BYTES);
    counters->sectors += units_touched(SECTOR_BYTES);
    host.counted_lanes = 0;
}
