/* SPDX-License-Identifier: MIT */
#include "grids.h"

#include "array.h"
#include "barrier.h"
#include "budget.h"
#include "collective.h"
#include "fault.h"
#include "limits.h"
#include "memory.h"
#include "modules.h"
#include "policy.h"
#include "resident_blocks.h"
#include "schedule.h"
#include "source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As the runtime numbers them. */
enum {
    ERROR_CONFIGURATION = 9,
    ERROR_MAX_DEPTH = 65,
    ERROR_PENDING_COUNT = 69,
    ERROR_RESOURCE_HANDLE = 400,
};

static struct {
    struct grid **ready; /* with blocks to start, in order: ready[ready_head..ready_tail) */
    uint32_t ready_head, ready_tail, ready_capacity;
    struct grid *last_created;
    struct launcher **launchers; /* to be freed */
    uint32_t launcher_count, launcher_capacity;
    uint64_t pending; /* child grids of which no block has started */
    uint64_t created;
    struct grid_totals totals;
} grids;

static void run_out_of_memory(void)
{
    fault_record(FAULT_CRASH, "needs more memory than there is");
}

/* ---- Grids ---- */

/* A random order of `count` blocks; null when memory runs out, or they are more than it can hold.
 */
static uint32_t *permute_blocks(uint64_t count, uint64_t seed)
{
    uint32_t *permutation = count <= UINT32_MAX ? malloc(count * sizeof *permutation) : NULL;

    for (uint64_t i = 0; permutation != NULL && i < count; i++) {
        uint64_t j = values_hash(seed, i) % (i + 1);
        permutation[i] = permutation[j];
        permutation[j] = (uint32_t)i;
    }
    return permutation;
}

static struct grid *make_grid(const struct extent *extent, const struct extent *block,
                              uint64_t seed)
{
    struct grid *grid = calloc(1, sizeof *grid);

    if (grid == NULL)
        return NULL;
    grid->extent = *extent;
    grid->block = *block;
    grid->blocks = limits_count(extent);
    grid->serial = grids.created++;
    grid->race.block = *block;
    grid->race.serial = grid->serial;
    grid->created = grids.last_created;
    grids.last_created = grid;
    if (rules.order == SCHEDULE_RANDOM && grid->blocks > 1) {
        grid->permutation = permute_blocks(grid->blocks, seed);
        if (grid->permutation == NULL)
            return NULL;
    }
    return grid;
}

/* The grid may start its blocks. */
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

/* Takes ready[index] off the list, whose order stays that of becoming ready. */
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

static void complete(struct grid *grid)
{
    struct grid *parent = grid->parent;
    struct launcher *launcher = grid->launcher;

    if (parent == NULL)
        return;
    launcher->open--;
    if (race_on)
        race_complete(&grid->race, &launcher->race, grid->stream, &parent->race,
                      grid->next != NULL ? &grid->next->race : NULL);
    if (grid->stream == SIMT_STREAM_TAIL) {
        parent->first_tail = grid->next;
        if (grid->next != NULL)
            make_ready(grid->next);
    } else {
        parent->open--;
        if (launcher->last == grid)
            launcher->last = NULL;
        if (grid->stream == SIMT_STREAM_NULL && grid->next != NULL)
            make_ready(grid->next);
    }
    if (launcher->open == 0 && launcher->block != NULL && launcher->block->scheduler.syncing > 0)
        schedule_wake(launcher->block);
    check_complete(parent);
}

/* A block of the grid, or a child, is done. */
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

/* Block number k of the schedule's order, as coordinates. */
static struct extent block_in_order(const struct grid *grid, uint64_t k)
{
    uint64_t number = k;

    if (grid->permutation != NULL)
        number = grid->permutation[k];
    else if (rules.order == SCHEDULE_REVERSE)
        number = grid->blocks - 1 - k;
    return (struct extent){(uint32_t)(number % grid->extent.x),
                           (uint32_t)(number / grid->extent.x % grid->extent.y),
                           (uint32_t)(number / grid->extent.x / grid->extent.y)};
}

