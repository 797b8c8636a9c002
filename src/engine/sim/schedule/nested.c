/* SPDX-License-Identifier: MIT */
#include "nested.h"

#include "array.h"
#include "cluster.h"
#include "faults.h"
#include "grids.h"
#include "limits.h"
#include "modules.h"
#include "policy.h"

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
    if (policy.nesting.profile == PROFILE_CDP2 && grids.pending >= policy.nesting.pending) {
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
                            SAYS_PASSES_LOCAL, .object = private_memory(address));
    }
}

uint64_t nested_create_stream(void)
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

int nested_launch(struct warp *warp, uint32_t lane, const struct child *given, uint64_t stream)
{
    const struct function_code *code = modules_function_at(given->function);
    uint32_t thread = warp->number * LANES + lane;
    const char *name = NULL;
    struct launcher *launcher;
    struct extent cluster;
    struct grid *child;
    int error;

    if (code == NULL || !code->function->is_entry)
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_NO_KERNEL);
    error = launch_error(code, given, stream, &cluster, &name);
    if (error != 0) {
        warp->errors[lane] = error;
        grids.totals.failed_launches++;
        record_fault_of(FAULT_CHILD_LAUNCH, machine.block, thread, machine.op->place,
                        SAYS_LAUNCH_FAILS, .object = name,
                        .numbers = {given->grid.x, given->block.x, error});
        return error;
    }
    launcher = launches_of(machine.block);
    if (policy.nesting.children > 0 && grids.totals.children >= policy.nesting.children)
        raise_fault(FAULT_RUNAWAY, lane, SAYS_RUNAWAY, .numbers = {policy.nesting.children});
    child = make_grid(&given->grid, &given->block, &cluster, schedule_grid_seed(grids.created));
    if (child != NULL)
        child->parameters = malloc(code->parameter_bytes + 1);
    if (child != NULL && launcher != NULL && is_ordered(stream))
        child->stream = stream_of(launcher, stream);
    if (child == NULL || launcher == NULL || child->parameters == NULL ||
        (is_ordered(stream) && child->stream == NULL)) {
        record_out_of_memory();
        return 0;
    }
    memcpy(child->parameters, given->parameters, code->parameter_bytes);
    child->code = code;
    child->race.kernel = modules_name(code);
    child->shared_bytes = given->shared_bytes;
    child->parent = machine.block->grid;
    child->race.parent = &child->parent->race;
    child->launcher = launcher;
    child->launched_at = machine.op->place;
    child->launching_thread = thread;
    child->launched_after = machine.block->barriers_passed;
    child->unwaited = launcher->unwaited;
    launcher->unwaited = child;
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
    warp->slices = 0; /* it is not tired: otherwise children end before it exceeds the limit */
    for (uint32_t p = 0; p < warp->party_count; p++)
        warp->parties[p].slices = 0;
    enqueue(child, launcher);
    if (policy.order == SCHEDULE_REVERSE ||
        (policy.order == SCHEDULE_RANDOM && schedule_draw(2) == 0))
        machine.gives_way = true; /* the child may go first */
    return 0;
}

/* The order of launch and wait must not depend on the schedule. So a thread waits for what it has
 * launched itself, and for what others have launched before a barrier of the block. */
void nested_wait(const struct block *block, uint32_t thread)
{
    struct grid **next = &block->launcher->unwaited;

    while (*next != NULL) {
        struct grid *child = *next;
        if (child->launching_thread == thread || child->launched_after < block->barriers_passed) {
            child->is_waited = true;
            child->waited_after = block->barriers_passed;
            *next = child->unwaited;
        } else {
            next = &child->unwaited;
        }
    }
}

void nested_find_unwaited(const struct simt_place **unwaited, const struct simt_place **unjoined)
{
    *unwaited = *unjoined = NULL;
    for (const struct grid *grid = grids.last_created; grid != NULL; grid = grid->created) {
        if (grid->parent == NULL)
            continue;
        if (!grid->is_waited)
            *unwaited = grid->launched_at;
        else if (grid->waited_after == grid->launcher->barriers &&
                 limits_count(&grid->parent->block) > 1)
            *unjoined = grid->launched_at;
    }
}
