/* SPDX-License-Identifier: MIT
 *
 * The simulator's implementation of engine.h.
 */
#include "run.h"

#include "arrays.h"
#include "bounded_operations.h"
#include "cluster.h"
#include "counters.h"
#include "decided.h"
#include "exact.h"
#include "faults.h"
#include "grids.h"
#include "heap.h"
#include "interpret.h"
#include "limits.h"
#include "modules.h"
#include "place_names.h"
#include "policy.h"
#include "quick.h"
#include "rooms.h"
#include "shared.h"
#include "tensor.h"
#include "textures.h"
#include "undefined.h"
#include "weak.h"

#include "engine.h"
#include "input_values.h"
#include "points.h"
#include "source_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

struct engine {
    bool is_open;
    struct engine_limits limits;
};

static struct engine engine;

const struct engine_kind *engine_kind(void)
{
    return &engine_kinds[ENGINE_SIM];
}

unsigned int engine_threads(void)
{
    return 1;
}

size_t engine_batch(const struct engine *unused)
{
    (void)unused;
    return 1;
}

enum engine_status engine_open(const struct engine_limits *limits, struct engine **opened,
                               char *reason, size_t reason_size)
{
    *opened = NULL;
    if (engine.is_open) {
        snprintf(reason, reason_size,
                 "this process has an open simulator already, and a process can have only one");
        return ENGINE_ERROR;
    }
    if (!arrays_open() || !shared_open() || !quick_open()) {
        snprintf(reason, reason_size, "cannot reserve 16 GiB of address space for arrays");
        return ENGINE_ERROR;
    }
    machine.floats = limits->floats == FLOATS_EXACT               ? &exact_operations
                     : limits->floats == FLOATS_BOUNDED           ? &bounded_operations
                     : limits->floats == FLOATS_BOUNDED_ANY_ORDER ? &bounded_in_any_order
                                                                  : NULL;
    if (!modules_load(NULL, reason, reason_size))
        return ENGINE_ERROR;
    engine = (struct engine){true, *limits};
    *opened = &engine;
    return ENGINE_OK;
}

void engine_close(struct engine *closed)
{
    if (closed == NULL)
        return;
    decided_forget();
    dispatch_close();
    grids_close();
    weak_close();
    race_close();
    modules_forget();
    textures_start();
    arrays_close();
    shared_close();
    quick_close();
    closed->is_open = false;
}

void engine_describe(struct engine *unused, char *text, size_t size)
{
    (void)unused;
#ifdef __clang__
    snprintf(text, size, "simulator of PTX, compiled by %s", __VERSION__); /* "Clang 14.0.6" */
#else
    snprintf(text, size, "simulator of PTX, compiled by gcc %s", __VERSION__);
#endif
}

bool engine_load(const char *path, char *reason, size_t reason_size)
{
    decided_forget();
    return modules_load(path, reason, reason_size);
}

const char *engine_lacks(const struct engine *unused, enum need need)
{
    (void)unused;
    return need == NEEDS_TAIL_LAUNCH && modules_launch_as_cuda_11()
               ? "tail launches need CUDA Toolkit 12 or newer"
               : NULL;
}

/* ---- Arrays ---- */

/* The regions of a buffer with few rows. A region for each row notices accesses past a row. The
 * buffer's own region then only collects their contents. */
enum { MAX_ROWS = 256, ROWS_IN_ALL = 1024 };

static const struct invocation *invocation;
static struct region *buffers[MAX_BUFFERS];
static uint64_t handles[MAX_BUFFERS]; /* of its views */
static struct {
    struct region whole[MAX_BUFFERS];
    struct region *first[MAX_BUFFERS]; /* null: the buffer is one region */
    char names[ROWS_IN_ALL][96];
    uint32_t count;
} rows;

void run_set_written(struct region *region)
{
    memset(region->written, 1, region->bytes);
    region->missing = 0;
}

/* Fills the region with the buffer's elements from `first` on. */
static void fill_buffer(struct region *region, const struct buffer *plan, uint64_t first,
                        struct values values)
{
    size_t bytes = element_size(plan->element);
    uint64_t valued = region->bytes / bytes - plan->padding;

