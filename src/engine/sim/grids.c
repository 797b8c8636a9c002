/* SPDX-License-Identifier: MIT */
#include "grids.h"

#include "array.h"
#include "cluster.h"
#include "executions.h"
#include "input_values.h"
#include "limits.h"
#include "modules.h"
#include "places.h"
#include "races.h"
#include "schedule.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Error numbers of the CUDA runtime. */
enum {
    ERROR_CONFIGURATION = 9,
    ERROR_MAX_DEPTH = 65,
    ERROR_PENDING_COUNT = 69,
    ERROR_RESOURCE_HANDLE = 400,
    ERROR_CLUSTER_SIZE = 912,
};

static struct {
    struct grid **ready; /* grids with blocks to start, in order: ready[ready_head..ready_tail) */
    uint32_t ready_head, ready_tail, ready_capacity;
    struct grid *last_created;
    struct launcher **launchers; /* to be freed at the end */
    uint32_t launcher_count, launcher_capacity;
    uint64_t pending; /* child grids of which no block has started */
    uint64_t created;
    uint64_t streams;               /* created by blocks */
    struct grid *hosts[HOST_GRIDS]; /* the grids that the host launches */
    uint32_t host_count;
    struct grid_totals totals;
} grids;

static void run_out_of_memory(void)
{
    record_fault(FAULT_CRASH, "cannot continue: the simulator is out of memory");
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

/* `cluster` is 0, 0, 0 for none. */
static struct grid *make_grid(const struct extent *extent, const struct extent *block,
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
    grid->race.serial = grid->serial;
    grid->created = grids.last_created;
    grids.last_created = grid;
    if (policy.order == SCHEDULE_RANDOM && grid->blocks > 1) {
        grid->permutation = permute_clusters(grid->blocks / limits_count(&grid->cluster), seed);
        if (grid->permutation == NULL)
            return NULL;
    }
    return grid;
}

/* Lets the grid start its blocks. */
static void make_ready(struct grid *grid)
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
        run_out_of_memory();
        return;
    }
    grids.ready = ready;
    grids.ready[grids.ready_tail++] = grid;
}

/* Removes ready[index] from the list. The other grids keep their order. */
static void take_ready(uint32_t index)
{
    if (index == grids.ready_head) {
        grids.ready_head++;
        return;
    }
    grids.ready_tail--;
    memmove(grids.ready + index, grids.ready + index + 1,
            (grids.ready_tail - index) * sizeof *grids.ready);
}

static void check_complete(struct grid *grid);

/* Releases the lanes that wait for the block's child grids. */
static void wake(struct block *block)
{
    machine.progress++;
    machine.released = UINT32_MAX;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t p = 0; p < block->warps[w].party_count; p++)
            if (block->warps[w].parties[p].state == PARTY_SYNCING)
                block->warps[w].parties[p].state = PARTY_READY;
    block->turn = 0;
}

/* Lets the host's grids start that have waited only for this one. */
static void complete_host_grid(const struct grid *grid)
{
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

/* Completes the grid, or starts its tail launches, if all its blocks and child grids have ended. */
static void check_complete(struct grid *grid)
{
    if (grid->finished < grid->blocks || grid->open > 0)
        return;
    if (grid->first_tail == NULL) {
        complete(grid);
    } else if (!grid->tails_run) {
        grid->tails_run = true;
        if (race_on)
            race_first_tail(&grid->first_tail->race);
        make_ready(grid->first_tail);
    }
}

/* ---- Blocks ---- */

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
        run_out_of_memory();
        return NULL;
    }
    residents.blocks[residents.count++] = block;
    if (grid->started == 0 && grid->parent != NULL)
        grids.pending--;
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
    if (!cluster_enter(cluster, block)) {
        run_out_of_memory();
        return NULL;
    }
    block->warp_count = (block->threads + LANES - 1) / LANES;
    block->exited = 0;
    block->turn = 0;
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
    if (block->launcher != NULL)
        block->launcher->block = NULL;
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

    for (uint32_t b = 0; b < residents.count; b++)
        able += is_able(residents.blocks[b], turn);
    if (able == 0)
        return NULL;
    if (policy.order == SCHEDULE_EXECUTION && turn == 0)
        return executions_pick(residents.blocks, residents.count);
    if (policy.order == SCHEDULE_REVERSE)
        wanted = able - 1;
    else if (policy.order == SCHEDULE_RANDOM)
        wanted = schedule_draw(able);
    for (uint32_t b = 0;; b++)
        if (is_able(residents.blocks[b], turn) && wanted-- == 0)
            return residents.blocks[b];
}