/* Starts the next block of ready[index]; null when memory runs out. */
static struct resident_block *start_block(uint32_t index)
{
    struct grid *grid = grids.ready[index];
    struct resident_block *block = resident_blocks_add(grid);

    if (block == NULL) {
        run_out_of_memory();
        return NULL;
    }
    if (grid->started == 0)
        grid->symbol = source_symbol((const void *)(uintptr_t)grid->function);
    if (grid->started == 0 && grid->parent != NULL)
        grids.pending--;
    if (grid->depth > grids.totals.deepest)
        grids.totals.deepest = grid->depth;
    block->index = block_in_order(grid, grid->started);
    if (++grid->started == grid->blocks)
        take_ready(index);
    memory_start_block(grid);
    schedule_start(block);
    if (unlikely(race_on))
        race_start_block(&block->race, &grid->race, &block->index, block->scheduler.threads);
    return block;
}

static void end_block(struct resident_block *block)
{
    if (block->launches != NULL)
        block->launches->block = NULL;
    resident_blocks_remove(block);
    if (unlikely(race_on))
        race_end_block(&block->race);
    block->grid->finished++;
    check_complete(block->grid);
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

/* A grid that has a block to start; NONE when there is none. */
static int64_t choose_grid(void)
{
    if (grids.ready_head == grids.ready_tail)
        return NONE;
    if (rules.order == SCHEDULE_REVERSE || residents.count >= MANY_BLOCKS)
        return youngest_ready();
    if (rules.order == SCHEDULE_RANDOM)
        return grids.ready_head + policy_draw(grids.ready_tail - grids.ready_head);
    return grids.ready_head;
}

/* Is a block of that grid to start, though that resident one could run? */
static bool starts_first(const struct grid *grid, const struct resident_block *block)
{
    if (rules.order == SCHEDULE_REVERSE)
        return grid->serial > block->grid->serial;
    return rules.order == SCHEDULE_RANDOM && rules.takes_turns && residents.count < rules.crowd &&
           policy_draw(2) == 0;
}

/* The block to run next, started if need be; null when all is done, or memory has run out. */
static struct resident_block *choose(void)
{
    struct resident_block *block = resident_blocks_choose(AT_ONCE);
    int64_t grid = choose_grid();
    bool spins = block == NULL && resident_blocks_any_spins();

    if (spins && grid != NONE && !resident_blocks_has_room(grids.ready[grid]))
        grid = NONE;
    if (block == NULL && (grid == NONE || (residents.count >= MANY_BLOCKS && !spins)))
        block = resident_blocks_choose(DEFERRED);
    if (block == NULL && grid == NONE)
        block = resident_blocks_next_spinning();
    if (block != NULL && (grid == NONE || !starts_first(grids.ready[grid], block)))
        return block;
    return grid != NONE ? start_block((uint32_t)grid) : NULL;
}

static void dispatch(void)
{
    struct resident_block *last = NULL;

    while (!fault_came()) {
        struct resident_block *block = choose();
        if (block == NULL)
            break;
        if (block->scheduler.started && block != last)
            memory_resume_block(block);
        block->scheduler.started = true;
        schedule_run(block);
        last = block;
        if (fault_came())
            break;
        if (schedule_is_done(block)) {
            last = NULL;
            end_block(block);
        } else {
            memory_leave_block(block);
            if (block->scheduler.spinning)
                resident_blocks_keep_waiting();
        }
    }
    for (uint32_t b = 0; !fault_came() && b < residents.count; b++) {
        collective_blame(residents.blocks[b]);
        numbered_barriers_blame(residents.blocks[b]);
    }
    if (!fault_came() && residents.count > 0)
        fault_record(FAULT_STEP_LIMIT, "waits for a child grid that cannot complete");
}

void grids_release(void)
{
    while (grids.last_created != NULL) {
        struct grid *grid = grids.last_created;
        grids.last_created = grid->created;
        free(grid->permutation);
        free(grid);
    }
    for (uint32_t i = 0; i < grids.launcher_count; i++)
        free(grids.launchers[i]);
    grids.launcher_count = 0;
    grids.ready_head = grids.ready_tail = 0;
}

bool grids_run(const struct first_grid *first, uint64_t seed)
{
    struct grid *grid;

    grids.created = grids.pending = 0;
    grids.totals = (struct grid_totals){0};
    resident_blocks_start();
    grid = make_grid(&first->grid, &first->block, seed);
    if (grid == NULL)
        return false;
    memcpy(&grid->function, &first->kernel->function, sizeof grid->function);
    grid->race.function = grid->function;
    grid->invoke = first->kernel->invoke;
    grid->shared_bytes = first->shared_bytes;
    grid->arguments = first->arguments;
    if (limits_count(&first->grid) > 1)
        policy_blocks_take_turns();
    policy_grant();
    make_ready(grid);
    dispatch();
    resident_blocks_finish();
    schedule_forget();
    return true;
}

const struct grid_totals *grids_totals(void)
{
    return &grids.totals;
}

void grids_close(void)
{
    resident_blocks_close();
    free(grids.ready);
    free(grids.launchers);
    memset(&grids, 0, sizeof grids);
}

/* ---- Nested launches ---- */

static struct launcher *launches_of(struct resident_block *block)
{
    struct launcher **launchers;

    if (block->launches != NULL)
        return block->launches;
    launchers = array_grown(grids.launchers, &grids.launcher_capacity, grids.launcher_count + 1,
                            sizeof *grids.launchers);
    if (launchers == NULL)
        return NULL;
    grids.launchers = launchers;
    block->launches = calloc(1, sizeof *block->launches);
    if (block->launches != NULL) {
        block->launches->block = block;
        grids.launchers[grids.launcher_count++] = block->launches;
    }
    return block->launches;
}

/* The error that the launch gives, as the runtime numbers them, and its name; 0: none. */
static int launch_error(void (*function)(void), const struct extent *grid,
                        const struct extent *block, size_t shared_bytes, enum simt_stream stream,
                        const char **name)
{
    if (limits_error(grid, block,
                     shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)shared_bytes) ||
        modules_refuse(function, block)) {
        *name = "cudaErrorInvalidConfiguration";
        return ERROR_CONFIGURATION;
    }
    if (rules.nesting.profile == PROFILE_CDP1 && stream != SIMT_STREAM_NULL) {
        *name = "cudaErrorInvalidResourceHandle";
        return ERROR_RESOURCE_HANDLE;
    }
    if (rules.nesting.profile == PROFILE_CDP1 &&
        current.block->grid->depth >= rules.nesting.depth) {
        *name = "cudaErrorLaunchMaxDepthExceeded";
        return ERROR_MAX_DEPTH;
    }
    if (grids.pending >= rules.nesting.pending) {
        *name = "cudaErrorLaunchPendingCountExceeded";
        return ERROR_PENDING_COUNT;
    }
    return 0;
}