    if (plan->role == ROLE_LOG) {
        memset(region->host, 0, region->bytes);
        run_set_written(region);
    } else if (plan->role == ROLE_INPUT || plan->role == ROLE_INOUT) {
        const struct filling filling = values_filling(plan, values);
        bool is_copy = plan->fill == FILL_DATA && machine.floats == NULL;
        if (is_copy && valued > 0)
            memcpy(region->host, (const char *)plan->data + first * bytes, valued * bytes);
        for (uint64_t i = 0; i < valued && !is_copy; i++) {
            uint64_t bits = machine.floats != NULL ? machine.floats->input(&filling, first + i)
                                                   : values_filled(&filling, first + i);
            memcpy(region->host + i * bytes, &bits, bytes);
        }
        memset(region->host + valued * bytes, 0, plan->padding * bytes);
        run_set_written(region);
        region->is_writable = plan->role != ROLE_INPUT && !region->is_constant;
    } else {
        memset(region->host, GARBAGE, region->bytes);
        memset(region->written, 0, region->bytes);
        region->missing = region->bytes;
    }
}

static struct region *find_variable(const char *symbol)
{
    for (uint32_t r = 0; r < machine.region_count; r++)
        if (strcmp(machine.regions[r].name, symbol) == 0)
            return &machine.regions[r];
    return NULL;
}

/* Initializes memory: the modules' variables, and the heap if kernels allocate. */
bool run_start_memory(void)
{
    modules_unload_all();
    arrays_start();
    textures_start();
    machine.grids = 0;
    return modules_place_variables() && (!modules_allocate() || heap_start());
}

static uint64_t row_count(const struct buffer *plan)
{
    return plan->row > 0 ? plan->count / plan->row : 1;
}

/* Returns the address of that row of buffer k. */
static uint64_t address_of(uint32_t k, uint64_t row)
{
    const struct buffer *plan = &invocation->buffers[k];

    return rows.first[k] != NULL ? rows.first[k][row].low
                                 : buffers[k]->low + row * plan->row * element_size(plan->element);
}

/* Makes a region for each row. Returns the region for the contents of the buffer, or null if there
 * is no room. */
static struct region *place_rows(uint32_t k)
{
    const struct buffer *plan = &invocation->buffers[k];
    const struct buffer row_of = {.name = plan->name, .row = 1};
    size_t bytes = element_size(plan->element);

    for (uint64_t r = 0; r < row_count(plan); r++) {
        char *name = rows.names[rows.count++];
        struct region *region;
        buffer_place(&row_of, r, name, sizeof *rows.names);
        name[strlen(name) - strlen("[0]")] = '\0';
        region = arrays_add(name, plan->row, (uint32_t)bytes);
        if (region == NULL)
            return NULL;
        rows.first[k] = r == 0 ? region : rows.first[k];
    }
    if (!rooms_take_region(&rows.whole[k], buffer_bytes(plan), 0))
        return NULL;
    rows.whole[k].element_bytes = (uint32_t)bytes;
    rows.whole[k].name = plan->name;
    return &rows.whole[k];
}

static struct region *place_buffer(uint32_t k)
{
    const struct buffer *plan = &invocation->buffers[k];
    uint64_t count = row_count(plan), bytes = element_size(plan->element);

    rows.first[k] = NULL;
    if (plan->variable != NULL)
        return find_variable(plan->variable);
    if (plan->fill == FILL_STRUCTS)
        bytes = (uint64_t)plan->high;
    if (plan->row > 0 && count > 0 && count <= MAX_ROWS && rows.count + count <= ROWS_IN_ALL)
        return place_rows(k);
    if (plan->address != 0)
        return arrays_place(plan->name, buffer_bytes(plan) / bytes, (uint32_t)bytes, plan->address,
                            NULL);
    return arrays_add(plan->name, buffer_bytes(plan) / bytes, (uint32_t)bytes);
}

/* Fills an array of structs. */
static void fill_structs(struct region *region, const struct buffer *plan)
{
    uint64_t size = (uint64_t)plan->high, low = (uint64_t)plan->low;

    for (uint64_t k = 0; k < region->bytes / size; k++) {
        char *to = region->host + k * size;
        memcpy(to, invocation->bytes + low, size);
        for (uint32_t p = 0; p < invocation->pointer_count; p++) {
            const struct pointer *pointer = &invocation->pointers[p];
            const struct buffer *target = &invocation->buffers[pointer->buffer];
            uint64_t address = address_of(pointer->buffer, target->row > 0 ? k : 0);
            if (pointer->at >= low && pointer->at < low + size)
                memcpy(to + (pointer->at - low), &address, sizeof address);
        }
    }
    run_set_written(region);
    region->is_writable = false;
}