/* Returns the next block that waits in a loop, after the last one that had a turn. */
static struct block *next_spinning(void)
{
    for (uint32_t k = 1; k <= residents.count; k++) {
        uint32_t b = (residents.last + k) % residents.count;
        if (!is_able(residents.blocks[b], 2))
            continue;
        residents.last = b;
        return residents.blocks[b];
    }
    return NULL;
}

/* Returns true if one more cluster of the grid fits beside the resident blocks. */
static bool has_room(const struct grid *grid)
{
    uint64_t size = limits_count(&grid->cluster), threads = size * limits_count(&grid->block);

    for (uint32_t b = 0; b < residents.count; b++)
        threads += residents.blocks[b]->threads;
    return threads <= RESIDENT_THREADS && residents.count + size <= RESIDENT_BLOCKS;
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
    bool spins = false;

    if (policy.order == SCHEDULE_EXECUTION && residents.count < MANY_BLOCKS &&
        grids.ready_head < grids.ready_tail)
        return start_cluster(grids.ready_head);
    block = choose_resident(0);
    grid = choose_grid();
    for (uint32_t b = 0; block == NULL && b < residents.count && !spins; b++)
        spins = residents.blocks[b]->turn == 2 && schedule_can_run(residents.blocks[b]);
    if (spins && grid != NONE && !has_room(grids.ready[grid]))
        grid = NONE;
    if (block == NULL && (grid == NONE || (residents.count >= MANY_BLOCKS && !spins)))
        block = choose_resident(1);
    if (block == NULL && grid == NONE)
        block = next_spinning();
    if (block != NULL && (grid == NONE || !starts_first(grids.ready[grid], block)))
        return block;
    return grid != NONE ? start_cluster((uint32_t)grid) : NULL;
}

/* The places at which threads wait in loops, and the number of threads at each place. */
enum { MAX_PLACES = 4, IDLE_ROUNDS = 64, MIN_IDLE_ROUNDS = 1 << 16, MBARRIER_ROUNDS = 1 << 13 };

struct waiting {
    const struct simt_place *places[MAX_PLACES];
    uint32_t counts[MAX_PLACES], count, place_count;
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
    *waiting = (struct waiting){.count = 0};
    for (uint32_t b = 0; b < residents.count; b++)
        for (uint32_t w = 0; w < residents.blocks[b]->warp_count; w++) {
            const struct warp *warp = &residents.blocks[b]->warps[w];
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
            }
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

static void check_deadlock(void)
{
    struct waiting waiting;
    char text[512] = "", mbarriers[512], file[SOURCE_FILE];
    size_t used = 0;

    if (machine.idle % IDLE_ROUNDS != 0 ||
        (grids.ready_head < grids.ready_tail && has_room(grids.ready[grids.ready_head])))
        return;
    find_waiting(&waiting);
    describe_mbarriers(mbarriers, sizeof mbarriers);
    if (waiting.count == 0 || waiting.others_run ||
        machine.idle < (uint64_t)IDLE_ROUNDS * waiting.count ||
        machine.idle < (mbarriers[0] != '\0' ? MBARRIER_ROUNDS : MIN_IDLE_ROUNDS))
        return;
    for (uint32_t k = 0; k < waiting.place_count && used < sizeof text; k++) {
        source_path_shorten(waiting.places[k]->site.file, file, sizeof file);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%u thread%s at %s:%d",
                             k > 0 ? ", " : "", waiting.counts[k],
                             waiting.counts[k] == 1 ? "" : "s", file, waiting.places[k]->site.line);
    }
    record_fault_of(FAULT_DEADLOCK, waiting.block, waiting.thread, waiting.places[0],
                    "waits in a loop that no other thread can end; waiting: %s%s", text, mbarriers);
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
        record_fault(FAULT_STEP_LIMIT, "waits for a child grid that cannot complete");
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

bool grids_run(const struct host_grid *starts, uint32_t count, uint64_t seed)
{
    grids.created = grids.pending = 0;
    grids.totals = (struct grid_totals){0};
    grids.host_count = 0;
    residents.last = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct grid *grid = make_host_grid(&starts[k], seed);
        if (grid == NULL)
            return false;
        if (starts[k].launch->is_cooperative)
            grid->workspace = modules_workspace(k);
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
    return true;
}

const struct grid_totals *grids_totals(void)
{
    return &grids.totals;
}

void grids_close(void)
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
    free(grids.ready);
    free(grids.launchers);
    memset(&grids, 0, sizeof grids);
}

