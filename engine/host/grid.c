/* SPDX-License-Identifier: MIT
 *
 * Grids, the blocks of each, and the launches of kernels by kernels.
 *
 * A block that has started has a team of fibers. The dispatcher, on the stack of engine_run(), lets
 * one team run until it is done, waits for its children, or gives way; then it chooses again among
 * the teams that can run and the grids that have blocks to start:
 *
 *   sequential   the oldest grid: children run late, when the blocks of their parents are done
 *   reverse      the youngest: a child runs at once, before its parent goes on
 *   random       any
 *   delays       as sequential, but a block whose threads are all held back goes last
 *
 * What orders grids is what the CUDA C++ Programming Guide says of dynamic parallelism: the null
 * stream of a block is in order and different blocks are free of each other; a fire-and-forget
 * launch waits for nothing; tail launches run one after the other once the blocks of their parent
 * and all its other children are complete; a grid is complete when its blocks and all its children
 * are.
 */
#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Blocks that are started and not done, from which on none is started but of the youngest grid:
 * each needs stacks. */
enum { MANY_TEAMS = 16 };

static void run_out_of_memory(void)
{
    host_record(FAULT_CRASH, "needs more memory than there is");
}

/* ---- Grids ---- */

const char *grid_launch_error(const struct extent *grid, const struct extent *block,
                              uint32_t shared_bytes)
{
    /* CUDA C++ Programming Guide, technical specifications per compute capability. */
    if (grid->x == 0 || grid->y == 0 || grid->z == 0 || block->x == 0 || block->y == 0 ||
        block->z == 0)
        return "invalid configuration argument: an extent is 0";
    if ((uint64_t)block->x * block->y * block->z > MAX_BLOCK_THREADS || block->z > 64)
        return "invalid configuration argument: a block has at most 1024 threads, 64 in z";
    if (grid->x > INT32_MAX || grid->y > UINT16_MAX || grid->z > UINT16_MAX)
        return "invalid configuration argument: the grid is too large";
    if (shared_bytes > 48 * 1024)
        return "invalid argument: more than 48 KiB of dynamic shared memory";
    return NULL;
}

static uint64_t count_of(const struct extent *extent)
{
    return (uint64_t)extent->x * extent->y * extent->z;
}

uint64_t grid_step_budget(const struct extent *grid, const struct extent *block)
{
    return (UINT64_C(1) << 20) + 4096 * count_of(grid) * count_of(block);
}

/* A random order of `count` blocks; null when memory runs out. */
static uint32_t *permute_blocks(uint64_t count, uint64_t seed)
{
    uint32_t *permutation = malloc(count * sizeof *permutation);

    for (uint32_t i = 0; permutation != NULL && i < count; i++) {
        uint32_t j = (uint32_t)(values_hash(seed, i) % (i + 1));
        permutation[i] = permutation[j];
        permutation[j] = i;
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
    grid->blocks = count_of(extent);
    grid->serial = host.grids++;
    grid->created = host.last_created;
    host.last_created = grid;
    if (host.order == SCHEDULE_RANDOM && grid->blocks > 1) {
        grid->permutation = permute_blocks(grid->blocks, seed);
        if (grid->permutation == NULL)
            return NULL;
    }
    return grid;
}

/* The grid may start its blocks. */
static void make_ready(struct grid *grid)
{
    if (host.ready_head > 0 && host.ready_tail == host.ready_capacity) {
        host.ready_tail -= host.ready_head;
        memmove(host.ready, host.ready + host.ready_head, host.ready_tail * sizeof *host.ready);
        host.ready_head = 0;
    }
    struct grid **ready =
        memory_grown(host.ready, &host.ready_capacity, host.ready_tail + 1, sizeof *host.ready);
    if (ready == NULL) {
        run_out_of_memory();
        return;
    }
    host.ready = ready;
    host.ready[host.ready_tail++] = grid;
}

/* Takes ready[index] off the list, whose order stays that of becoming ready. */
static void take_ready(uint32_t index)
{
    if (index == host.ready_head) {
        host.ready_head++;
        return;
    }
    host.ready_tail--;
    memmove(host.ready + index, host.ready + index + 1,
            (host.ready_tail - index) * sizeof *host.ready);
}

static void check_complete(struct grid *grid);

static void complete(struct grid *grid)
{
    struct grid *parent = grid->parent;
    struct launcher *launcher = grid->launcher;

    if (parent == NULL)
        return;
    launcher->open--;
    if (host.racing)
        race_complete(grid);
    if (grid->stream == STREAM_TAIL) {
        parent->first_tail = grid->next;
        if (grid->next != NULL)
            make_ready(grid->next);
    } else {
        parent->open--;
        if (launcher->last == grid)
            launcher->last = NULL;
        if (grid->stream == STREAM_NULL && grid->next != NULL)
            make_ready(grid->next);
    }
    if (launcher->open == 0 && launcher->team != NULL && launcher->team->scheduler.syncing > 0)
        schedule_wake(launcher->team);
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
        if (host.racing)
            race_first_tail(grid->first_tail);
        make_ready(grid->first_tail);
    }
}

