/* SPDX-License-Identifier: MIT */
#include "dispatch.h"

#include "access.h"
#include "array.h"
#include "barriers.h"
#include "bulk.h"
#include "cluster.h"
#include "faults.h"
#include "frames.h"
#include "grids.h"
#include "limits.h"
#include "mbarrier.h"
#include "modules.h"
#include "paths.h"
#include "picks.h"
#include "place_names.h"
#include "policy.h"
#include "quick.h"
#include "races.h"
#include "schedule.h"
#include "shared.h"

#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Returns the number of block k of the schedule's order, in the order of clusters. */
static uint64_t block_in_order(const struct grid *grid, uint64_t k)
{
    uint64_t size = limits_count(&grid->cluster);

    if (grid->permutation != NULL)
        return grid->permutation[k / size] * size + k % size;
    return policy.order == SCHEDULE_REVERSE ? grid->blocks - 1 - k : k;
}

enum { MANY_BLOCKS = 16 };

static struct {
    struct block **blocks;
    uint32_t count, capacity, last;
    uint64_t threads; /* of all blocks */
    struct block *free;
} residents;

static struct block *new_block(void)
{
    struct block *block = residents.free;

    if (block != NULL) {
        residents.free = block->next;
        return block;
    }
    block = calloc(1, sizeof *block);
    if (block != NULL)
        block->warps = calloc(MAX_WARPS, sizeof *block->warps);
    if (block == NULL || block->warps == NULL) {
        free(block);
        return NULL;
    }
    return block;
}

static void free_block(struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++)
        end_warp(&block->warps[w]);
    cluster_leave(block);
    block->next = residents.free;
    residents.free = block;
}

static void remove_block(struct block *block)
{
    uint32_t place = 0;

    while (residents.blocks[place] != block)
        place++;
    residents.threads -= block->threads;
    residents.count--;
    memmove(residents.blocks + place, residents.blocks + place + 1,
            (residents.count - place) * sizeof *residents.blocks);
    free_block(block);
}

/* Starts the next block of ready[index], in that cluster; null: a new one. Returns null if memory
 * runs out. */
static struct block *start_block(uint32_t index, struct cluster *cluster)
{
    struct grid *grid = grids.ready[index];
    struct block **blocks =
        array_grown(residents.blocks, &residents.capacity, residents.count + 1, sizeof *blocks);
    struct block *block = blocks != NULL ? new_block() : NULL;
    uint64_t number;

    residents.blocks = blocks != NULL ? blocks : residents.blocks;
    if (block == NULL) {
        record_out_of_memory();
        return NULL;
    }
    residents.blocks[residents.count++] = block;
    if (grid->depth > grids.totals.deepest)
        grids.totals.deepest = grid->depth;
    block->grid = grid;
    block->launcher = NULL;
    number = block_in_order(grid, grid->started);
    block->index = cluster_block(grid, number);
    block->window = cluster_window(grid, number);
    if (++grid->started == grid->blocks)
        take_ready(index);
    block->threads = (uint32_t)limits_count(&grid->block);
    residents.threads += block->threads;
    if (!cluster_enter(cluster, block)) {
        record_out_of_memory();
        return NULL;
    }
    block->warp_count = (block->threads + LANES - 1) / LANES;
    block->exited = 0;
    give_turn(block);
    block->last_waiting = 0;
    block->barriers_passed = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    start_shared(block);
    async_start_block(block);
    machine.block = block;
    for (uint32_t w = 0; w < block->warp_count; w++)
        start_warp(&block->warps[w], block, w);
    paths_restart(block);
    if (quick_races.is_on && !quick_start_block(block))
        leave_undecided();
    if (unlikely(race_on))
        race_start_block(&block->race, &grid->race, &block->index, block->threads);
    return block;
}

/* Starts the blocks of the next cluster of ready[index]. Returns the first of them, or null if
 * memory runs out. */
static struct block *start_cluster(uint32_t index)
{
    uint64_t size = limits_count(&grids.ready[index]->cluster);
    struct block *first = start_block(index, NULL);

    for (uint64_t k = 1; first != NULL && k < size; k++)
        if (start_block(index, first->cluster) == NULL)
            return NULL;
    machine.block = first;
    return first;
}