static void fill_buffers(struct values values)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        if (plan->variable != NULL && plan->role == ROLE_INITIAL)
            continue;
        if (plan->fill == FILL_STRUCTS)
            fill_structs(buffers[k], plan);
        else if (rows.first[k] == NULL)
            fill_buffer(buffers[k], plan, 0, values);
        else
            for (uint64_t r = 0; r < row_count(plan); r++)
                fill_buffer(&rows.first[k][r], plan, r * plan->row, values);
    }
}

/* Places a captured variable at its address on the GPU, too, for pointers to it. Returns false
 * after a fault. */
static bool place_variables(void)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        struct region *placed;
        if (plan->variable == NULL || plan->address == 0)
            continue;
        placed = arrays_place(plan->name, plan->count, (uint32_t)element_size(plan->element),
                              plan->address, buffers[k]->host);
        if (placed == NULL) {
            record_fault(FAULT_UNSUPPORTED, "there is no room for %s at its address", plan->name);
            return false;
        }
        *placed = *buffers[k];
        placed->low = plan->address;
    }
    return true;
}

/* Makes the handles of textures and surfaces. Returns false after a fault. */
static bool place_views(void)
{
    for (uint32_t k = 0; k < invocation->view_count; k++) {
        const struct view *view = &invocation->views[k];
        struct region *variable;
        handles[k] = textures_add(view, buffers[view->buffer]->low);
        if (view->variable == NULL)
            continue;
        variable = find_variable(view->variable);
        if (variable == NULL || variable->bytes != sizeof handles[k]) {
            record_fault(FAULT_LAUNCH, "the code has no variable %s for a handle", view->variable);
            return false;
        }
        memcpy(variable->host, &handles[k], sizeof handles[k]);
        run_set_written(variable);
    }
    return true;
}

static bool place_buffers(struct values values)
{
    if (!run_start_memory()) {
        record_fault(FAULT_UNSUPPORTED,
                     "the variables do not fit in the simulator's address space");
        return false;
    }
    rows.count = 0;
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *plan = &invocation->buffers[k];
        bool is_variable = plan->variable != NULL;
        buffers[k] = place_buffer(k);
        if (is_variable && plan->role == ROLE_INITIAL)
            continue;
        if (buffers[k] == NULL && !is_variable) {
            record_fault(FAULT_UNSUPPORTED,
                         "the buffers do not fit in the simulator's address space");
            return false;
        }
        if (buffers[k] == NULL || buffers[k]->bytes != buffer_bytes(plan)) {
            record_fault(FAULT_LAUNCH, "the code has no variable %s of %zu bytes", plan->name,
                         buffer_bytes(plan));
            return false;
        }
        if (is_variable) {
            buffers[k]->element_bytes = (uint32_t)element_size(plan->element);
            buffers[k]->is_untyped = false;
        }
    }
    fill_buffers(values);
    return place_variables() && place_views();
}

static void check_written(const struct region *region)
{
    if (region->missing != 0 && region->undefined.place != NULL) {
        uint64_t at = region->undefined.offset;
        if (!region->written[at]) {
            report_undefined_output(region);
            return;
        }
    }
    for (uint64_t i = 0; region->missing != 0 && i < region->bytes; i++) {
        if (region->written[i])
            continue;
        record_fault(FAULT_UNWRITTEN_OUTPUT,
                     "the kernel does not write %s[%zu]; %s has %zu elements", region->name,
                     (size_t)(i / region->element_bytes), region->name,
                     (size_t)(region->bytes / region->element_bytes));
        return;
    }
}

static void collect_rows(uint32_t k, bool is_checked)
{
    uint64_t bytes = rows.first[k]->bytes;

    for (uint64_t r = 0; r < row_count(&invocation->buffers[k]); r++) {
        memcpy(buffers[k]->host + r * bytes, rows.first[k][r].host, bytes);
        if (is_checked && recorded_fault() == NULL)
            check_written(&rows.first[k][r]);
    }
}

