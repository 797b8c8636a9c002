/* SPDX-License-Identifier: MIT
 *
 * The simulator's implementation of launches.h.
 */
#include "access.h"
#include "arrays.h"
#include "buffers.h"
#include "faults.h"
#include "grids.h"
#include "happens_before.h"
#include "heap.h"
#include "limits.h"
#include "modules.h"
#include "policy.h"
#include "quick.h"
#include "rooms.h"
#include "run.h"
#include "snapshot.h"
#include "tensor.h"
#include "textures.h"

#include "launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)LAUNCHES_TOGETHER == (int)HOST_GRIDS, "one run has as many grids");
_Static_assert((int)LAUNCH_MAP_BYTES == (int)STORED_MAP_BYTES, "the size of CUtensorMap");

static const struct launch_rules *rules;

bool launches_start(struct engine *unused, const struct launch_rules *given)
{
    (void)unused;
    rules = given;
    race_forget();
    if (given->order_bytes != 0)
        happens_before_most = given->order_bytes;
    return buffers_start_memory();
}

void launches_forget(void)
{
    race_forget();
}

bool launches_are_full(void)
{
    return race_is_full();
}

static bool has_unloaded;

bool launches_leak(struct fault *fault)
{
    reset_fault();
    if (!has_unloaded) /* The place of a malloc() goes with its module. */
        heap_report_leaks();
    if (recorded_fault() != NULL)
        *fault = *recorded_fault();
    return recorded_fault() != NULL;
}

void launches_end(void)
{
    race_forget();
    buffers_start_memory();
}

/* ---- Memory ---- */

static void *address_of(const struct region *region)
{
    return region != NULL ? (void *)(uintptr_t)region->low : NULL;
}

/* Most elements of memory without a type have at least 4 bytes. */
static void set_untyped(struct region *region)
{
    region->is_untyped = true;
    if (region->low % 4 == 0)
        region->granule = 2;
}

void *launches_allocate(const char *name, size_t count, size_t element_bytes)
{
    struct region *region = arrays_add(name, count, (uint32_t)element_bytes);

    if (region != NULL && element_bytes == 1)
        set_untyped(region);
    return address_of(region);
}

void *launches_share(const char *name, size_t bytes)
{
    struct region *region = arrays_share(name, bytes, 1);

    if (region == NULL)
        return NULL;
    set_untyped(region);
    memset(region->host, 0, bytes);
    arrays_set_written(region);
    return address_of(region);
}

void *launches_place(const char *name, void *address, size_t bytes, void *host)
{
    struct region *region = arrays_place(name, bytes, 1, (uintptr_t)address, host);

    if (region == NULL)
        return NULL;
    set_untyped(region);
    if (host != NULL)
        arrays_set_written(region);
    return address_of(region);
}

/* Finds the memory that an address is in. */
static enum memory_status find_region(const void *address, struct region **region)
{
    uint64_t at = (uintptr_t)address;

    *region = arrays_find(at);
    if ((*region)->name == NULL || (at - (*region)->low >= (*region)->bytes &&
                                    (at != (*region)->low || (*region)->host == NULL)))
        return MEMORY_UNKNOWN;
    return (*region)->host != NULL ? MEMORY_OK : MEMORY_FREED;
}

static enum memory_status find_range(const void *address, size_t bytes, struct region **region,
                                     uint64_t *offset)
{
    enum memory_status status = find_region(address, region);

    if (status != MEMORY_OK)
        return status;
    *offset = (uintptr_t)address - (*region)->low;
    return bytes <= (*region)->bytes - *offset ? MEMORY_OK : MEMORY_OUT_OF_BOUNDS;
}

enum memory_status launches_find(const void *address, struct launch_memory *memory)
{
    struct region *region;
    enum memory_status status = find_region(address, &region);

    if (status != MEMORY_UNKNOWN)
        *memory = (struct launch_memory){address_of(region), region->bytes, region->name};
    return status;
}

enum memory_status launches_free(void *address)
{
    struct region *region;
    enum memory_status status = find_region(address, &region);

    if (status != MEMORY_OK)
        return status;
    if (region->low != (uintptr_t)address)
        return MEMORY_NOT_START;
    arrays_remove(region);
    return MEMORY_OK;
}

static uint64_t count_unwritten(const uint8_t *written, size_t bytes)
{
    uint64_t count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += !written[i];
    return count;
}

