/* SPDX-License-Identifier: MIT
 *
 * Runs the kernels of a file, and then their mutants in batches: compiles a batch, and proves each
 * of its mutants equivalent or runs it.
 */
#include "accept.h"
#include "batch.h"
#include "interrupt.h"
#include "mutate.h"
#include "parallel.h"
#include "supervisor.h"
#include "user_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The work on one file. Its parts run in parallel. */
struct job {
    struct mutation *mutation;
    struct mutated *mutated;
    struct batch unchanged;             /* the source alone */
    char launches[BATCH_PATH];          /* a user's launch, for workers; "": the catalogue */
    struct mutant **undecided;          /* in the order of the text */
    size_t undecided_count, batch_size; /* the number of mutants in a batch */
};

/* Returns whether another mutant may start: neither after an error or an interrupt nor after the
 * time of --minutes. */
static bool goes_on(const struct mutation *mutation)
{
    return mutation->error[0] == '\0' && !interrupt_came() &&
           !bound_is_over(&mutation->session->sinks->bound);
}

/* ---- Workers ---- */

static bool open_worker(struct mutation *mutation, struct supervisor **supervisor)
{
    char reason[512];
    enum engine_status status = session_start(mutation->session, ENGINE_SIM, REQUEST_RUN,
                                              supervisor, reason, sizeof reason);

    if (status == ENGINE_OK)
        return true;
    if (*supervisor != NULL)
        supervisor_close(*supervisor);
    return mutation_fails(mutation,
                          status == ENGINE_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT,
                          "engine sim: %s", reason);
}

/* Writes the target's kernels in a copy for workers. `use` makes the file's name unique. */
static bool write_module(struct mutation *mutation, const struct batch *batch, size_t copy,
                         const struct mutant_target *target, size_t use, char path[BATCH_PATH])
{
    char end[32];

    snprintf(end, sizeof end, "%zu.ptx", use);
    batch_path(batch, end, path);
    return batch_write_module(batch, copy, target, path) ||
           mutation_fails(mutation, EXIT_ENVIRONMENT, "cannot write '%s': %s", path,
                          strerror(errno));
}

/* Returns whether the simulator can run the module. */
static bool accepts(const char *module, char *error, size_t error_size)
{
    struct decoded *decoded = decode_open(&module, 1, error, error_size);
    bool good = decoded != NULL && decode_accepts(decoded, error, error_size);

    decode_close(decoded);
    return good;
}

/* Writes launches for workers: the user's, or those of a mutant. */
static bool write_launches(struct mutation *mutation, const struct launch_mutant *mutant,
                           const char *path)
{
    FILE *to = fopen(path, "wb");
    bool good = to != NULL &&
                (mutation->is_users ? launch_catalogue_write(to, mutant != NULL ? mutant->launch
                                                                                : &mutation->launch)
                                    : changed_launches_write(to, &mutant->extents));

    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good || mutation_fails(mutation, EXIT_ENVIRONMENT, "cannot write '%s': %s", path,
                                  strerror(errno));
}

/* Runs a module with the launches of a file. Returns false when it cannot go on. */
static bool run(struct mutation *mutation, const struct mutant_target *target,
                struct supervisor *supervisor, const char *module, const char *launches,
                bool learns, struct mutant_verdict *verdict)
{
    supervisor_use(supervisor, module, launches);
    if (mutant_target_run(target, supervisor, learns, verdict) == ENGINE_OK)
        return true;
    verdict->kind = MUTANT_UNDECIDED;
    return mutation_fails(mutation, EXIT_ENVIRONMENT, "engine sim: %s",
                          supervisor_reason(supervisor));
}

/* ---- The kernels themselves ---- */

/* Binds a user's launch to the kernel's parameters, and makes the target. */
static bool take_users_target(struct job *job)
{
    struct mutation *mutation = job->mutation;
    struct launch_text *launch = &mutation->launch;
    char ptx[BATCH_PATH], error[512];

    batch_path(&job->unchanged, "ptx", ptx);
    batch_path(&job->unchanged, "launches", job->launches);
    if (!user_launch_bind(launch, ptx, SOURCE_TAG "_" USERS_KERNEL))
        return mutation_fails(mutation, EXIT_USAGE, "%s: the launch does not fit the kernel",
                              job->mutated->source.path);
    strcpy(launch->calls[0].symbol, USERS_KERNEL);
    if (!launch_catalogue_make(launch, &mutation->catalogue, error, sizeof error))
        return mutation_fails(mutation, EXIT_ENVIRONMENT, "%s", error);
    return mutated_take_target(mutation, job->mutated, &mutation->catalogue.row->variant) &&
           write_launches(mutation, NULL, job->launches);
}

