/* SPDX-License-Identifier: MIT
 *
 * What kernels of anybody's source call besides making accesses (simt_source.h).
 */
#include "simt_source.h"

#include "collective.h"
#include "fault.h"
#include "simt_ptx.h"

/* Places that have been asked for: a hash table, for a kernel asks each time. */
enum { MOST_PLACES = 4096 };
static struct simt_place places[MOST_PLACES];

static const struct simt_place *place_at(const char *file, int line)
{
    size_t at = ((uintptr_t)file / 8 * 31 + (size_t)line) * 2654435761u % MOST_PLACES;

    for (size_t tried = 1; places[at].site.file != NULL && tried < MOST_PLACES; tried++) {
        if (places[at].site.file == file && places[at].site.line == line)
            return &places[at];
        at = (at + 1) % MOST_PLACES;
    }
    places[at].site = (struct simt_site){.file = file, .line = line}; /* of the last one: anew */
    return &places[at];
}

const struct simt_site *simt_site_at(const char *file, int line)
{
    return &place_at(file, line)->site;
}

void simt_within_bounds(const struct simt_site *site, uint32_t most_threads)
{
    const struct extent *block = &current.block->grid->block;
    uint32_t threads = block->x * block->y * block->z;

    if (threads > most_threads)
        fault_raise_at(FAULT_LAUNCH, site,
                       "is of a block of %u, and the kernel was compiled for %u at the most "
                       "(__launch_bounds__)",
                       threads, most_threads);
}

uint32_t simt_count_votes(const struct simt_site *site, bool vote)
{
    return simt_barrier(place_at(site->file, site->line), SIMT_WAIT, true, 0, 0, vote) & 0xffff;
}

uint32_t simt_active_lanes(void)
{
    return simt_present(0xffffffff);
}

uint64_t simt_ticks(void)
{
    return simt_clock();
}

void simt_assertion_failed(const struct simt_site *site, const char *assertion)
{
    fault_raise_at(FAULT_TRAP, site, "fails the assertion `%s`", assertion);
}

void simt_trapped(const struct simt_site *site)
{
    fault_raise_at(FAULT_TRAP, site, "comes to a trap");
}