static void end_block(struct block *block)
{
    struct grid *grid = block->grid;

    async_end_block(block);
    if (block->launcher != NULL) {
        block->launcher->block = NULL;
        block->launcher->barriers = block->barriers_passed;
    }
    if (unlikely(race_on)) {
        use_shared_races(block);
        race_end_block(&block->race);
    }
    remove_block(block);
    machine.block = NULL;
    machine.warp = NULL;
    grid->finished++;
    check_complete(grid);
}

static bool is_able(const struct block *block, int turn)
{
    return block->turn == turn && schedule_can_run(block);
}

/* Returns a block with that turn that can run: the oldest, the youngest, or a random one. Returns
 * null if none exists. */
static struct block *choose_resident(int turn)
{
    uint32_t able = 0, wanted = 0;

    if (machine.all_wait)
        return NULL;
    machine.all_wait = true;
    for (uint32_t b = 0; b < residents.count; b++) {
        able += is_able(residents.blocks[b], turn);
        machine.all_wait = machine.all_wait && residents.blocks[b]->turn == 2;
    }
    if (able == 0)
        return NULL;
    if (policy.order == SCHEDULE_EXECUTION && turn == 0)
        return pick_block(residents.blocks, residents.count);
    if (policy.order == SCHEDULE_REVERSE)
        wanted = able - 1;
    else if (policy.order == SCHEDULE_RANDOM)
        wanted = schedule_draw(able);
    for (uint32_t b = 0;; b++)
        if (is_able(residents.blocks[b], turn) && wanted-- == 0)
            return residents.blocks[b];
}

/* Returns a hash of where the threads are and what their registers hold. Without `is_whole`, it has
 * only the registers of the function that they are in, so deep calls take no more time. */
static uint64_t hash_threads(bool is_whole)
{
    uint64_t hash = 0;

    for (uint32_t b = 0; b < residents.count; b++)
        for (uint32_t w = 0; w < residents.blocks[b]->warp_count; w++) {
            const struct warp *warp = &residents.blocks[b]->warps[w];
            const struct frame *last = NULL;
            for (uint32_t p = 0; p < warp->party_count; p++) {
                const struct party *party = &warp->parties[p];
                hash = values_hash(hash ^ (uintptr_t)party->op, party->lanes);
                for (const struct frame *f = party->frame; f != last && f != NULL;
                     f = is_whole ? f->outer : NULL)
                    hash = XXH3_64bits_withSeed(f->slots, f->code->frame_bytes, hash);
                last = party->frame;
            }
        }
    return hash;
}

/* Returns the next block whose threads wait in loops or are tired, after the last one that had a
 * turn. */
static struct block *next_spinning(void)
{
    for (uint32_t k = 1; k <= residents.count; k++) {
        uint32_t b = (residents.last + k) % residents.count;
        if (!schedule_waits(residents.blocks[b]))
            continue;
        residents.last = b;
        residents.blocks[b]->turn = 2;
        return residents.blocks[b];
    }
    return NULL;
}

/* What next_patient() has seen since the last turn of a delayed thread. */
static struct {
    uint64_t hash, stores;
    uint32_t turns, kept;
} patient;

/* Returns a block whose threads wait in loops and may end that although others are delayed: they
 * count, or read a clock, or something has happened since they looked. Theorem: if since an earlier
 * turn no store has changed memory, each waiting thread has had its turn, and all have the same
 * registers, then none can end before a delayed thread runs. The proof is that of is_endless().
 * After so many turns the delay is over, too. */
static struct block *next_patient(void)
{
    enum { PATIENCE = 2048 };
    uint32_t parties = 0;
    bool waits = false;

    for (uint32_t b = 0; b < residents.count; b++) {
        waits = waits || schedule_waits(residents.blocks[b]);
        for (uint32_t w = 0; w < residents.blocks[b]->warp_count; w++)
            parties += residents.blocks[b]->warps[w].party_count;
    }
    if (patient.turns % (residents.count * parties) == 0) {
        uint64_t hash = hash_threads(true);
        waits = waits && patient.turns < PATIENCE &&
                (patient.turns == 0 || patient.hash != hash || patient.stores != machine.stores);
        if (patient.turns >= 2 * patient.kept || patient.turns == 0 ||
            patient.stores != machine.stores) {
            patient.hash = hash;
            patient.stores = machine.stores;
            patient.kept = patient.turns;
        }
    }
    patient.turns = waits ? patient.turns + 1 : 0;
    return waits ? next_spinning() : NULL;
}

