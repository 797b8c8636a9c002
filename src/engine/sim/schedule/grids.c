/* SPDX-License-Identifier: MIT */
#include "grids.h"

#include "array.h"
#include "cluster.h"
#include "faults.h"
#include "limits.h"
#include "policy.h"

#include "input_values.h"

#include <stdlib.h>
#include <string.h>

struct grids grids;

void record_out_of_memory(void)
{
    record_fault(FAULT_CRASH, SAYS_OUT_OF_MEMORY);
}

/* ---- Grids ---- */

/* Returns a random order of `count` clusters. Returns null if memory runs out or `count` exceeds 32
 * bits. */
static uint32_t *permute_clusters(uint64_t count, uint64_t seed)
{
    uint32_t *permutation = count <= UINT32_MAX ? malloc(count * sizeof *permutation) : NULL;

    for (uint64_t i = 0; permutation != NULL && i < count; i++) {
        uint64_t j = values_hash(seed, i) % (i + 1);
        permutation[i] = permutation[j];
        permutation[j] = (uint32_t)i;
    }
    return permutation;
}

struct grid *make_grid(const struct extent *extent, const struct extent *block,
                       const struct extent *cluster, uint64_t seed)
{
    struct grid *grid = calloc(1, sizeof *grid);

    if (grid == NULL)
        return NULL;
    grid->extent = *extent;
    grid->block = *block;
    grid->blocks = limits_count(extent);
    grid->is_explicit_cluster = cluster->x != 0;
    grid->cluster = grid->is_explicit_cluster ? *cluster : (struct extent){1, 1, 1};
    grid->serial = grids.created++;
    grid->windows = cluster_windows(machine.grids++);
    grid->race.block = *block;
    grid->race.serial = grids.earlier + grid->serial;
    grid->created = grids.last_created;
    grids.last_created = grid;
    if (policy.order == SCHEDULE_RANDOM && grid->blocks > 1) {
        grid->permutation = permute_clusters(grid->blocks / limits_count(&grid->cluster), seed);
        if (grid->permutation == NULL)
            return NULL;
    }
    return grid;
}

void make_ready(struct grid *grid)
{
    if (grids.ready_head > 0 && grids.ready_tail == grids.ready_capacity) {
        grids.ready_tail -= grids.ready_head;
        memmove(grids.ready, grids.ready + grids.ready_head,
                grids.ready_tail * sizeof *grids.ready);
        grids.ready_head = 0;
    }
    struct grid **ready =
        array_grown(grids.ready, &grids.ready_capacity, grids.ready_tail + 1, sizeof *grids.ready);
    if (ready == NULL) {
        record_out_of_memory();
        return;
    }
    grids.ready = ready;
    grids.ready[grids.ready_tail++] = grid;
}

void take_ready(uint32_t index)
{
    if (index == grids.ready_head) {
        grids.ready_head++;
        return;
    }
    grids.ready_tail--;
    memmove(grids.ready + index, grids.ready + index + 1,
            (grids.ready_tail - index) * sizeof *grids.ready);
}

/* Releases the lanes that wait for the block's child grids. */
static void wake(struct block *block)
{
    machine.progress++;
    machine.released = UINT32_MAX;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t p = 0; p < block->warps[w].party_count; p++)
            if (block->warps[w].parties[p].state == PARTY_SYNCING)
                block->warps[w].parties[p].state = PARTY_READY;
    give_turn(block);
}

void (*grids_copied)(uint32_t launch);

/* Lets the host's grids start that have waited only for this one. */
static void complete_host_grid(struct grid *grid)
{
    const uint32_t launch = machine.launch + (uint32_t)grid->serial;

    if (grids_copied != NULL && (machine.copies >> launch & 1))
        grids_copied(launch);
    for (uint32_t k = 0; k < grids.host_count; k++) {
        struct grid *next = grids.hosts[k];
        uint32_t own = 0;
        while (grids.hosts[own] != grid)
            own++;
        if ((next->after >> own & 1) == 0)
            continue;
        if (race_on)
            race_follow(&grid->race, &next->race);
        next->after &= ~(UINT32_C(1) << own);
        if (next->after == 0)
            make_ready(next);
    }
    if (race_on)
        race_retire(&grid->race, grid->keep);
    machine.progress++;
}

static void complete(struct grid *grid)
{
    struct grid *parent = grid->parent;
    struct launcher *launcher = grid->launcher;

    if (parent == NULL) {
        complete_host_grid(grid);
        return;
    }
    launcher->open--;
    if (race_on)
        race_complete(&grid->race, &launcher->race,
                      grid->stream != NULL ? &grid->stream->race : NULL, &parent->race,
                      grid->next != NULL ? &grid->next->race : NULL);
    if (grid->race.is_tail) {
        parent->first_tail = grid->next;
        if (grid->next != NULL)
            make_ready(grid->next);
    } else {
        parent->open--;
        if (grid->stream != NULL && grid->stream->last == grid)
            grid->stream->last = NULL;
        if (grid->next != NULL)
            make_ready(grid->next);
    }
    if (launcher->open == 0 && launcher->block != NULL)
        wake(launcher->block);
    check_complete(parent);
}

void check_complete(struct grid *grid)
{
    if (grid->finished < grid->blocks || grid->open > 0)
        return;
    if (grid->parent != NULL && !grid->tails_run)
        grids.pending--;
    if (grid->first_tail == NULL) {
        complete(grid);
    } else if (!grid->tails_run) {
        grid->tails_run = true;
        if (race_on)
            race_first_tail(&grid->first_tail->race);
        make_ready(grid->first_tail);
    }
}

void grids_release(void)
{
    struct child_stream *stream;

    while (grids.last_created != NULL) {
        struct grid *grid = grids.last_created;
        grids.last_created = grid->created;
        free(grid->permutation);
        if (grid->parent != NULL)
            free(grid->parameters);
        grid->created = grids.kept;
        grids.kept = grid;
    }
    grids.earlier = race_keeps() ? grids.earlier + grids.created : 0;
    while (!race_keeps() && grids.kept != NULL) {
        struct grid *grid = grids.kept;
        grids.kept = grid->created;
        free(grid);
    }
    for (uint32_t i = 0; i < grids.launcher_count; i++) {
        while ((stream = grids.launchers[i]->null_stream.next) != NULL) {
            grids.launchers[i]->null_stream.next = stream->next;
            free(stream);
        }
        free(grids.launchers[i]);
    }
    grids.launcher_count = 0;
    grids.streams = 0;
    grids.ready_head = grids.ready_tail = 0;
}

const struct grid_totals *grids_totals(void)
{
    return &grids.totals;
}

void grids_close(void)
{
    grids_release();
    free(grids.ready);
    free(grids.launchers);
    memset(&grids, 0, sizeof grids);
}