/* ---- Blocks ---- */

static struct team *new_team(void)
{
    struct team *team = host.free_teams;

    if (team != NULL) {
        host.free_teams = team->next;
        return team;
    }
    team = calloc(1, sizeof *team);
    if (team != NULL && !memory_make_stacks(team)) {
        free(team);
        return NULL;
    }
    return team;
}

/* Block number k of the schedule's order, as coordinates. */
static struct extent block_in_order(const struct grid *grid, uint64_t k)
{
    uint64_t number = k;

    if (grid->permutation != NULL)
        number = grid->permutation[k];
    else if (host.order == SCHEDULE_REVERSE)
        number = grid->blocks - 1 - k;
    return (struct extent){(uint32_t)(number % grid->extent.x),
                           (uint32_t)(number / grid->extent.x % grid->extent.y),
                           (uint32_t)(number / grid->extent.x / grid->extent.y)};
}

/* Starts the next block of ready[index]; null when memory runs out. */
static struct team *start_block(uint32_t index)
{
    struct grid *grid = host.ready[index];
    struct team *team = new_team();

    struct team **teams =
        memory_grown(host.teams, &host.team_capacity, host.team_count + 1, sizeof *host.teams);

    if (team == NULL || teams == NULL) {
        run_out_of_memory();
        return NULL;
    }
    host.teams = teams;
    if (grid->started == 0 && grid->parent != NULL)
        host.pending--;
    if (grid->depth > host.deepest)
        host.deepest = grid->depth;
    team->grid = grid;
    team->block = block_in_order(grid, grid->started);
    team->launches = NULL;
    if (team->shared_copy != NULL) {
        free(team->shared_copy);
        team->shared_copy = NULL;
    }
    if (++grid->started == grid->blocks)
        take_ready(index);
    host.teams[host.team_count++] = team;
    host.team = team;
    memory_start_block();
    schedule_start(team);
    if (unlikely(host.racing))
        race_start_block(team);
    return team;
}

/* The block is done: its team may be another's. */
static void end_block(struct team *team)
{
    uint32_t place = 0;

    if (team->launches != NULL)
        team->launches->team = NULL;
    while (host.teams[place] != team)
        place++;
    host.team_count--;
    memmove(host.teams + place, host.teams + place + 1,
            (host.team_count - place) * sizeof *host.teams);
    team->next = host.free_teams;
    host.free_teams = team;
    if (unlikely(host.racing))
        race_end_block(team);
    team->grid->finished++;
    check_complete(team->grid);
}

/* ---- The dispatcher ---- */

enum { NONE = -1 };

static bool is_able(const struct team *team, bool deferred)
{
    return schedule_can_run(team) && team->scheduler.deferred == deferred;
}

/* A team that can run and is, or is not, deferred: the oldest, the youngest, or a random one; NONE
 * when there is none. */
static int64_t choose_team(bool deferred)
{
    uint32_t able = 0, wanted = 0;

    for (uint32_t t = 0; t < host.team_count; t++)
        able += is_able(host.teams[t], deferred);
    if (able == 0)
        return NONE;
    if (host.order == SCHEDULE_REVERSE)
        wanted = able - 1;
    else if (host.order == SCHEDULE_RANDOM)
        wanted = schedule_draw(able);
    for (uint32_t t = 0;; t++)
        if (is_able(host.teams[t], deferred) && wanted-- == 0)
            return t;
}

static uint32_t youngest_ready(void)
{
    uint32_t youngest = host.ready_head;

    for (uint32_t r = host.ready_head + 1; r < host.ready_tail; r++)
        if (host.ready[r]->serial > host.ready[youngest]->serial)
            youngest = r;
    return youngest;
}