static void set_written(struct region *region, uint64_t offset, size_t bytes)
{
    if (region->missing == 0)
        return;
    region->missing -= count_unwritten(region->written + offset, bytes);
    memset(region->written + offset, 1, bytes);
}

enum memory_status launches_copy_in(void *to, const void *from, size_t bytes)
{
    struct region *region;
    uint64_t offset;
    enum memory_status status = find_range(to, bytes, &region, &offset);

    if (status != MEMORY_OK)
        return status;
    machine.changes++;
    memmove(region->host + offset, from, bytes);
    set_written(region, offset, bytes);
    return MEMORY_OK;
}

enum memory_status launches_fill(void *to, int byte, size_t bytes)
{
    struct region *region;
    uint64_t offset;
    enum memory_status status = find_range(to, bytes, &region, &offset);

    if (status != MEMORY_OK)
        return status;
    machine.changes++;
    memset(region->host + offset, byte, bytes);
    set_written(region, offset, bytes);
    return MEMORY_OK;
}

/* Returns the first unwritten byte of a range that is not padding, or null. Padding is shorter than
 * the alignment of its structure, and ends at a multiple of it. Threads store no more bytes at once
 * than the alignment. In an array of numbers, an unwritten element is as wide as each store. */
static const uint8_t *find_unwritten(const struct region *region, uint64_t offset, size_t bytes)
{
    const uint8_t *end = region->written + region->bytes, *stop = region->written + offset + bytes;
    const uint8_t *first, *low, *high = region->written + offset;

    while (high < stop && (first = memchr(high, 0, (size_t)(stop - high))) != NULL) {
        for (low = first; low > region->written && !low[-1] && first - low < region->widest;)
            low--;
        for (high = first; high < end && !*high && high - low < region->widest;)
            high++;
        if (high - low >= region->widest || (high - region->written) % region->widest != 0)
            return first;
    }
    return NULL;
}

/* Returns whether a range looks like the results in a buffer that has room for more: something is
 * written, and more than half is not. Programs copy such buffers as a whole. */
static bool has_spare_room(const struct region *region, uint64_t offset, size_t bytes)
{
    uint64_t missing = count_unwritten(region->written + offset, bytes);

    return !region->has_undefined && missing > bytes / 2 && missing < bytes;
}

enum memory_status launches_copy_out(void *to, const void *from, size_t bytes, size_t *unwritten)
{
    struct region *region;
    uint64_t offset;
    enum memory_status status = find_range(from, bytes, &region, &offset);
    const uint8_t *first;

    if (status != MEMORY_OK)
        return status;
    memmove(to, region->host + offset, bytes);
    first = region->missing != 0 ? find_unwritten(region, offset, bytes) : NULL;
    if (first == NULL || has_spare_room(region, offset, bytes))
        return MEMORY_OK;
    if (unwritten != NULL)
        *unwritten = (size_t)(first - region->written) - offset;
    return MEMORY_UNWRITTEN;
}

enum memory_status launches_copy(void *to, const void *from, size_t bytes)
{
    struct region *target, *source;
    uint64_t at, offset;
    enum memory_status status = find_range(to, bytes, &target, &at);

    if (status == MEMORY_OK)
        status = find_range(from, bytes, &source, &offset);
    if (status != MEMORY_OK)
        return status;
    machine.changes++;
    memmove(target->host + at, source->host + offset, bytes);
    if (source->missing == 0) {
        set_written(target, at, bytes);
        return MEMORY_OK;
    }
    if (target->widest < source->widest)
        target->widest = source->widest;
    target->has_undefined = target->has_undefined || source->has_undefined;
    target->missing -= count_unwritten(target->written + at, bytes);
    memmove(target->written + at, source->written + offset, bytes);
    target->missing += count_unwritten(target->written + at, bytes);
    return MEMORY_OK;
}

/* ---- Modules ---- */

static const struct function_code *code_of(const struct launch_kernel *kernel)
{
    return (const struct function_code *)(const void *)kernel;
}

struct launch_module *launches_load(const struct launch_text *texts, size_t count, char *reason,
                                    size_t reason_size)
{
    struct launch_module *module = modules_add(texts, count, reason, reason_size);

    if (module == NULL || !modules_allocate() || heap_start())
        return module;
    snprintf(reason, reason_size, "too little memory is left for malloc() in kernels");
    modules_unload(module);
    return NULL;
}

void launches_unload(struct launch_module *module)
{
    machine.changes++;
    has_unloaded = true;
    modules_unload(module);
}