/* ---- Nested launches ---- */

static struct launcher *launches_of(struct block *block)
{
    struct launcher **launchers;

    if (block->launcher != NULL)
        return block->launcher;
    launchers = array_grown(grids.launchers, &grids.launcher_capacity, grids.launcher_count + 1,
                            sizeof *grids.launchers);
    if (launchers == NULL)
        return NULL;
    grids.launchers = launchers;
    block->launcher = calloc(1, sizeof *block->launcher);
    if (block->launcher != NULL) {
        block->launcher->block = block;
        grids.launchers[grids.launcher_count++] = block->launcher;
    }
    return block->launcher;
}

/* Returns the launch's error, with the runtime's number and name, or 0 if none exists. */
static int launch_error(const struct function_code *code, const struct child *child,
                        uint64_t stream, struct extent *cluster, const char **name)
{
    if (limits_error(code, &child->grid, &child->block, child->shared_bytes, false) != NULL) {
        *name = "cudaErrorInvalidConfiguration";
        return ERROR_CONFIGURATION;
    }
    if (cluster_error(code, &child->grid, &(struct extent){0, 0, 0}, false, cluster) != NULL) {
        *name = "cudaErrorInvalidClusterSize";
        return ERROR_CLUSTER_SIZE;
    }
    if (policy.nesting.profile == PROFILE_CDP1 && stream != 0) {
        *name = "cudaErrorInvalidResourceHandle";
        return ERROR_RESOURCE_HANDLE;
    }
    if (policy.nesting.profile == PROFILE_CDP1 &&
        machine.block->grid->depth >= policy.nesting.depth) {
        *name = "cudaErrorLaunchMaxDepthExceeded";
        return ERROR_MAX_DEPTH;
    }
    if (grids.pending >= policy.nesting.pending) {
        *name = "cudaErrorLaunchPendingCountExceeded";
        return ERROR_PENDING_COUNT;
    }
    return 0;
}

/* Appends the child to its stream, or makes it ready if it need not wait. */
static void enqueue(struct grid *child, struct launcher *launcher)
{
    struct grid *parent = child->parent;

    launcher->open++;
    if (child->race.is_tail) {
        if (parent->first_tail == NULL)
            parent->first_tail = child;
        else
            parent->last_tail->next = child;
        parent->last_tail = child;
        return;
    }
    parent->open++;
    if (child->stream != NULL) {
        struct grid *before = child->stream->last;
        child->stream->last = child;
        if (before != NULL) {
            before->next = child;
            return;
        }
    }
    make_ready(child);
}

/* Returns "local" or "shared" if the address is in memory that a child grid cannot access, and null
 * otherwise. */
static const char *private_memory(uint64_t address)
{
    return address >> 32 == machine.block->window >> 32 ? "shared"
           : address >> 40 == LOCAL_WINDOW_BASE >> 40   ? "local"
                                                        : NULL;
}