static struct block *choose_delayed(void)
{
    struct block *delayed = choose_resident(1), *spinning = NULL;

    if (delayed != NULL && policy.order == SCHEDULE_DELAYS)
        spinning = next_patient();
    return spinning != NULL ? spinning : delayed;
}

/* Returns true if one more cluster of the grid fits beside the resident blocks. */
static bool has_room(const struct grid *grid)
{
    uint64_t size = limits_count(&grid->cluster), threads = size * limits_count(&grid->block);

    return residents.threads + threads <= RESIDENT_THREADS &&
           residents.count + size <= RESIDENT_BLOCKS;
}

/* ---- The dispatcher ---- */

enum { NONE = -1 };

static uint32_t youngest_ready(void)
{
    uint32_t youngest = grids.ready_head;

    for (uint32_t r = grids.ready_head + 1; r < grids.ready_tail; r++)
        if (grids.ready[r]->serial > grids.ready[youngest]->serial)
            youngest = r;
    return youngest;
}

/* Returns the index of a grid that has a block to start, or NONE. */
static int64_t choose_grid(void)
{
    if (grids.ready_head == grids.ready_tail)
        return NONE;
    if (policy.order == SCHEDULE_REVERSE || residents.count >= MANY_BLOCKS)
        return youngest_ready();
    if (policy.order == SCHEDULE_RANDOM)
        return grids.ready_head + schedule_draw(grids.ready_tail - grids.ready_head);
    return grids.ready_head;
}

/* Returns true if a block of that grid starts now, although a resident block could run. */
static bool starts_first(const struct grid *grid, const struct block *block)
{
    if (policy.order == SCHEDULE_REVERSE)
        return grid->serial > block->grid->serial;
    return policy.order == SCHEDULE_RANDOM && policy.takes_turns &&
           residents.count < policy.crowd && schedule_draw(2) == 0;
}

/* Returns the block to run next, and starts it if necessary. Returns null if all blocks are done,
 * none can run, or memory runs out. */
static struct block *choose(void)
{
    struct block *block;
    int64_t grid;
    bool spins = false, polls = false;

    if (policy.order == SCHEDULE_EXECUTION && residents.count < MANY_BLOCKS &&
        grids.ready_head < grids.ready_tail)
        return start_cluster(grids.ready_head);
    block = choose_resident(0);
    grid = choose_grid();
    for (uint32_t b = 0; block == NULL && b < residents.count && !polls; b++)
        if (is_able(residents.blocks[b], 2)) {
            spins = true;
            polls = schedule_polls(residents.blocks[b]);
        }
    if (spins && grid != NONE &&
        !(polls ? has_room(grids.ready[grid]) : residents.count < MANY_BLOCKS))
        grid = NONE;
    if (block == NULL && (grid == NONE || (residents.count >= MANY_BLOCKS && !spins)))
        block = choose_delayed();
    if (block == NULL && grid == NONE)
        block = next_spinning();
    if (block != NULL && (grid == NONE || !starts_first(grids.ready[grid], block)))
        return block;
    return grid != NONE ? start_cluster((uint32_t)grid) : NULL;
}

/* The places at which threads wait in loops, and the number of threads at each place. */
enum { MAX_PLACES = 4, IDLE_ROUNDS = 64, MAX_DIFFER = 64 };

struct waiting {
    const struct simt_place *places[MAX_PLACES];
    uint32_t counts[MAX_PLACES], count, place_count;
    uint32_t parties; /* of the block that has most */
    bool others_run;
    const struct block *block; /* the block of the first waiting thread */
    uint32_t thread;
};

static void add_waiting(struct waiting *waiting, const struct block *block, uint32_t thread,
                        const struct party *party)
{
    const struct simt_place *place = party->looked != NULL ? party->looked : party->op->place;
    uint32_t k = 0, lanes = count_lanes(party->lanes);

    if (waiting->count == 0) {
        waiting->block = block;
        waiting->thread = thread;
    }
    waiting->count += lanes;
    waiting->parties++;
    while (k < waiting->place_count && (waiting->places[k]->site.line != place->site.line ||
                                        waiting->places[k]->site.file != place->site.file))
        k++;
    if (k == MAX_PLACES)
        return;
    if (k == waiting->place_count) {
        waiting->places[waiting->place_count++] = place;
        waiting->counts[k] = 0;
    }
    waiting->counts[k] += lanes;
}