static void collect(void *const results[MAX_BUFFERS])
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        enum role role = invocation->buffers[k].role;
        bool is_checked = role != ROLE_INPUT && role != ROLE_SCRATCH;
        if (rows.first[k] != NULL)
            collect_rows(k, is_checked);
        else if (is_checked && buffers[k] != NULL)
            check_written(buffers[k]);
        if (machine.floats != NULL && buffers[k] != NULL)
            machine.floats->finish(k, &invocation->buffers[k], buffers[k]->host);
        if (results[k] != NULL && buffers[k] != NULL)
            memcpy(results[k], buffers[k]->host, buffers[k]->bytes);
    }
}

/* ---- A launch ---- */

static void copy_variable(unsigned char *to, const char *symbol, uint32_t size)
{
    const struct region *region = find_variable(symbol);

    if (region != NULL && region->bytes >= size)
        memcpy(to, region->host, size);
}

static void bind_map(unsigned char *to, const struct tensor_map *map, uint32_t size)
{
    unsigned char bytes[STORED_MAP_BYTES];

    tensor_store_map(map, buffers[map->buffer]->low, bytes);
    memcpy(to, bytes, size < sizeof bytes ? size : sizeof bytes);
}

/* Writes the parameters in their memory layout. */
static void bind_parameters(unsigned char *parameters, const struct function_code *code,
                            const struct host_launch *launch)
{
    unsigned char bytes[MAX_ARGUMENT_BYTES];

    memcpy(bytes, invocation->bytes, sizeof bytes);
    for (uint32_t p = 0; p < invocation->pointer_count; p++) {
        uint64_t address = address_of(invocation->pointers[p].buffer, 0);
        memcpy(bytes + invocation->pointers[p].at, &address, sizeof address);
    }
    for (uint32_t a = 0; a < launch->argument_count && a < code->parameter_count; a++) {
        const struct argument *argument = &invocation->arguments[launch->first_argument + a];
        uint32_t size = (uint32_t)code->function->parameters[a]->bytes;
        unsigned char *to = parameters + code->parameter_offsets[a];
        if (argument->kind == ARGUMENT_BUFFER)
            memcpy(to, &buffers[argument->value]->low, size < 8 ? size : 8);
        else if (argument->kind == ARGUMENT_VIEW)
            memcpy(to, &handles[argument->value], size < 8 ? size : 8);
        else if (argument->kind == ARGUMENT_BYTES)
            memcpy(to, &bytes[argument->value], size);
        else if (argument->kind == ARGUMENT_MAP)
            bind_map(to, &invocation->maps[argument->value], size);
        else if (argument->kind == ARGUMENT_VARIABLE)
            copy_variable(to, invocation->variables[launch->first_argument + a], size);
        else
            memcpy(to, &argument->value, size < 8 ? size : 8);
    }
}

static void out_of_race_memory(void)
{
    record_fault(FAULT_UNSUPPORTED, "the race checker is out of memory: try a smaller size");
}

/* Starts the race checker. Weak memory needs its causality order. */
static bool start_races(const struct engine_job *job)
{
    bool is_weak;
    static struct race_memory where = {.name = name_place, .out_of_memory = out_of_race_memory};

    is_weak = job->model == MODEL_INDEPENDENT &&
              (job->schedule.kind == SCHEDULE_WEAK || job->schedule.kind == SCHEDULE_EXECUTION);
    if (job->races == NULL && !is_weak)
        return true;
    where.global_base = (uintptr_t)rooms_host;
    where.global_size = ROOMS_BYTES;
    where.host = arrays_are_foreign() ? arrays_host_of : NULL;
    where.shared_base = machine.shared_races;
    where.shared_size = SHARED_WINDOW;
    if (!race_start(&where, rooms_used(), job->model))
        return false;
    if (is_weak)
        weak_start();
    return true;
}

static void finish_races(const struct engine_job *job, struct engine_outcome *outcome)
{
    size_t before = outcome->race_count + outcome->unordered_count;
    size_t described = before < job->race_capacity ? before : job->race_capacity;
    struct race_count count = race_finish(job->races != NULL ? job->races + described : NULL,
                                          job->race_capacity - described);

    if (job->races == NULL)
        return;
    outcome->race_count += count.races;
    outcome->unordered_count += count.unordered;
    outcome->same_count += count.same;
    outcome->checked += count.checked;
}