static void check_parameters(const struct function_code *code, uint32_t lane,
                             const struct child *child)
{
    for (uint32_t p = 0; p < code->parameter_count; p++) {
        uint64_t address;
        if (code->function->parameters[p]->bytes != sizeof address)
            continue;
        memcpy(&address, child->parameters + code->parameter_offsets[p], sizeof address);
        if (private_memory(address) != NULL)
            record_fault_of(FAULT_LOCAL_POINTER_ESCAPE, machine.block,
                            machine.warp->number * LANES + lane, machine.op->place,
                            "passes a pointer to its %s memory to a child grid",
                            private_memory(address));
    }
}

uint64_t grids_create_stream(void)
{
    return FIRST_CREATED_STREAM + grids.streams++;
}

/* Returns the launcher's stream with that handle. Returns null if memory runs out. */
static struct child_stream *stream_of(struct launcher *launcher, uint64_t handle)
{
    struct child_stream *stream = &launcher->null_stream;

    while (stream->handle != handle && stream->next != NULL)
        stream = stream->next;
    if (stream->handle == handle)
        return stream;
    stream->next = calloc(1, sizeof *stream->next);
    if (stream->next != NULL)
        stream->next->handle = handle;
    return stream->next;
}

static bool is_ordered(uint64_t stream)
{
    return stream != STREAM_TAIL && stream != STREAM_FIRE_AND_FORGET;
}

int grids_launch(struct warp *warp, uint32_t lane, const struct child *given, uint64_t stream)
{
    const struct function_code *code = modules_function_at(given->function);
    uint32_t thread = warp->number * LANES + lane;
    const char *name = NULL;
    struct launcher *launcher;
    struct extent cluster;
    struct grid *child;
    int error;

    if (code == NULL || !code->function->is_entry)
        raise_fault(FAULT_UNSUPPORTED, lane,
                    "launches a function that is not a kernel of this program");
    error = launch_error(code, given, stream, &cluster, &name);
    if (error != 0) {
        warp->errors[lane] = error;
        grids.totals.failed_launches++;
        record_fault_of(FAULT_CHILD_LAUNCH, machine.block, thread, machine.op->place,
                        "launches a child grid <<<%u, %u>>>, which fails: %s (%d)", given->grid.x,
                        given->block.x, name, error);
        return error;
    }
    launcher = launches_of(machine.block);
    if (policy.nesting.children > 0 && grids.totals.children >= policy.nesting.children)
        raise_fault(FAULT_RUNAWAY, lane,
                    "launches more than %u child grids, the limit for this case",
                    policy.nesting.children);
    child = make_grid(&given->grid, &given->block, &cluster, schedule_grid_seed(grids.created));
    if (child != NULL)
        child->parameters = malloc(code->parameter_bytes + 1);
    if (child != NULL && launcher != NULL && is_ordered(stream))
        child->stream = stream_of(launcher, stream);
    if (child == NULL || launcher == NULL || child->parameters == NULL ||
        (is_ordered(stream) && child->stream == NULL)) {
        run_out_of_memory();
        return 0;
    }
    memcpy(child->parameters, given->parameters, code->parameter_bytes);
    child->code = code;
    child->race.kernel = modules_name(code);
    child->shared_bytes = given->shared_bytes;
    child->parent = machine.block->grid;
    child->race.parent = &child->parent->race;
    child->launcher = launcher;
    child->depth = child->parent->depth + 1;
    child->race.is_tail = stream == STREAM_TAIL;
    if (stream == STREAM_TAIL)
        child->race.tail_index = child->parent->tails++;
    if (race_on)
        race_launch(&child->race, child->stream != NULL ? &child->stream->race : NULL,
                    &machine.block->race, thread);
    check_parameters(code, lane, given);
    schedule_grids_take_turns();
    grids.totals.children++;
    grids.totals.child_blocks += child->blocks;
    grids.totals.child_threads += child->blocks * limits_count(&child->block);
    grids.pending++;
    machine.step_limit += limits_steps(&given->grid, &given->block, 0);
    machine.progress++;
    enqueue(child, launcher);
    if (policy.order == SCHEDULE_REVERSE ||
        (policy.order == SCHEDULE_RANDOM && schedule_draw(2) == 0))
        machine.gives_way = true; /* the child may go first */
    return 0;
}
