/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "arrays.h"
#include "cluster.h"
#include "faults.h"
#include "grids.h"
#include "interpret.h"
#include "last_stores.h"
#include "limits.h"
#include "nested.h"
#include "place_names.h"
#include "places.h"
#include "policy.h"
#include "rooms.h"
#include "schedule.h"
#include "shared.h"
#include "undefined.h"
#include "weak.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/time.h>

static struct engine_limits limits;

void run_set_limits(const struct engine_limits *chosen)
{
    limits = *chosen;
}

bool run_every_schedule(void)
{
    return limits.every_schedule;
}

/* ---- Grids ---- */

static void out_of_race_memory(void)
{
    record_reason(FAULT_UNSUPPORTED, "the race checker is out of memory: try a smaller size");
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
    where.focus = job->focus;
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

    /* A race of equal values may be allowed. */
    keep_postponed(count.races > count.same);
    if (job->races == NULL)
        return;
    outcome->race_count += count.races;
    outcome->unordered_count += count.unordered;
    outcome->same_count += count.same;
    outcome->checked += count.checked;
}

static void write_line(const struct simt_place *place, char text[SOURCE_LINE])
{
    char file[SOURCE_FILE];
    int line;

    if (place != NULL && text[0] == '\0' && source_line(place, file, sizeof file, &line))
        snprintf(text, SOURCE_LINE, "%s:%d", file, line);
}

static void take_waits(struct engine_outcome *outcome)
{
    const struct simt_place *unwaited, *unjoined;

    nested_find_unwaited(&unwaited, &unjoined);
    write_line(unwaited, outcome->unwaited);
    write_line(unjoined, outcome->unjoined);
    write_line(grids_totals()->waited, outcome->waited);
}

enum engine_status run_grids(const struct engine_job *job, const struct host_grid *starts,
                             uint32_t count, struct engine_outcome *outcome)
{
    const struct grid_totals *totals = grids_totals();

    if (!start_races(job)) {
        record_reason(FAULT_CRASH, "the race checker is out of memory");
        return ENGINE_ERROR;
    }
    machine.op = NULL;
    machine.warp = NULL;
    machine.block = NULL;
    if (!dispatch_grids(starts, count, job->schedule.seed))
        record_reason(FAULT_CRASH, "out of memory");
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
    take_waits(outcome);
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
        record_reason(FAULT_LAUNCH,
                      "too many blocks in cooperative launch: %" PRIu64
                      ", of which at most %" PRIu64
                      " fit at once on a GPU with 132 multiprocessors of compute capability 9.0",
                      blocks, most);
    return blocks <= most;
}

bool run_check_limits(struct host_grid *start, const char *name)
{
    const struct host_launch *launch = start->launch;
    const struct function_code *code = start->code;
    const char *error =
        limits_error(code, &launch->grid, &launch->block, launch->shared_bytes, launch->opts_in);

    if (error == NULL && code != NULL)
        error = cluster_error(code, &launch->grid, &launch->cluster, launch->is_nonportable,
                              &start->cluster);
    if (error != NULL)
        record_reason(FAULT_LAUNCH, "%s", error);
    else if (code == NULL)
        record_reason(FAULT_LAUNCH,
                      "this program has no kernel '%s': no file exports one of that name", name);
    return error == NULL && code != NULL && (!launch->is_cooperative || fits(launch, code));
}

/* ---- The start and the end of a run ---- */

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

/* Has SIGPROF end the process once it has used so much more processor time; 0: not any more. */
static void limit_processor_time(double seconds)
{
    struct itimerval limit = {.it_value.tv_sec = (time_t)seconds};

    limit.it_value.tv_usec = (suseconds_t)((seconds - (double)limit.it_value.tv_sec) * 1e6);
    setitimer(ITIMER_PROF, &limit, NULL);
}

void run_forget_remarks(void)
{
    machine.active_mask = machine.atomic = machine.inexact = machine.clock_read = NULL;
    machine.missed[0] = machine.parted[0] = NULL;
}

void run_start(const struct engine_job *job, uint64_t schedule_seed, uint64_t step_limit)
{
    struct schedule schedule = job->schedule;

    reset_fault();
    forget_origins();
    machine.explains = job->focus != NULL;
    if (machine.explains)
        last_stores_start();
    machine.strict_barriers = limits.strict_barriers;
    machine.warp_barriers = limits.warp_barriers;
    machine.allowed = NULL;
    machine.excused = 0;
    machine.steps = machine.clock = machine.accesses = machine.calls = 0;
    machine.step_limit = limits.steps != 0 ? limits.steps : step_limit;
    start_deadline(limits.deadline_seconds);
    if (limits.killed_seconds > 0)
        limit_processor_time(limits.killed_seconds);
    if (schedule.kind != SCHEDULE_EXECUTION)
        schedule.seed = schedule_seed;
    schedule_start(job->model, &schedule, with_defaults(job->nesting));
}

void run_finish(struct engine_outcome *outcome)
{
    if (limits.killed_seconds > 0)
        limit_processor_time(0);
    if (recorded_fault() != NULL)
        outcome->fault = *recorded_fault();
    source_text(machine.active_mask, outcome->active_mask);
    source_text(machine.atomic, outcome->atomic);
}