const struct launch_kernel *launches_kernel(const struct launch_module *module, const char *name)
{
    return (const struct launch_kernel *)(const void *)modules_kernel(module, name);
}

bool launches_variable(const struct launch_module *module, const char *name, void **address,
                       size_t *bytes)
{
    const struct region *region = modules_variable(module, name);

    if (region == NULL)
        return false;
    *address = address_of(region);
    *bytes = region->bytes;
    return true;
}

bool launches_managed(const struct launch_module *module, size_t number,
                      struct launch_memory *memory)
{
    const struct region *region = modules_shared_variable(module, number);

    if (region == NULL)
        return false;
    *memory = (struct launch_memory){address_of(region), region->bytes, region->name};
    return true;
}

static uint64_t constant_bytes(const struct module *module)
{
    uint64_t bytes = 0;

    for (size_t v = 0; v < module->variable_count; v++)
        if (module->variables[v]->space == SPACE_CONST && modules_is_placed(module->variables[v]))
            bytes += module->variables[v]->bytes;
    return bytes;
}

void launches_kernel_facts(const struct launch_kernel *kernel, struct launch_kernel_facts *facts)
{
    const struct function_code *code = code_of(kernel);
    const struct function *function = code->function;
    const uint32_t *threads = function->threads, *cluster = function->cluster;
    uint64_t most = (uint64_t)threads[0] * threads[1] * threads[2];

    *facts = (struct launch_kernel_facts){
        .shared_bytes = code->shared_bytes,
        .constant_bytes = (uint32_t)constant_bytes(&code->module->module),
        .local_bytes = code->local_bytes,
        .most_threads = most != 0                     ? (uint32_t)most
                        : function->most_threads != 0 ? function->most_threads
                                                      : SIMT_BLOCK_THREADS,
        .threads = {threads[0], threads[1], threads[2]},
        .cluster = {cluster[0], cluster[1], cluster[2]},
        .needs_cluster = function->needs_cluster,
        .parameter_count = code->parameter_count,
        .parameter_bytes = code->parameter_bytes,
        .version = code->module->module.version,
        .target = code->module->module.target,
    };
}

bool launches_parameter(const struct launch_kernel *kernel, uint32_t number, uint32_t *offset,
                        uint32_t *bytes)
{
    const struct function_code *code = code_of(kernel);

    if (number >= code->parameter_count)
        return false;
    *offset = code->parameter_offsets[number];
    *bytes = (uint32_t)code->function->parameters[number]->bytes;
    return true;
}

uint32_t launches_resident(const struct launch_kernel *kernel, uint32_t threads,
                           uint32_t shared_bytes)
{
    const struct extent block = {threads, 1, 1};

    if (threads == 0 || threads > SIMT_BLOCK_THREADS)
        return 0;
    return (uint32_t)(limits_resident(code_of(kernel), &block, shared_bytes) / MULTIPROCESSORS);
}

/* ---- Arguments ---- */

void launches_encode_map(const struct tensor_map *map, const void *address,
                         unsigned char bytes[LAUNCH_MAP_BYTES])
{
    tensor_store_map(map, (uintptr_t)address, bytes);
}

uint64_t launches_add_view(const struct view *view, const void *address)
{
    struct region *region;
    uint64_t offset;

    return find_range(address, textures_bytes(view), &region, &offset) == MEMORY_OK
               ? textures_add(view, (uintptr_t)address)
               : 0;
}

void launches_drop_view(uint64_t handle)
{
    machine.changes++;
    textures_remove(handle);
}

/* ---- Launches ---- */

/* Copies the arguments to their places in the parameters, which start_grid() has made. */
static void bind_arguments(const struct function_code *code, void *const *arguments,
                           unsigned char *parameters)
{
    for (uint32_t p = 0; p < code->parameter_count; p++)
        memcpy(parameters + code->parameter_offsets[p], arguments[p],
               code->function->parameters[p]->bytes);
}

/* Prepares one of the grids. Returns false after a fault. */
static bool start_grid(const struct launch *launch, struct host_launch *made,
                       struct host_grid *start)
{
    const struct function_code *code = code_of(launch->kernel);