/* Puts the child where its stream has it wait, or makes it ready. */
static void enqueue(struct grid *child, struct launcher *launcher)
{
    struct grid *parent = child->parent;

    launcher->open++;
    if (child->stream == SIMT_STREAM_TAIL) {
        if (parent->first_tail == NULL)
            parent->first_tail = child;
        else
            parent->last_tail->next = child;
        parent->last_tail = child;
        return;
    }
    parent->open++;
    if (child->stream == SIMT_STREAM_NULL) {
        struct grid *before = launcher->last;
        launcher->last = child;
        if (before != NULL) {
            before->next = child;
            return;
        }
    }
    make_ready(child);
}

/* "local", "shared", or null: is it memory that a child grid cannot be given? */
static const char *private_memory(uintptr_t address)
{
    return memory_is_shared(address) ? "shared" : stacks_has(address) ? "local" : NULL;
}

/* Copies the arguments into the child; false after a fault that leaves nothing to launch. */
static bool copy_arguments(struct grid *child, const struct simt_site *site, void *const *arguments,
                           const size_t *sizes, unsigned int count)
{
    child->arguments = child->copied;
    for (unsigned int a = 0; a < count; a++) {
        uintptr_t address;
        if (sizes[a] > sizeof child->argument_words[a]) {
            fault_record_at(FAULT_UNSUPPORTED, site,
                            "launches a kernel with an argument of %zu bytes", sizes[a]);
            return false;
        }
        child->copied[a] = &child->argument_words[a];
        memcpy(child->copied[a], arguments[a], sizes[a]);
        memcpy(&address, &child->argument_words[a], sizeof address);
        if (sizes[a] == sizeof address && private_memory(address) != NULL)
            fault_record_at(FAULT_LOCAL_POINTER_ESCAPE, site,
                            "hands a pointer to its %s memory to a child grid",
                            private_memory(address));
    }
    return true;
}