enum engine_status run_grids(const struct engine_job *job, const struct host_grid *starts,
                             uint32_t count, struct engine_outcome *outcome)
{
    const struct grid_totals *totals = grids_totals();

    if (!start_races(job)) {
        record_fault(FAULT_CRASH, "the race checker is out of memory");
        return ENGINE_ERROR;
    }
    machine.op = NULL;
    machine.warp = NULL;
    machine.block = NULL;
    if (!dispatch_grids(starts, count, job->schedule.seed))
        record_fault(FAULT_CRASH, "out of memory");
    if (machine.is_weak)
        weak_finish();
    if (race_on)
        finish_races(job, outcome);
    outcome->children += totals->children;
    outcome->child_blocks += totals->child_blocks;
    outcome->child_threads += totals->child_threads;
    outcome->failed_launches += totals->failed_launches;
    if (totals->deepest > outcome->deepest)
        outcome->deepest = totals->deepest;
    grids_release();
    return ENGINE_OK;
}

/* Checks that all blocks of a cooperative launch fit on a GPU at once. Returns false after a
 * fault. */
static bool fits(const struct host_launch *launch, const struct function_code *code)
{
    uint64_t blocks = limits_count(&launch->grid),
             most = limits_resident(code, &launch->block, launch->shared_bytes);

    if (blocks > most)
        record_fault(FAULT_LAUNCH,
                     "too many blocks in cooperative launch: %" PRIu64 ", of which at most %" PRIu64
                     " fit at once on a GPU with 132 multiprocessors of compute capability 9.0",
                     blocks, most);
    return blocks <= most;
}

bool run_check(struct host_grid *start, const char *name)
{
    const struct host_launch *launch = start->launch;
    const struct function_code *code = start->code;
    const char *error =
        limits_error(code, &launch->grid, &launch->block, launch->shared_bytes, launch->opts_in);

    if (error == NULL && code != NULL)
        error = cluster_error(code, &launch->grid, &launch->cluster, launch->is_nonportable,
                              &start->cluster);
    if (error != NULL)
        record_fault(FAULT_LAUNCH, "%s", error);
    else if (code == NULL)
        record_fault(FAULT_LAUNCH,
                     "this program has no kernel '%s': no file exports one of that name", name);
    return error == NULL && code != NULL && (!launch->is_cooperative || fits(launch, code));
}

/* Runs `count` launches, from the first on, that may run at the same time. */
static enum engine_status run_launches(const struct engine_job *job, uint32_t first, uint32_t count,
                                       struct engine_outcome *outcome)
{
    static unsigned char parameters[MAX_LAUNCHES][MAX_ARGUMENT_BYTES + 64 * MAX_ARGUMENTS];
    struct host_launch launches[MAX_LAUNCHES];
    struct host_grid starts[MAX_LAUNCHES];

    for (uint32_t k = 0; k < count; k++) {
        launches[k] = invocation_launch(invocation, first + k);
        launches[k].after >>= first;
        starts[k] = (struct host_grid){.code = modules_kernel(NULL, launches[k].kernel),
                                       .launch = &launches[k],
                                       .parameters = parameters[k]};
        if (!run_check(&starts[k], launches[k].kernel))
            return ENGINE_OK;
        memset(parameters[k], 0, sizeof parameters[k]);
        bind_parameters(parameters[k], starts[k].code, &launches[k]);
    }
    return run_grids(job, starts, count, outcome);
}

/* Returns a limit of instructions of all threads, far above what such launches need. */
static uint64_t step_limit(void)
{
    uint64_t most = 0, elements = 0;

    for (uint32_t b = 0; b < invocation->buffer_count; b++)
        elements += invocation->buffers[b].count;
    for (uint32_t k = 0; k <= invocation->more_count; k++) {
        const struct host_launch launch = invocation_launch(invocation, k);
        most += limits_steps(&launch.grid, &launch.block, elements);
    }
    return 64 * most;
}

static struct nesting with_defaults(struct nesting nesting)
{
    if (nesting.pending == 0)
        nesting.pending = DEFAULT_PENDING;
    if (nesting.wait_depth == 0)
        nesting.wait_depth = DEFAULT_WAIT_DEPTH;
    if (nesting.depth == 0)
        nesting.depth = DEFAULT_DEPTH;
    return nesting;
}