/* A grid that has a block to start; NONE when there is none. */
static int64_t choose_grid(void)
{
    if (host.ready_head == host.ready_tail)
        return NONE;
    if (host.order == SCHEDULE_REVERSE || host.team_count >= MANY_TEAMS)
        return youngest_ready();
    if (host.order == SCHEDULE_RANDOM)
        return host.ready_head + schedule_draw(host.ready_tail - host.ready_head);
    return host.ready_head;
}

/* Is a block of that grid to start, though that team could run? */
static bool starts_first(const struct grid *grid, const struct team *team)
{
    if (host.order == SCHEDULE_REVERSE)
        return grid->serial > team->grid->serial;
    return host.order == SCHEDULE_RANDOM && host.nested && host.team_count < MANY_TEAMS &&
           schedule_draw(2) == 0;
}

/* The team to run next, started if need be; null when all is done or memory has run out. */
static struct team *choose(void)
{
    int64_t team = choose_team(false), grid = choose_grid();

    if (team == NONE && (grid == NONE || host.team_count >= MANY_TEAMS))
        team = choose_team(true);
    if (team != NONE && (grid == NONE || !starts_first(host.ready[grid], host.teams[team]))) {
        host.team = host.teams[team];
        return host.team;
    }
    return grid != NONE ? start_block((uint32_t)grid) : NULL;
}

static void dispatch(void)
{
    struct team *last = NULL;

    while (host.fault.kind == FAULT_NONE) {
        struct team *team = choose();
        if (team == NULL)
            break;
        if (team->scheduler.started && team != last)
            memory_resume_block(team);
        team->scheduler.started = true;
        schedule_run();
        last = team;
        if (host.fault.kind != FAULT_NONE)
            break;
        if (schedule_is_done(team)) {
            last = NULL;
            end_block(team);
        } else {
            memory_leave_block(team);
        }
    }
    for (uint32_t t = 0; host.fault.kind == FAULT_NONE && t < host.team_count; t++)
        collective_blame(host.teams[t]);
    if (host.fault.kind == FAULT_NONE && host.team_count > 0)
        host_record(FAULT_STEP_BUDGET, "waits for a child grid that cannot complete");
}

void grid_release(void)
{
    while (host.last_created != NULL) {
        struct grid *grid = host.last_created;
        host.last_created = grid->created;
        free(grid->permutation);
        free(grid);
    }
    for (uint32_t i = 0; i < host.launch_record_count; i++)
        free(host.launch_records[i]);
    host.launch_record_count = 0;
    host.ready_head = host.ready_tail = 0;
}

/* Overrun stacks are looked for in every team; those that a fault has left behind are free again.
 */
static void finish_teams(void)
{
    while (host.team_count > 0) {
        struct team *team = host.teams[--host.team_count];
        team->next = host.free_teams;
        host.free_teams = team;
    }
    for (struct team *team = host.free_teams; team != NULL; team = team->next)
        schedule_finish(team);
    if (host.fault.kind != FAULT_NONE)
        for (struct team *team = host.free_teams; team != NULL; team = team->next)
            for (uint32_t i = 0; i < MAX_BLOCK_THREADS; i++)
                team->fibers[i].prepared = false;
    host.team = NULL;
}

static void bind_arguments(struct grid *grid)
{
    const struct invocation *invocation = host.invocation;

    for (uint32_t a = 0; a < invocation->argument_count; a++) {
        const struct argument *argument = &invocation->arguments[a];
        grid->arguments[a] = &grid->argument_words[a];
        if (argument->kind == ARGUMENT_BUFFER)
            memcpy(grid->arguments[a], &host.buffers[argument->value].base, sizeof(char *));
        else
            memcpy(grid->arguments[a], &argument->value, sizeof argument->value);
    }
}

bool grid_run(const struct simt_kernel *kernel, uint64_t seed)
{
    const struct invocation *invocation = host.invocation;
    struct grid *grid;

    host.grids = host.pending = 0;
    host.nested = false;
    grid = make_grid(&invocation->grid, &invocation->block, seed);
    if (grid != NULL) {
        memcpy(&grid->function, &kernel->function, sizeof grid->function);
        grid->invoke = kernel->invoke;
        bind_arguments(grid);
        schedule_grant();
        make_ready(grid);
        dispatch();
        finish_teams();
    }
    return grid != NULL;
}

/* ---- Nested launches ---- */

static struct launcher *launches_of(struct team *team)
{
    struct launcher **records;

    if (team->launches != NULL)
        return team->launches;
    records = memory_grown(host.launch_records, &host.launch_record_capacity,
                           host.launch_record_count + 1, sizeof *host.launch_records);
    if (records == NULL)
        return NULL;
    host.launch_records = records;
    team->launches = calloc(1, sizeof *team->launches);
    if (team->launches != NULL) {
        team->launches->team = team;
        host.launch_records[host.launch_record_count++] = team->launches;
    }
    return team->launches;
}