/* Compiles the source alone, and makes the mutants of the functions that the targets need. */
static bool prepare(struct job *job)
{
    struct mutation *mutation = job->mutation;
    struct mutated_source *source = &job->mutated->source;
    bool *reached = memory_take(&mutation->memory, source->function_count);

    if (!batch_build(&job->unchanged))
        return mutation_fails(mutation, EXIT_USAGE, "%.1000s", job->unchanged.said);
    if (mutation->is_users && !take_users_target(job))
        return false;
    for (size_t t = 0; t < source->target_count; t++) {
        struct mutant_target *target = &source->targets[t];
        target->reached = memory_take(&mutation->memory, source->function_count);
        if (!batch_reach(&job->unchanged, target))
            return mutation_fails(mutation, EXIT_USAGE, "%.1000s", job->unchanged.said);
        for (size_t f = 0; f < source->function_count; f++)
            reached[f] = reached[f] || target->reached[f];
    }
    source->reached = reached;
    mutants_of_source(&source->source, source->functions, reached, source->function_count,
                      &job->mutated->mutants);
    return true;
}

/* Runs the unchanged kernels of a target and stores their results. */
static bool learn(struct job *job, const struct mutant_target *target, const char *module,
                  struct supervisor *supervisor)
{
    struct mutation *mutation = job->mutation;
    struct mutant_verdict verdict;
    char error[1024];

    if (!accepts(module, error, sizeof error))
        return mutation_fails(mutation, EXIT_USAGE, "%s", error);
    if (!run(mutation, target, supervisor, module, job->launches, true, &verdict))
        return false;
    return verdict.kind == MUTANT_SURVIVED ||
           mutation_fails(mutation, EXIT_USAGE,
                          "%s fails without any change: %s: see 'simtcheck %s'",
                          target->variant->id, verdict.how, mutation->is_users ? "check" : "run");
}

static bool try_launch(struct job *job, struct launch_mutant *mutant, const char *module,
                       struct supervisor *supervisor)
{
    char path[BATCH_PATH];
    bool good;

    snprintf(path, sizeof path, "%.450s.launches", module);
    good = write_launches(job->mutation, mutant, path) &&
           run(job->mutation, &job->mutated->source.targets[mutant->target], supervisor, module,
               path, false, &mutant->verdict);
    unlink(path);
    return good;
}

/* Runs the kernels of a target, and the mutants of its launch. */
static void try_unchanged(void *context, size_t t)
{
    struct job *job = context;
    struct mutation *mutation = job->mutation;
    struct mutated *mutated = job->mutated;
    const struct mutant_target *target = &mutated->source.targets[t];
    struct supervisor *supervisor = NULL;
    char module[BATCH_PATH];
    bool good;

    if (!goes_on(mutation) || !open_worker(mutation, &supervisor))
        return;
    good = write_module(mutation, &job->unchanged, 0, target, t, module) &&
           learn(job, target, module, supervisor);
    for (size_t k = 0; good && k < mutated->launch_count && goes_on(mutation); k++)
        if (mutated->launches[k].target == t &&
            mutated->launches[k].verdict.kind == MUTANT_UNDECIDED)
            good = try_launch(job, &mutated->launches[k], module, supervisor);
    unlink(module);
    supervisor_close(supervisor);
}

/* ---- Batches ---- */

static void decide(struct job *job, struct mutant *mutant, const struct mutant_verdict *verdict)
{
    pthread_mutex_lock(&job->mutation->mutex);
    mutant->verdict = *verdict;
    pthread_mutex_unlock(&job->mutation->mutex);
}

/* Tries one copy of a batch on a target. */
static bool try_on_target(struct job *job, const struct batch *batch, size_t copy,
                          const struct mutant_target *target, struct supervisor *supervisor,
                          struct mutant_verdict *verdict)
{
    char module[BATCH_PATH], error[1024];
    bool good;

    *verdict = batch_compare(batch, copy, target);
    if (verdict->kind != MUTANT_UNDECIDED)
        return true;
    good = write_module(job->mutation, batch, copy, target, copy, module);
    if (good && accepts(module, error, sizeof error)) {
        good = run(job->mutation, target, supervisor, module, job->launches, false, verdict);
    } else if (good) {
        verdict->kind = MUTANT_SURVIVED;
        snprintf(verdict->how, sizeof verdict->how, "the simulator cannot run it: %.200s", error);
    }
    unlink(module);
    return good;
}

/* Tries mutant `m` of a batch on the targets that need its function, until one kills it. Returns
 * false when it cannot go on. */