    *made = (struct host_launch){
        .grid = launch->grid,
        .block = launch->block,
        .shared_bytes = launch->shared_bytes,
        .opts_in = launch->opts_in,
        .is_cooperative = launch->is_cooperative,
        .cluster = launch->cluster,
        .is_nonportable = launch->is_nonportable,
        .after = launch->after,
    };
    *start = (struct host_grid){.code = code, .launch = made, .keep = launch->keep};
    if (!run_check_limits(start, code->name))
        return false;
    start->parameters = calloc(1, code->parameter_bytes + 1);
    if (start->parameters == NULL) {
        record_reason(FAULT_CRASH, "out of memory");
        return false;
    }
    bind_arguments(code, launch->arguments, start->parameters);
    return true;
}

/* Runs launches that may overlap. */
static enum engine_status run_all(const struct engine_job *job, const struct launch *launches,
                                  uint32_t count, struct engine_outcome *outcome)
{
    struct host_launch made[LAUNCHES_TOGETHER];
    struct host_grid starts[LAUNCHES_TOGETHER];
    enum engine_status status = ENGINE_OK;
    uint32_t ready = 0;
    uint64_t steps = 0;

    for (uint32_t k = 0; k < count; k++)
        steps += limits_steps(&launches[k].grid, &launches[k].block, rooms_used());
    run_start(job, job->schedule.seed, 64 * steps);
    policy.output = rules->output;
    machine.changes += machine.snapshot == 0;
    modules_clear_workspaces();
    while (ready < count && start_grid(&launches[ready], &made[ready], &starts[ready])) {
        ready++;
        machine.launch++;
    }
    machine.launch -= ready;
    if (ready == count)
        status = run_grids(job, starts, count, outcome);
    for (uint32_t k = 0; k < ready; k++)
        free(starts[k].parameters);
    outcome->steps += machine.accesses;
    outcome->points += schedule_points();
    return status;
}

/* Launches that have changed nothing: memory was the same before and after them. `changes`: the
 * value of machine.changes at that time. A run that decides depends on its parameters and on memory
 * only, since the clock starts anew in each. So the same launch changes nothing again, until
 * something else changes memory. The host may change placed memory unseen. */
enum { IDLE_LAUNCHES = 32, IDLE_BYTES = 4096 };
static struct idle {
    struct launch launch;
    unsigned char parameters[IDLE_BYTES];
    uint64_t changes;
} idle[IDLE_LAUNCHES];

static bool is_same_idle(const struct idle *one, const struct launch *launch)
{
    const struct launch *kept = &one->launch;
    const struct function_code *code = code_of(launch->kernel);
    bool is_same = one->changes == machine.changes && kept->kernel == launch->kernel &&
                   memcmp(&kept->grid, &launch->grid, sizeof kept->grid) == 0 &&
                   memcmp(&kept->block, &launch->block, sizeof kept->block) == 0 &&
                   memcmp(&kept->cluster, &launch->cluster, sizeof kept->cluster) == 0 &&
                   kept->shared_bytes == launch->shared_bytes && kept->opts_in == launch->opts_in &&
                   kept->is_cooperative == launch->is_cooperative &&
                   kept->is_nonportable == launch->is_nonportable &&
                   kept->is_unchecked == launch->is_unchecked;

    for (uint32_t p = 0; is_same && p < code->parameter_count; p++)
        is_same = memcmp(one->parameters + code->parameter_offsets[p], launch->arguments[p],
                         code->function->parameters[p]->bytes) == 0;
    return is_same;
}

static bool is_idle(const struct launch *launch)
{
    for (uint32_t k = 0; k < IDLE_LAUNCHES; k++)
        if (is_same_idle(&idle[k], launch))
            return true;
    return false;
}

static void keep_idle(const struct launch *launch)
{
    static uint32_t next;
    struct idle *one = &idle[next++ % IDLE_LAUNCHES];

    if (code_of(launch->kernel)->parameter_bytes > IDLE_BYTES)
        return;
    one->launch = *launch;
    one->changes = machine.changes;
    bind_arguments(code_of(launch->kernel), launch->arguments, one->parameters);
}

/* Runs a launch so that one run decides for all schedules. Returns false if that run does not
 * decide, which then has no effect. A snapshot costs less than the exact race checker. Without race
 * detection, the run in lockstep is faster than one that takes the lanes one by one. */
static bool decide(const struct engine_job *job, const struct launch *launch,
                   struct engine_outcome *outcome)
{
    enum { SNAPSHOT_BYTES = 1 << 20, BYTES_OF_THREAD = 256 };
    const struct engine_outcome before = *outcome;
    struct engine_job quick = *job;
    const uint64_t changes = machine.changes;
    bool is_decided;

