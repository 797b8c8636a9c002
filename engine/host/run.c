/* SPDX-License-Identifier: MIT
 *
 * The host engine's side of engine.h. There is one host engine a process, for the compiler's
 * callbacks carry an address and nothing else.
 */
#include "counters.h"
#include "deadline.h"
#include "fault.h"
#include "grids.h"
#include "limits.h"
#include "memory.h"
#include "rules.h"
#include "source.h"
#include "spin.h"
#include "steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct engine {
    bool open;
    struct engine_limits limits;
};

static struct engine host;

const struct engine_kind *engine_kind(void)
{
    return &engine_kinds[ENGINE_HOST];
}

unsigned int engine_threads(void)
{
    return 1;
}

enum engine_status engine_open(const struct engine_limits *limits, struct engine **engine,
                               char *reason, size_t reason_size)
{
    *engine = NULL;
    if (host.open) {
        snprintf(reason, reason_size, "a process has one host engine, and it is open already");
        return ENGINE_ERROR;
    }
    if (!memory_open(reason, reason_size))
        return ENGINE_ERROR;
    if (!deadline_open()) {
        snprintf(reason, reason_size, "cannot set up signal handlers: %s", strerror(errno));
        memory_close();
        return ENGINE_ERROR;
    }
    host = (struct engine){true, *limits};
    *engine = &host;
    return ENGINE_OK;
}

void engine_close(struct engine *engine)
{
    if (engine == NULL)
        return;
    deadline_set(0);
    grids_close();
    race_close();
    memory_close();
    source_close();
    engine->open = false;
}

void engine_describe(struct engine *engine, char *text, size_t size)
{
    (void)engine;
    snprintf(text, size, "host engine, %s, compiled by %s",
#if defined(__x86_64__)
             "x86-64",
#else
             "aarch64",
#endif
             __VERSION__);
}

/* The profile of each job decides. */
const char *engine_lacks(const struct engine *engine, enum need need)
{
    (void)engine;
    (void)need;
    return NULL;
}

size_t engine_batch(const struct engine *engine)
{
    (void)engine;
    return 1;
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

static void out_of_race_memory(void)
{
    fault_record(FAULT_CRASH, "needs more memory to look for races than there is");
}

/* Looks for races, where the job asks for it; false when there is no memory. */
static bool start_races(const struct engine_job *job)
{
    static struct race_memory where = {.name = memory_name, .out_of_memory = out_of_race_memory};

    if (job->races == NULL)
        return true;
    where.global_base = memory.global_base;
    where.global_size = memory.global_size;
    where.shared_base = memory.shared_base;
    where.shared_size = memory.shared_size;
    return race_start(&where, memory_used(), job->model);
}

static void finish_races(const struct engine_job *job, struct engine_outcome *outcome)
{
    struct race_count count = race_finish(job->races, job->race_capacity);

    outcome->race_count = count.races;
    outcome->unordered_count = count.unordered;
    outcome->checked = count.checked;
}

static uint64_t elements_of(const struct invocation *invocation)
{
    uint64_t elements = 0;

    for (uint32_t b = 0; b < invocation->buffer_count; b++)
        elements += invocation->buffers[b].count;
    return elements;
}

/* Everything of the job but its fault is in the outcome. */
static enum engine_status run_job(const struct engine_job *job, struct engine_outcome *outcome)
{
    const struct invocation *invocation = job->invocation;
    const char *error =
        limits_error(&invocation->grid, &invocation->block, invocation->shared_bytes);
    bool launches = invocation->kernel != NULL, ran;
    const struct simt_kernel *kernel = launches ? simt_kernel_find(invocation->kernel) : NULL;

    *outcome = (struct engine_outcome){0};
    fault_reset();
    spin_start();
    counters_start(job->model == MODEL_LOCKSTEP ? job->counters : NULL);
    steps_start(host.limits.steps != 0
                    ? host.limits.steps
                    : limits_steps(&invocation->grid, &invocation->block, elements_of(invocation)));
    rules_start(job->model, &job->schedule, with_defaults(job->nesting));
    rules.prints = invocation->prints;
    if (launches && (kernel == NULL || error != NULL)) {
        fault_record(FAULT_LAUNCH, "%s",
                     error != NULL ? error : "this program has no kernel of that name");
        return ENGINE_OK;
    }
    if (!memory_place(invocation, job->values)) {
        fault_record(FAULT_CRASH, "the buffers do not fit the host engine's address space");
        return ENGINE_ERROR;
    }
    if (!start_races(job)) {
        fault_record(FAULT_CRASH, "there is no memory to look for races");
        return ENGINE_ERROR;
    }
    deadline_set(host.limits.deadline_seconds);
    ran = !launches || grids_run(invocation, kernel, job->schedule.seed);
    deadline_set(0);
    if (race_on)
        finish_races(job, outcome);
    if (launches) {
        outcome->children = grids_totals()->children;
        outcome->child_blocks = grids_totals()->child_blocks;
        outcome->child_threads = grids_totals()->child_threads;
        outcome->failed_launches = grids_totals()->failed_launches;
        outcome->deepest = grids_totals()->deepest;
    }
    if (counters_on)
        counters_finish(outcome->children, outcome->child_threads);
    grids_release();
    if (!ran) {
        fault_record(FAULT_CRASH, "out of memory");
        return ENGINE_ERROR;
    }
    if (!fault_came() && !fault_noted())
        memory_collect(job->results);
    memory_release();
    return ENGINE_OK;
}

enum engine_status engine_run(struct engine *engine, const struct engine_job *jobs, size_t count,
                              struct engine_outcome *outcomes)
{
    (void)engine;
    for (size_t i = 0; i < count; i++) {
        enum engine_status status = run_job(&jobs[i], &outcomes[i]);
        outcomes[i].fault = *fault_located();
        outcomes[i].steps = steps.made;
        outcomes[i].points = rules_points();
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[i];
            return status;
        }
    }
    return ENGINE_OK;
}