static int compare_strength(const void *one, const void *other)
{
    return ((const struct race *)one)->strong - ((const struct race *)other)->strong;
}

/* Sorts races before unordered strong accesses. GNU's qsort() keeps the order of equal elements. */
static void sort_races(const struct engine_job *job, const struct engine_outcome *outcome)
{
    size_t count = outcome->race_count + outcome->unordered_count;

    if (job->races != NULL && invocation->more_count > 0)
        qsort(job->races, count < job->race_capacity ? count : job->race_capacity,
              sizeof *job->races, compare_strength);
}

/* Returns true if one run of warps in lockstep may decide the outcome of the job under any
 * schedule. */
static bool may_be_decided(const struct engine_job *job)
{
    const struct invocation *asked = job->invocation;
    bool may =
        asked->kernel != NULL && !engine.limits.every_schedule && invocation_is_sequence(asked);

    for (uint32_t k = 0; may && k <= asked->more_count; k++) {
        const struct host_launch launch = invocation_launch(asked, k);
        const struct function_code *code = modules_kernel(NULL, launch.kernel);
        may = code != NULL && !modules_needs_order(code);
    }
    return may;
}

/* Collects which source of its kernels the job has executed. */
static void take_coverage(struct engine_outcome *outcome)
{
    static struct kernel_coverage coverage[MAX_LAUNCHES];
    struct function_code *codes[MAX_LAUNCHES];
    size_t count = 0;

    for (uint32_t k = 0; invocation->kernel != NULL && k <= invocation->more_count; k++) {
        const struct host_launch launch = invocation_launch(invocation, k);
        struct function_code *code =
            (struct function_code *)(uintptr_t)modules_kernel(NULL, launch.kernel);
        if (code != NULL && code->points == NULL)
            code->points = points_make(code);
        if (code != NULL && code->points != NULL)
            codes[count++] = code;
    }
    for (size_t k = 0; k < count; k++) {
        const struct kernel_points *points = codes[k]->points;
        points_read(points);
        coverage[k] = (struct kernel_coverage){modules_number(codes[k]), points->points,
                                               points->reached, points->count};
    }
    for (size_t k = 0; k < count; k++)
        points_clear(codes[k]->points);
    outcome->coverage = coverage;
    outcome->coverage_count = count;
}

static enum engine_status run_once(const struct engine_job *job, struct engine_outcome *outcome);

/* Runs the job so that one run decides. Returns false if it must run as requested. */
static bool decide(const struct engine_job *job, struct engine_outcome *outcome)
{
    struct engine_job quick = *job;

    quick.model = MODEL_LOCKSTEP;
    quick.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    quick.races = NULL;
    quick_races.is_on = true;
    quick_races.is_undecided = false;
    run_once(&quick, outcome);
    quick_races.is_on = false;
    outcome->checked = machine.accesses;
    outcome->points = 0;
    return !quick_races.is_undecided && recorded_fault() == NULL;
}

static enum engine_status run_job(const struct engine_job *job, struct engine_outcome *outcome)
{
    bool may = job->counters == NULL && !job->other_clocks && may_be_decided(job),
         is_kept = may && job->invocation->more_count == 0 &&
                   (machine.floats == NULL || !machine.floats->is_bounded);
    enum engine_status status;

    invocation = job->invocation;
    machine.active_mask = machine.atomic = machine.inexact = machine.clock_read = NULL;
    machine.other_clocks = job->other_clocks;
    reset_fault();
    if (is_kept && decided_find(job, outcome))
        return ENGINE_OK;
    if (may && decide(job, outcome)) {
        const char *outputs[MAX_BUFFERS] = {NULL};
        for (uint32_t k = 0; k < invocation->buffer_count; k++)
            outputs[k] = buffers[k] != NULL ? buffers[k]->host : NULL;
        take_coverage(outcome);
        if (is_kept)
            decided_add(job, outcome, outputs);
        return ENGINE_OK;
    }
    quick_races.is_undecided = false;
    if (job->counters != NULL && job->model == MODEL_LOCKSTEP)
        counters_start(job->counters);
    status = run_once(job, outcome);
    if (outcome->checked == 0) /* barriers and calls were checked, too */
        outcome->checked = machine.accesses + machine.calls;
    if (machine.counters != NULL)
        counters_finish(outcome);
    take_coverage(outcome);
    return status;
}