    if ((job->races == NULL && (launch->skips_races || job->model == MODEL_LOCKSTEP)) ||
        run_every_schedule() || modules_needs_order(code_of(launch->kernel)))
        return false;
    if (is_idle(launch))
        return true;
    quick.model = MODEL_LOCKSTEP;
    quick.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    quick.races = NULL;
    snapshot_start(SNAPSHOT_BYTES +
                   BYTES_OF_THREAD * limits_count(&launch->grid) * limits_count(&launch->block));
    quick_races.is_on = true;
    quick_races.is_undecided = machine.meets_placed = false;
    run_all(&quick, launch, 1, outcome);
    is_decided = !quick_races.is_undecided && recorded_fault() == NULL;
    quick_races.is_on = quick_races.is_undecided = false;
    snapshot_end(!is_decided);
    if (!is_decided) {
        *outcome = before;
        return false;
    }
    outcome->checked += machine.accesses;
    outcome->points = before.points;
    if (machine.changes == changes && !machine.meets_placed)
        keep_idle(launch);
    return true;
}

/* Returns true if each launch begins when the one before it is complete. */
static bool is_sequence(const struct launch *launches, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++)
        if ((launches[k].after >> (k - 1) & 1) == 0)
            return false;
    return true;
}

/* Returns true if a launch may race with those of earlier or later runs. */
static bool spans_runs(const struct launch *launches, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (launches[k].keep != 0 || race_meets_kept(k))
            return true;
    return false;
}

static bool skip_races(const struct launch *launches, uint32_t count)
{
    uint32_t skipped = 0;

    while (skipped < count && (launches[skipped].skips_races || launches[skipped].is_unchecked))
        skipped++;
    return skipped == count;
}

/* Runs a launch that begins when the one before it is complete. */
static enum engine_status run_alone(const struct engine_job *given, const struct launch *launches,
                                    uint32_t number, struct engine_outcome *outcome)
{
    struct launch alone = launches[number];
    struct engine_job job = *given;
    enum engine_status status = ENGINE_OK;

    alone.after = 0;
    job.races = alone.skips_races || alone.is_unchecked ? NULL : job.races;
    machine.launch = number;
    if (!decide(&job, &alone, outcome))
        status = run_all(&job, &alone, 1, outcome);
    return status;
}

static const char *error_of(const struct launch *launches, uint32_t count)
{
    if (count == 0 || count > LAUNCHES_TOGETHER)
        return "one run has 1 to 32 launches";
    for (uint32_t k = 0; k < count; k++) {
        if (launches[k].kernel == NULL)
            return "this program has no kernel of that name";
        if (launches[k].after >> k != 0)
            return "a launch can begin only after launches before it";
    }
    return NULL;
}

enum engine_status launches_run(const struct launch *launches, uint32_t count,
                                struct engine_outcome *outcome)
{
    struct engine_job job = {.model = rules->model,
                             .schedule = rules->schedule,
                             .races = rules->races,
                             .race_capacity = rules->race_capacity};
    const char *error = error_of(launches, count);
    enum engine_status status = ENGINE_OK;

    *outcome = (struct engine_outcome){.fault.kind = FAULT_NONE};
    if (error != NULL) {
        fault_set(&outcome->fault, FAULT_LAUNCH, "%s", error);
        return ENGINE_ERROR;
    }
    reset_fault();
    run_forget_remarks();
    machine.copies = 0;
    for (uint32_t k = 0; k < count; k++) {
        machine.unchecked |= (uint32_t)launches[k].is_unchecked << k;
        machine.copies |= (uint32_t)launches[k].is_copy << k;
    }
    machine.goes_on = true;
    race_comes_before = rules->comes_before;
    access_signal = rules->signal;
    access_look = rules->look;
    grids_copied = rules->copied;
    race_review();
    if (is_sequence(launches, count) && !(job.races != NULL && spans_runs(launches, count))) {
        for (uint32_t k = 0; k < count && status == ENGINE_OK && recorded_fault() == NULL; k++)
            status = run_alone(&job, launches, k, outcome);
    } else {
        job.races = skip_races(launches, count) ? NULL : job.races;
        machine.launch = 0;
        status = run_all(&job, launches, count, outcome);
    }
    if (recorded_fault() != NULL)
        race_forget();
    run_finish(outcome);
    outcome->passed = take_passed_fault();
    machine.unchecked = 0;
    machine.goes_on = false;
    return status;
}
