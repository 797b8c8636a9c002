/* SPDX-License-Identifier: MIT
 *
 * The host engine's side of engine.h. There is one host engine a process, for the compiler's
 * callbacks carry an address and nothing else.
 */
#include "run.h"

#include "budget.h"
#include "busy_wait.h"
#include "counters.h"
#include "deadline.h"
#include "fault.h"
#include "limits.h"
#include "memory.h"
#include "modules.h"
#include "policy.h"
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    bool open;
    struct engine_limits limits;
};

static struct engine host;

const struct engine_kind *engine_kind(void)
{
    return &engine_kinds[modules_are_there() ? ENGINE_PTX : ENGINE_HOST];
}

unsigned int engine_threads(void)
{
    return 1;
}

/* A kernel compiled without the callbacks would come out as free of every fault. */
static bool all_are_told(char *reason, size_t reason_size)
{
    const struct simt_kernel *kernel;

    for (size_t k = 0; (kernel = simt_kernel_at(k)) != NULL; k++)
        if (kernel->probe != NULL && !memory_is_told(kernel->probe)) {
            snprintf(reason, reason_size,
                     "the file of the kernel '%s' was compiled without the checks, and nothing "
                     "would be seen of its accesses: compile it by simtcheck_host_kernels(), with "
                     "-fsanitize=thread and without link-time optimisation",
                     kernel->name);
            return false;
        }
    return true;
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
    if (!all_are_told(reason, reason_size)) {
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
    snprintf(text, size, "%s, %s, compiled by %s",
             modules_are_there() ? "host engine, kernels from PTX" : "host engine",
#if defined(__x86_64__)
             "x86-64",
#else
             "aarch64",
#endif
             __VERSION__);
}

/* Of source kernels the profile of each job decides; of those from PTX the toolkit has. */
const char *engine_lacks(const struct engine *engine, enum need need)
{
    (void)engine;
    if (!modules_are_there() || !modules_launch())
        return NULL;
    if (need == NEEDS_DEVICE_WAIT && !modules_wait())
        return "PTX of CUDA 12 and later has no cudaDeviceSynchronize() on the device";
    if (need == NEEDS_TAIL_LAUNCH && modules_wait())
        return "the CUDA Toolkit has tail launches from version 12 on";
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
    fault_record(FAULT_UNSUPPORTED, "needs more memory than there is for looking for races: a "
                                    "smaller size may do");
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

/* Behind those of the launches before this one, if any. */
static void finish_races(const struct engine_job *job, struct engine_outcome *outcome)
{
    size_t before = outcome->race_count + outcome->unordered_count;
    size_t described = before < job->race_capacity ? before : job->race_capacity;
    struct race_count count = race_finish(job->races + described, job->race_capacity - described);

    outcome->race_count += count.races;
    outcome->unordered_count += count.unordered;
    outcome->same_count += count.same;
    outcome->checked += count.checked;
}

static int compare_strength(const void *one, const void *other)
{
    return ((const struct race *)one)->strong - ((const struct race *)other)->strong;
}

/* Races come first, and then strong accesses in no order: qsort() of GNU's library keeps the order
 * of equals. */
static void sort_races(const struct engine_job *job, const struct engine_outcome *outcome)
{
    size_t count = outcome->race_count + outcome->unordered_count;

    if (job->races != NULL && job->invocation->more_count > 0)
        qsort(job->races, count < job->race_capacity ? count : job->race_capacity,
              sizeof *job->races, compare_strength);
}

static uint64_t elements_of(const struct invocation *invocation)
{
    uint64_t elements = 0;

    for (uint32_t b = 0; b < invocation->buffer_count; b++)
        elements += invocation->buffers[b].count;
    return elements;
}

void run_start(const struct engine_job *job, uint64_t most_steps)
{
    fault_reset();
    busy_wait_start();
    counters_start(job->model == MODEL_LOCKSTEP ? job->counters : NULL);
    budget_start(host.limits.steps != 0 ? host.limits.steps : most_steps);
    policy_start(job->model, &job->schedule, with_defaults(job->nesting));
}

static void count_launches(struct engine_outcome *outcome)
{
    const struct grid_totals *totals = grids_totals();

    outcome->children += totals->children;
    outcome->child_blocks += totals->child_blocks;
    outcome->child_threads += totals->child_threads;
    outcome->failed_launches += totals->failed_launches;
    if (totals->deepest > outcome->deepest)
        outcome->deepest = totals->deepest;
}

enum engine_status run_grid(const struct engine_job *job, const struct first_grid *first,
                            struct engine_outcome *outcome)
{
    bool ran;

    if (first != NULL &&
        modules_refuse((void (*)(void))(uintptr_t)first->kernel->function, &first->block)) {
        fault_record(FAULT_LAUNCH, "invalid configuration argument: the kernel was compiled for "
                                   "other blocks (__launch_bounds__)");
        return ENGINE_OK;
    }
    if (!start_races(job)) {
        fault_record(FAULT_CRASH, "there is no memory to look for races");
        return ENGINE_ERROR;
    }
    deadline_set(host.limits.deadline_seconds);
    ran = first == NULL || grids_run(first, job->schedule.seed);
    deadline_set(0);
    if (race_on)
        finish_races(job, outcome);
    if (first != NULL)
        count_launches(outcome);
    grids_release();
    if (!ran) {
        fault_record(FAULT_CRASH, "out of memory");
        return ENGINE_ERROR;
    }
    return ENGINE_OK;
}

void run_finish(struct engine_outcome *outcome)
{
    if (counters_on)
        counters_finish(outcome->children, outcome->child_threads);
    outcome->fault = *fault_located();
    outcome->steps = steps.made;
    outcome->points = policy_points();
}

/* The arguments of an invocation, and pointers to them. */
struct arguments {
    void *pointers[MAX_ARGUMENTS];
    uint64_t words[MAX_ARGUMENTS];
    unsigned char bytes[MAX_ARGUMENT_BYTES] __attribute__((aligned(16)));
};

static void bind_arguments(struct arguments *bound, const struct invocation *invocation,
                           const struct host_launch *launch)
{
    memcpy(bound->bytes, invocation->bytes, sizeof bound->bytes);
    for (uint32_t p = 0; p < invocation->pointer_count; p++) {
        char *base = memory_buffer(invocation->pointers[p].buffer);
        memcpy(bound->bytes + invocation->pointers[p].at, &base, sizeof base);
    }
    for (uint32_t a = 0; a < launch->argument_count; a++) {
        const struct argument *argument = &invocation->arguments[launch->first_argument + a];
        bound->pointers[a] = &bound->words[a];
        if (argument->kind == ARGUMENT_BUFFER) {
            char *base = memory_buffer((uint32_t)argument->value);
            memcpy(bound->pointers[a], &base, sizeof base);
        } else if (argument->kind == ARGUMENT_BYTES) {
            bound->pointers[a] = &bound->bytes[argument->value];
        } else {
            bound->words[a] = argument->value;
        }
    }
}

static enum engine_status run_launch(const struct engine_job *job, const struct host_launch *launch,
                                     struct engine_outcome *outcome)
{
    const char *error = limits_error(&launch->grid, &launch->block, launch->shared_bytes);
    struct arguments arguments;
    const struct first_grid first = {simt_kernel_find(launch->kernel), launch->grid, launch->block,
                                     launch->shared_bytes, arguments.pointers};

    if (error != NULL || first.kernel == NULL) {
        if (error != NULL)
            fault_record(FAULT_LAUNCH, "%s", error);
        else
            fault_record(FAULT_LAUNCH,
                         "this program has no kernel '%s': none of its files exports one",
                         launch->kernel);
        return ENGINE_OK;
    }
    bind_arguments(&arguments, job->invocation, launch);
    return run_grid(job, &first, outcome);
}

static uint64_t budget_of(const struct invocation *invocation)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k <= invocation->more_count; k++) {
        const struct host_launch launch = invocation_launch(invocation, k);
        most += limits_steps(&launch.grid, &launch.block, elements_of(invocation));
    }
    return most;
}

