/* SPDX-License-Identifier: MIT
 *
 * The simulator's implementation of engine.h.
 */
#include "arrays.h"
#include "bounded_operations.h"
#include "buffers.h"
#include "counters.h"
#include "decided.h"
#include "exact.h"
#include "faults.h"
#include "grids.h"
#include "heap.h"
#include "limits.h"
#include "modules.h"
#include "places.h"
#include "policy.h"
#include "quick.h"
#include "run.h"
#include "shared.h"
#include "textures.h"
#include "weak.h"

#include "engine.h"
#include "points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    bool is_open;
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
    run_set_limits(limits);
    engine.is_open = true;
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

/* ---- A job ---- */

static const struct invocation *invocation;

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
        if (!run_check_limits(&starts[k], launches[k].kernel))
            return ENGINE_OK;
        memset(parameters[k], 0, sizeof parameters[k]);
        buffers_bind(parameters[k], starts[k].code, &launches[k]);
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
    bool may = asked->kernel != NULL && !run_every_schedule() && invocation_is_sequence(asked);

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

/* Adds a clause about a barrier and what is elsewhere. */
static void write_clause(char text[BARRIERS_TEXT], const char *start, const char *middle,
                         const struct simt_place *const places[2])
{
    size_t used = strlen(text);
    char barrier[SOURCE_LINE], other[SOURCE_LINE];

    if (places[0] == NULL)
        return;
    source_text(places[0], barrier);
    source_text(places[1], other);
    snprintf(text + used, BARRIERS_TEXT - used, "%s%s at %s %s at %s", used > 0 ? ", and " : "",
             start, other, middle, barrier);
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
        record_reason(FAULT_LAUNCH, "%s", invocation->refusal);
        return ENGINE_OK;
    }
    if (!buffers_place(invocation, job->values))
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
        buffers_collect(job->results);
    for (uint32_t k = 0;
         machine.floats != NULL && machine.floats->bounds != NULL && k < invocation->buffer_count;
         k++)
        outcome->bounds[k] = machine.floats->bounds(k);
    if (recorded_fault() == NULL)
        heap_report_leaks();
    outcome->steps = machine.accesses;
    outcome->instructions = machine.steps;
    outcome->points = schedule_points();
    outcome->excused = machine.excused;
    source_text(machine.inexact, outcome->inexact);
    source_text(machine.clock_read, outcome->clock);
    source_text(policy.prints, outcome->prints);
    memcpy(outcome->printed, policy.digests, sizeof outcome->printed);
    write_clause(outcome->barriers, "lanes of a warp end", "while others of it wait at the barrier",
                 machine.missed);
    write_clause(outcome->barriers, "warps of a block wait at different barriers,", "and",
                 machine.parted);
    return status;
}

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
    bool may = job->counters == NULL && !job->other_clocks && job->focus == NULL &&
               may_be_decided(job),
         is_kept = may && job->invocation->more_count == 0 &&
                   (machine.floats == NULL || !machine.floats->is_bounded);
    enum engine_status status;

    invocation = job->invocation;
    run_forget_remarks();
    machine.other_clocks = job->other_clocks;
    reset_fault();
    if (is_kept && decided_find(job, outcome))
        return ENGINE_OK;
    if (may && decide(job, outcome)) {
        const char *outputs[MAX_BUFFERS] = {NULL};
        for (uint32_t k = 0; k < invocation->buffer_count; k++)
            outputs[k] = buffers_host(k);
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

bool engine_last_store(uint32_t buffer, uint64_t index, struct fault_place *place)
{
    const struct simt_place *found = machine.explains ? buffers_last_store(buffer, index) : NULL;

    *place = (struct fault_place){.line = 0};
    if (found == NULL || !source_line(found, place->file, sizeof place->file, &place->line))
        return false;
    source_outer(&found->site, place->outer, sizeof place->outer);
    return true;
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
