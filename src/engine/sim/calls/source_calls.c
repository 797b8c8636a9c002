/* SPDX-License-Identifier: MIT
 *
 * What kernels of anybody's source call besides making accesses (simt_source.h).
 */
#include "simt_source.h"

#include "collective.h"
#include "fault.h"
#include "simt_ptx.h"

/* A place that has that site, the same each time: a hash table. */
static const struct simt_place *place_of(const struct simt_site *site)
{
    enum { MAX_PLACES = 1024 };
    static struct {
        const struct simt_site *site;
        struct simt_place place;
    } places[MAX_PLACES];
    size_t at = (uintptr_t)site / sizeof *site % MAX_PLACES;

    for (size_t tried = 1; places[at].site != NULL && tried < MAX_PLACES; tried++) {
        if (places[at].site == site)
            return &places[at].place;
        at = (at + 1) % MAX_PLACES;
    }
    places[at].site = site; /* of the last one: anew */
    places[at].place.site = *site;
    return &places[at].place;
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
    return simt_barrier(place_of(site), SIMT_WAIT, true, 0, 0, vote) & 0xffff;
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