static void write_place(const struct simt_place *place, char text[SOURCE_LINE])
{
    char file[SOURCE_FILE];

    if (place == NULL)
        return;
    source_path_shorten(place->site.file, file, sizeof file);
    snprintf(text, SOURCE_LINE, "%s:%d", file, place->site.line);
}

bool run_every_schedule(void)
{
    return engine.limits.every_schedule;
}

/* Has SIGPROF end the process once it has used so much more processor time; 0: not any more. */
static void limit_processor_time(double seconds)
{
    struct itimerval limit = {.it_value.tv_sec = (time_t)seconds};

    limit.it_value.tv_usec = (suseconds_t)((seconds - (double)limit.it_value.tv_sec) * 1e6);
    setitimer(ITIMER_PROF, &limit, NULL);
}

void run_start(const struct engine_job *job, uint64_t schedule_seed, uint64_t step_limit)
{
    struct schedule schedule = job->schedule;

    reset_fault();
    forget_origins();
    machine.strict_barriers = engine.limits.strict_barriers;
    machine.warp_barriers = engine.limits.warp_barriers;
    machine.allowed = NULL;
    machine.excused = 0;
    machine.steps = machine.clock = machine.accesses = machine.calls = 0;
    machine.step_limit = engine.limits.steps != 0 ? engine.limits.steps : step_limit;
    start_deadline(engine.limits.deadline_seconds);
    if (engine.limits.killed_seconds > 0)
        limit_processor_time(engine.limits.killed_seconds);
    if (schedule.kind != SCHEDULE_EXECUTION)
        schedule.seed = schedule_seed;
    schedule_start(job->model, &schedule, with_defaults(job->nesting));
}

/* Runs the job once. A random schedule depends on the shape, so that shapes do not all draw
 * alike. */
static enum engine_status run_once(const struct engine_job *job, struct engine_outcome *outcome)
{
    uint64_t shape = (uint64_t)invocation->grid.x << 10 | invocation->block.x;
    enum engine_status status = ENGINE_OK;
    uint32_t together;

    *outcome = (struct engine_outcome){0};
    run_start(job, values_hash(job->schedule.seed, shape), step_limit());
    if (machine.floats != NULL && machine.floats->start != NULL)
        machine.floats->start();
    machine.allowed = invocation->allowed;
    machine.warp_barriers =
        machine.warp_barriers || allowance_has(machine.allowed, ALLOWED_WARP_BARRIERS);
    policy.output = invocation->prints ? stdout : NULL;
    if (invocation->refusal[0] != '\0') {
        record_fault(FAULT_LAUNCH, "%s", invocation->refusal);
        return ENGINE_OK;
    }
    if (!place_buffers(job->values))
        return ENGINE_OK;
    together = invocation_is_sequence(invocation) ? 1 : invocation->more_count + 1;
    for (uint32_t k = 0; invocation->kernel != NULL && k <= invocation->more_count &&
                         status == ENGINE_OK && recorded_fault() == NULL;
         k += together) {
        status = run_launches(job, k, together, outcome);
        if (quick_races.is_undecided)
            return status;
    }
    sort_races(job, outcome);
    if (recorded_fault() == NULL)
        collect(job->results);
    for (uint32_t k = 0;
         machine.floats != NULL && machine.floats->bounds != NULL && k < invocation->buffer_count;
         k++)
        outcome->bounds[k] = machine.floats->bounds(k);
    if (recorded_fault() == NULL)
        heap_report_leaks();
    outcome->steps = machine.accesses;
    outcome->points = schedule_points();
    outcome->excused = machine.excused;
    write_place(machine.inexact, outcome->inexact);
    write_place(machine.clock_read, outcome->clock);
    return status;
}

void run_finish(struct engine_outcome *outcome)
{
    if (engine.limits.killed_seconds > 0)
        limit_processor_time(0);
    if (recorded_fault() != NULL)
        outcome->fault = *recorded_fault();
    write_place(machine.active_mask, outcome->active_mask);
    write_place(machine.atomic, outcome->atomic);
}

enum engine_status engine_run(struct engine *unused, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes)
{
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        enum engine_status status = run_job(&jobs[i], &outcomes[i]);
        run_finish(&outcomes[i]);
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[i];
            return status;
        }
    }
    return ENGINE_OK;
}