static void find_waiting(struct waiting *waiting)
{
    uint32_t parties = 0; /* of the block so far */

    *waiting = (struct waiting){.count = 0};
    for (uint32_t b = 0; b < residents.count; b++)
        for (uint32_t w = 0; w < residents.blocks[b]->warp_count; w++) {
            const struct warp *warp = &residents.blocks[b]->warps[w];
            parties = w > 0 ? parties : 0;
            for (uint32_t p = 0; p < warp->party_count; p++) {
                bool meets = warp->parties[p].state == PARTY_MEETING;
                if (!meets && warp->parties[p].state != PARTY_READY)
                    continue;
                if (meets || warp->parties[p].waits)
                    add_waiting(waiting, residents.blocks[b],
                                w * LANES + (uint32_t)__builtin_ctz(warp->parties[p].lanes),
                                &warp->parties[p]);
                else
                    waiting->others_run = true;
                parties++;
            }
            waiting->parties = parties > waiting->parties ? parties : waiting->parties;
        }
}

/* Writes the mbarrier objects that threads wait for. */
static void describe_mbarriers(char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t b = 0; b < residents.count && used < size; b++) {
        async_describe_waiting(residents.blocks[b], text + used, size - used);
        used += strlen(text + used);
    }
}

/* Writes what the first waiting thread reads, if blocks have not started because no more fit. */
static void describe_unstarted(const struct waiting *waiting, char *text, size_t size)
{
    const struct grid *grid = grids.ready[grids.ready_head];
    uint32_t lane = waiting->thread % LANES;
    const struct look *look = &waiting->block->warps[waiting->thread / LANES].kept[lane];
    struct array_element element;
    struct group group;
    char place[96] = "memory";

    if (look->op != NULL &&
        find_lane(waiting->block, look->op, lane, look->address, &group) != NULL) {
        name_element(group.region, group.offsets[lane], look->op->place, &element);
        array_element_text(&element, place, sizeof place);
    }
    snprintf(text, size,
             "; they read %s, and %" PRIu64 " of %" PRIu64
             " blocks have not started: no more fit on the GPU until one ends",
             place, grid->blocks - grid->started, grid->blocks);
}

/* What is_endless() has seen at an earlier check. */
static struct {
    uint64_t top, whole; /* whole: 0 until `top` is seen again */
    uint64_t idle, stores;
    uint32_t differ; /* checks that saw something else */
} seen;

/* Returns whether all threads have waited so long that probably none can end. */
static bool is_long(void)
{
    enum { ROUNDS = 1 << 16, MOST = 1 << 20 };

    return machine.idle >=
           (machine.is_weak || machine.steps > machine.step_limit / 4 * 3 ? ROUNDS : MOST);
}

/* Returns whether no thread can end, if all wait. Each is where it was at an earlier check, with
 * the same registers. Since then each had its turn, in `turns` slices, and no store has changed
 * memory. Theorem: then none can end. Proof: as long as memory does not change, what a thread does
 * depends on its registers alone, and in a warp operation on those of its warp. So each thread does
 * the same again and again, under every schedule. */
static bool is_endless(uint64_t turns)
{
    uint64_t top;
    bool is_later = machine.idle > seen.idle, has_stored = machine.stores != seen.stores;

    if (machine.is_weak || machine.idle % turns != 0 || machine.idle > policy.restless)
        return false;
    top = hash_threads(false);
    if (is_later && !has_stored && top == seen.top) {
        uint64_t whole = hash_threads(true);
        if (whole == seen.whole)
            return true;
        if (seen.whole == 0) {
            seen.whole = whole;
            seen.idle = machine.idle;
            return false;
        }
    }
    if (!is_later)
        seen.differ = 0;
    else if (++seen.differ == MAX_DIFFER)
        schedule_make_restless();
    if (!is_later || has_stored || machine.idle >= 2 * seen.idle) {
        seen.top = top;
        seen.whole = 0;
        seen.idle = machine.idle;
        seen.stores = machine.stores;
    }
    return false;
}