/* The buffers, and the variables of the kernels' modules. */
static bool place_memory(const struct engine_job *job)
{
    const struct invocation *invocation = job->invocation;
    const struct simt_kernel *kernel =
        invocation->kernel != NULL ? simt_kernel_find(invocation->kernel) : NULL;
    bool of_all = invocation->more_count > 0;

    if (!memory_place(invocation, job->values) ||
        (kernel != NULL &&
         !memory_place_variables(of_all ? NULL : (void (*)(void))(uintptr_t)kernel->function))) {
        fault_record(FAULT_CRASH, "the buffers do not fit the host engine's address space");
        return false;
    }
    memory_fill_variables(job->values);
    return true;
}

/* Everything of the job but its fault is in the outcome. */
static enum engine_status run_job(const struct engine_job *job, struct engine_outcome *outcome)
{
    const struct invocation *invocation = job->invocation;
    enum engine_status status = ENGINE_OK;

    *outcome = (struct engine_outcome){0};
    run_start(job, budget_of(invocation));
    rules.prints = invocation->prints;
    if (invocation->refusal[0] != '\0') {
        fault_record(FAULT_LAUNCH, "%s", invocation->refusal);
        return ENGINE_OK;
    }
    if (!place_memory(job))
        return ENGINE_ERROR;
    if (invocation->kernel == NULL)
        status = run_grid(job, NULL, outcome);
    for (uint32_t k = 0; invocation->kernel != NULL && k <= invocation->more_count &&
                         status == ENGINE_OK && !fault_came() && !fault_noted();
         k++) {
        const struct host_launch launch = invocation_launch(invocation, k);
        status = run_launch(job, &launch, outcome);
    }
    if (status != ENGINE_OK)
        return status;
    sort_races(job, outcome);
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
        run_finish(&outcomes[i]);
        if (status != ENGINE_OK) {
            outcomes[0] = outcomes[i];
            return status;
        }
    }
    return ENGINE_OK;
}