/* The error that the launch gives, as the runtime numbers them, and its name; 0: none. */
static int launch_error(const struct extent *grid, const struct extent *block, size_t shared_bytes,
                        enum stream stream, const char **name)
{
    if (grid_launch_error(grid, block,
                          shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)shared_bytes)) {
        *name = "cudaErrorInvalidConfiguration";
        return ERROR_CONFIGURATION;
    }
    if (host.nesting.profile == PROFILE_CDP1 && stream != STREAM_NULL) {
        *name = "cudaErrorInvalidResourceHandle";
        return ERROR_RESOURCE_HANDLE;
    }
    if (host.nesting.profile == PROFILE_CDP1 && host.team->grid->depth >= host.nesting.depth) {
        *name = "cudaErrorLaunchMaxDepthExceeded";
        return ERROR_MAX_DEPTH;
    }
    if (host.pending >= host.nesting.pending) {
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
    if (child->stream == STREAM_TAIL) {
        if (parent->first_tail == NULL)
            parent->first_tail = child;
        else
            parent->last_tail->next = child;
        parent->last_tail = child;
        return;
    }
    parent->open++;
    if (child->stream == STREAM_NULL) {
        struct grid *before = launcher->last;
        launcher->last = child;
        if (before != NULL) {
            before->next = child;
            return;
        }
    }
    make_ready(child);
}

void simt_launch(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                 const struct extent *grid, const struct extent *block, size_t shared_bytes,
                 void *stream, void *const *arguments, const size_t *argument_sizes,
                 unsigned int argument_count);

void simt_launch(const struct simt_site *site, void (*function)(void), simt_invoke invoke,
                 const struct extent *grid, const struct extent *block, size_t shared_bytes,
                 void *stream, void *const *arguments, const size_t *argument_sizes,
                 unsigned int argument_count)
{
    enum stream kind = (enum stream)(uintptr_t)stream;
    const char *name = NULL;
    struct launcher *launcher;
    struct grid *child;
    int error;

    schedule_step(__builtin_return_address(0));
    error = launch_error(grid, block, shared_bytes, kind, &name);
    launcher = launches_of(host.team);

    if (error != 0) {
        host.current->error = error;
        host.failed_launches++;
        host_record_at(FAULT_CHILD_LAUNCH, site,
                       "launches a child grid <<<%u, %u>>>, which fails: %s (%d)", grid->x,
                       block->x, name, error);
        return;
    }
    child = make_grid(grid, block, values_hash(host.random_state, host.grids));
    if (child == NULL || launcher == NULL || argument_count > MAX_ARGUMENTS) {
        run_out_of_memory();
        return;
    }
    child->function = function;
    child->invoke = invoke;
    child->parent = host.team->grid;
    child->launcher = launcher;
    child->depth = child->parent->depth + 1;
    child->stream = kind;
    if (kind == STREAM_TAIL)
        child->tail_index = child->parent->tails++;
    if (host.racing)
        race_launch(child);
    for (unsigned int a = 0; a < argument_count; a++) {
        uintptr_t address;
        if (argument_sizes[a] > sizeof child->argument_words[a]) {
            host_record_at(FAULT_UNSUPPORTED, site,
                           "launches a kernel with an argument of %zu bytes", argument_sizes[a]);
            return;
        }
        child->arguments[a] = &child->argument_words[a];
        memcpy(child->arguments[a], arguments[a], argument_sizes[a]);
        memcpy(&address, &child->argument_words[a], sizeof address);
        if (argument_sizes[a] == sizeof address && memory_private(address) != NULL)
            host_record_at(FAULT_PRIVATE_POINTER, site,
                           "hands a pointer to its %s memory to a child grid",
                           memory_private(address));
    }
    host.nested = true;
    host.children++;
    host.child_threads += count_of(grid) * count_of(block);
    host.pending++;
    host.budget += grid_step_budget(grid, block);
    enqueue(child, launcher);
    if (host.order == SCHEDULE_REVERSE || (host.order == SCHEDULE_RANDOM && schedule_draw(2) == 0))
        schedule_yield(); /* the child may go first */
}

int simt_last_error(void);

/* cudaGetLastError() of a kernel. */
int simt_last_error(void)
{
    int error = host.current->error;
    host.current->error = 0;
    return error;
}