/* Reports threads that wait for ever. Of threads that count, or that take locks and give them back,
 * a long wait decides. */
static void check_deadlock(void)
{
    struct waiting waiting;
    uint32_t rounds = residents.count > IDLE_ROUNDS ? residents.count : IDLE_ROUNDS;
    bool is_full = grids.ready_head < grids.ready_tail;
    char reason[512];

    if (machine.idle % rounds != 0 || (is_full && has_room(grids.ready[grids.ready_head])))
        return;
    find_waiting(&waiting);
    if (waiting.count == 0 || waiting.others_run)
        return;
    if (!is_endless((uint64_t)residents.count * waiting.parties) &&
        (machine.idle < (uint64_t)IDLE_ROUNDS * waiting.count || !is_long()))
        return;
    describe_mbarriers(reason, sizeof reason);
    if (reason[0] == '\0' && is_full)
        describe_unstarted(&waiting, reason, sizeof reason);
    record_fault_of(
        FAULT_DEADLOCK, waiting.block, waiting.thread, waiting.places[0], SAYS_WAITS_FOREVER,
        .others = {waiting.places[0], waiting.places[1], waiting.places[2], waiting.places[3]},
        .threads = waiting.counts, .reason = reason);
}

static void dispatch(void)
{
    while (recorded_fault() == NULL) {
        struct block *block = choose();
        if (block == NULL)
            break;
        schedule_run(block);
        if (recorded_fault() != NULL)
            break;
        if (block->exited == block->threads)
            end_block(block);
        else if (block->turn == 2)
            check_deadlock();
    }
    for (uint32_t b = 0; recorded_fault() == NULL && b < residents.count; b++)
        report_waiting(residents.blocks[b]);
    if (recorded_fault() == NULL && residents.count > 0)
        record_fault(FAULT_STEP_LIMIT, SAYS_CHILD_CANNOT_COMPLETE);
}

/* Makes a grid that the host launches. Returns null if memory runs out. */
static struct grid *make_host_grid(const struct host_grid *start, uint64_t seed)
{
    struct grid *grid =
        make_grid(&start->launch->grid, &start->launch->block, &start->cluster, seed);

    if (grid == NULL)
        return NULL;
    grid->code = start->code;
    grid->race.kernel = modules_name(start->code);
    grid->shared_bytes = start->launch->shared_bytes;
    grid->parameters = start->parameters;
    grid->after = start->launch->after;
    return grid;
}

bool dispatch_grids(const struct host_grid *starts, uint32_t count, uint64_t seed)
{
    grids.created = grids.pending = 0;
    grids.totals = (struct grid_totals){0};
    grids.host_count = 0;
    residents.last = patient.turns = 0;
    seen.idle = 0;
    picks_start();
    for (uint32_t k = 0; k < count; k++) {
        struct grid *grid = make_host_grid(&starts[k], seed);
        if (grid == NULL)
            return false;
        if (starts[k].launch->is_cooperative)
            grid->workspace = modules_workspace(k);
        grid->race.launch = machine.launch + k;
        grid->keep = starts[k].keep;
        if (race_on)
            race_begin(&grid->race);
        grids.hosts[grids.host_count++] = grid;
        if (grid->blocks > 1)
            schedule_blocks_take_turns();
    }
    if (count > 1)
        schedule_grids_take_turns();
    for (uint32_t k = 0; k < count; k++)
        if (grids.hosts[k]->after == 0)
            make_ready(grids.hosts[k]);
    quick_start();
    if (setjmp(machine.out) == 0)
        dispatch();
    while (residents.count > 0)
        free_block(residents.blocks[--residents.count]);
    residents.threads = 0;
    return true;
}

void dispatch_close(void)
{
    while (residents.free != NULL) {
        struct block *block = residents.free;
        residents.free = block->next;
        for (uint32_t w = 0; w < MAX_WARPS; w++)
            free_warp(&block->warps[w]);
        free(block->warps);
        free(block->shared);
        free(block->shared_written);
        free(block->regions);
        free(block->paths);
        free(block->shared_stamps[0]);
        free(block->shared_stamps[1]);
        race_free_block(&block->race);
        async_free_block(block);
        free(block);
    }
    free(residents.blocks);
    memset(&residents, 0, sizeof residents);
}