static bool try_mutant(struct job *job, const struct batch *batch, size_t m, struct mutant *mutant,
                       struct supervisor *supervisor)
{
    const struct mutated_source *source = batch->of;
    struct mutant_verdict verdict = {.kind = MUTANT_UNDECIDED}, found;

    if (batch->mutants[m] == NULL)
        verdict.kind = MUTANT_NOT_COMPILED;
    for (size_t t = 0; t < source->target_count && verdict.kind < MUTANT_KILLED; t++) {
        if (!source->targets[t].reached[mutant->function])
            continue;
        if (!try_on_target(job, batch, m + 1, &source->targets[t], supervisor, &found) ||
            interrupt_came())
            return false;
        if (found.kind > verdict.kind)
            verdict = found;
    }
    decide(job, mutant, &verdict);
    return true;
}

/* Compiles and tries mutants. If they do not compile, and no error message names the cause, tries
 * each half of them. */
static bool try_mutants(struct job *job, struct mutant *const *mutants, size_t count,
                        struct supervisor *supervisor)
{
    const struct mutant_verdict not_compiled = {.kind = MUTANT_NOT_COMPILED};
    struct batch batch = {.of = &job->mutated->source, .count = count};
    bool is_built, good = true;

    for (size_t m = 0; m < count; m++)
        batch.mutants[m] = mutants[m];
    is_built = batch_build(&batch);
    for (size_t m = 0; is_built && good && m < count && goes_on(job->mutation); m++)
        good = try_mutant(job, &batch, m, mutants[m], supervisor);
    if (!is_built && (count == 0 || batch.cannot_write))
        good = mutation_fails(job->mutation, EXIT_ENVIRONMENT, "%.1000s", batch.said);
    batch_close(&batch);
    if (is_built || !good || interrupt_came())
        return good;
    good = try_mutants(job, mutants, count / 2, supervisor);
    if (good && count == 1) /* The source alone compiles. */
        decide(job, mutants[0], &not_compiled);
    return good &&
           (count == 1 || try_mutants(job, mutants + count / 2, count - count / 2, supervisor));
}

static void try_batch(void *context, size_t b)
{
    struct job *job = context;
    struct mutation *mutation = job->mutation;
    size_t first = b * job->batch_size, left = job->undecided_count - first;
    struct supervisor *supervisor = NULL;

    if (!goes_on(mutation) || !open_worker(mutation, &supervisor))
        return;
    try_mutants(job, job->undecided + first, left < job->batch_size ? left : job->batch_size,
                supervisor);
    supervisor_close(supervisor);
    pthread_mutex_lock(&mutation->mutex);
    report_mutants_save(mutation);
    pthread_mutex_unlock(&mutation->mutex);
}

/* Collects the undecided mutants, and divides them so that each process has some. Returns whether
 * the kernels must run, also for mutants of launches alone. */
static bool take_undecided(struct job *job)
{
    struct mutated *mutated = job->mutated;
    size_t jobs = job->mutation->jobs, even;
    bool is_needed = false;

    job->undecided =
        memory_take(&job->mutation->memory, mutated->mutants.count * sizeof *job->undecided);
    for (size_t m = 0; m < mutated->mutants.count; m++)
        if (mutated->mutants.all[m].verdict.kind == MUTANT_UNDECIDED)
            job->undecided[job->undecided_count++] = &mutated->mutants.all[m];
    for (size_t k = 0; k < mutated->launch_count; k++)
        is_needed = is_needed || mutated->launches[k].verdict.kind == MUTANT_UNDECIDED;
    even = (job->undecided_count + jobs - 1) / jobs;
    job->batch_size = even < MAX_IN_BATCH ? even : MAX_IN_BATCH;
    return is_needed || job->undecided_count > 0;
}

static void try_all(struct job *job)
{
    struct mutation *mutation = job->mutation;

    if (!take_undecided(job))
        return;
    parallel_for_on(mutation->jobs, job->mutated->source.target_count, try_unchanged, job);
    if (job->undecided_count > 0)
        parallel_for_on(mutation->jobs,
                        (job->undecided_count + job->batch_size - 1) / job->batch_size, try_batch,
                        job);
}

bool mutated_try(struct mutation *mutation, struct mutated *mutated)
{
    struct memory memory = {NULL};
    struct job *job = memory_take(&memory, sizeof *job);

    *job = (struct job){
        .mutation = mutation, .mutated = mutated, .unchanged = {.of = &mutated->source}};
    if (prepare(job)) {
        report_mutants_resume(mutation, mutated);
        try_all(job);
    }
    batch_close(&job->unchanged);
    memory_free(&memory);
    return mutation->error[0] == '\0' && !interrupt_came();
}