void simt_launch(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                 const struct extent *grid, const struct extent *block, size_t shared_bytes,
                 enum simt_stream stream, void *const *arguments, const size_t *argument_sizes,
                 unsigned int argument_count)
{
    schedule_step(__builtin_return_address(0));
    simt_launch_at(site, function, invoke, grid, block, shared_bytes, stream, arguments,
                   argument_sizes, argument_count);
}

void simt_launch_at(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                    const struct extent *grid, const struct extent *block, size_t shared_bytes,
                    enum simt_stream stream, void *const *arguments, const size_t *argument_sizes,
                    unsigned int argument_count)
{
    const char *name = NULL;
    struct launcher *launcher;
    struct grid *child;
    int error;

    error = launch_error(function, grid, block, shared_bytes, stream, &name);
    launcher = launches_of(current.block);
    if (error != 0) {
        current.thread->error = error;
        grids.totals.failed_launches++;
        fault_record_at(FAULT_CHILD_LAUNCH, site,
                        "launches a child grid <<<%u, %u>>>, which fails: %s (%d)", grid->x,
                        block->x, name, error);
        return;
    }
    if (rules.nesting.children > 0 && grids.totals.children >= rules.nesting.children) {
        fault_raise_at(FAULT_RUNAWAY, site,
                       "launches child grid number %" PRIu64 ", and this case has far fewer",
                       grids.totals.children + 1);
    }
    child = make_grid(grid, block, policy_grid_seed(grids.created));
    if (child == NULL || launcher == NULL || argument_count > MAX_ARGUMENTS) {
        run_out_of_memory();
        return;
    }
    child->function = child->race.function = function;
    child->invoke = invoke;
    child->shared_bytes = (uint32_t)shared_bytes;
    child->parent = current.block->grid;
    child->race.parent = &child->parent->race;
    child->launcher = launcher;
    child->depth = child->parent->depth + 1;
    child->stream = stream;
    child->race.is_tail = stream == SIMT_STREAM_TAIL;
    if (stream == SIMT_STREAM_TAIL)
        child->race.tail_index = child->parent->tails++;
    if (race_on)
        race_launch(&child->race, &launcher->race, &current.block->race, current.thread->number,
                    stream);
    if (!copy_arguments(child, site, arguments, argument_sizes, argument_count))
        return;
    policy_grids_take_turns();
    grids.totals.children++;
    grids.totals.child_blocks += limits_count(grid);
    grids.totals.child_threads += limits_count(grid) * limits_count(block);
    grids.pending++;
    budget_add_budget(limits_steps(grid, block, 0));
    enqueue(child, launcher);
    if (rules.order == SCHEDULE_REVERSE || (rules.order == SCHEDULE_RANDOM && policy_draw(2) == 0))
        schedule_yield(); /* the child may go first */
}
