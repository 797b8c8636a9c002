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

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The work on one file. Its parts run in parallel. */
struct job {
    struct mutation *mutation;
    struct mutated *mutated;
    struct batch unchanged;    /* the source alone */
    struct mutant **undecided; /* in the order of the text */
    size_t count, batch_size;  /* of the undecided mutants; of those in a batch */
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

    return status == ENGINE_OK ||
           mutation_fails(mutation,
                          status == ENGINE_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT,
                          "engine sim: %s", reason);
}

/* Returns whether the simulator can run the module; `why` gets the reason if not. */
static bool accepts(const char *module, char *why, size_t size)
{
    struct decoded *decoded = decode_open(&module, 1, why, size);
    bool good = decoded != NULL && decode_accepts(decoded, why, size);

    decode_close(decoded);
    return good;
}

/* Writes launches for workers: the user's, or those of a mutant. */
static bool write_launches(struct mutation *mutation, const struct launch_mutant *mutant,
                           const char *path)
{
    const struct launch_text *users = mutant != NULL ? mutant->launch : &mutation->launch;
    FILE *to = fopen(path, "wb");
    bool good = to != NULL && (mutation->is_users ? launch_catalogue_write(to, users)
                                                  : changed_launches_write(to, &mutant->extents));

    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good || mutation_fails(mutation, EXIT_ENVIRONMENT, "cannot write '%s': %s", path,
                                  strerror(errno));
}

/* Runs a target's kernels in a copy of a batch, with the launches of the mutant or, if it is null,
 * the unchanged ones. Without any change, stores the results. Returns false when it cannot go
 * on. */
static bool run(struct mutation *mutation, const struct batch *batch, size_t copy,
                const struct mutant_target *target, const struct launch_mutant *mutant,
                struct supervisor *supervisor, struct mutant_verdict *verdict)
{
    char module[BATCH_PATH], launches[BATCH_PATH] = "", why[1024];
    bool good = batch_write_module(batch, copy, target, module) ||
                mutation_fails(mutation, EXIT_ENVIRONMENT, "cannot write '%s': %s", module,
                               strerror(errno));

    if (mutation->is_users || mutant != NULL)
        snprintf(launches, sizeof launches, "%.450s.launches", module);
    if (!good || (launches[0] != '\0' && !write_launches(mutation, mutant, launches))) {
        good = false;
    } else if (accepts(module, why, sizeof why)) {
        supervisor_use(supervisor, module, launches);
        good = mutant_target_run(target, supervisor, copy == 0 && mutant == NULL, verdict) ==
                   ENGINE_OK ||
               mutation_fails(mutation, EXIT_ENVIRONMENT, "engine sim: %s",
                              supervisor_reason(supervisor));
    } else {
        verdict->kind = MUTANT_SURVIVED;
        snprintf(verdict->how, sizeof verdict->how, "the simulator cannot run it: %.200s", why);
        good = copy > 0 || mutation_fails(mutation, EXIT_USAGE, "%s", why);
    }
    if (!good)
        verdict->kind = MUTANT_UNDECIDED;
    unlink(module);
    if (launches[0] != '\0')
        unlink(launches);
    return good;
}

/* ---- The kernels themselves ---- */

/* Compiles the source alone, and makes the mutants of the functions that the targets need. */
static bool prepare(struct job *job)
{
    struct mutation *mutation = job->mutation;
    struct mutated_source *source = &job->mutated->source;
    bool *reached = memory_take(&mutation->memory, source->function_count);

    if (!batch_build(&job->unchanged))
        return mutation_fails(mutation, EXIT_USAGE, "%.1000s", job->unchanged.said);
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

/* Runs the unchanged kernels of a target, and then with each mutant of their launch. */
static void try_unchanged(void *context, size_t t)
{
    struct job *job = context;
    struct mutation *mutation = job->mutation;
    const struct mutant_target *target = &job->mutated->source.targets[t];
    struct supervisor *supervisor;
    struct mutant_verdict verdict;
    bool good;

    if (!goes_on(mutation) || !open_worker(mutation, &supervisor))
        return;
    good = run(mutation, &job->unchanged, 0, target, NULL, supervisor, &verdict);
    if (good && verdict.kind != MUTANT_SURVIVED)
        good = mutation_fails(
            mutation, EXIT_USAGE, "%s fails without any change: %s: see 'simtcheck %s'",
            target->variant->id, verdict.how, mutation->is_users ? "check" : "run");
    for (size_t k = 0; good && k < job->mutated->launch_count && goes_on(mutation); k++) {
        struct launch_mutant *mutant = &job->mutated->launches[k];
        if (mutant->target == t && mutant->verdict.kind == MUTANT_UNDECIDED)
            good = run(mutation, &job->unchanged, 0, target, mutant, supervisor, &mutant->verdict);
    }
    supervisor_close(supervisor);
}

/* ---- Batches ---- */

/* Tries mutant `m` of a batch on the targets that need its function, until one kills it. Returns
 * false when it cannot go on. */
static bool try_mutant(struct mutation *mutation, const struct batch *batch, size_t m,
                       struct supervisor *supervisor, struct mutant *mutant)
{
    const struct mutated_source *source = batch->of;
    struct mutant_verdict verdict = {.kind = MUTANT_UNDECIDED}, found;

    if (batch->mutants[m] == NULL)
        verdict.kind = MUTANT_NOT_COMPILED;
    for (size_t t = 0; t < source->target_count && verdict.kind < MUTANT_KILLED; t++) {
        if (!source->targets[t].reached[mutant->function])
            continue;
        found = batch_compare(batch, m + 1, &source->targets[t]);
        if (found.kind == MUTANT_UNDECIDED &&
            (!run(mutation, batch, m + 1, &source->targets[t], NULL, supervisor, &found) ||
             interrupt_came()))
            return false;
        if (found.kind > verdict.kind)
            verdict = found;
    }
    pthread_mutex_lock(&mutation->mutex);
    mutant->verdict = verdict;
    pthread_mutex_unlock(&mutation->mutex);
    return true;
}

/* Compiles and tries mutants, or each half of them if they do not compile together. */
static bool try_mutants(struct job *job, struct mutant *const *mutants, size_t count,
                        struct supervisor *supervisor)
{
    struct batch batch = {.of = &job->mutated->source, .count = count};
    bool is_built, good = true;

    for (size_t m = 0; m < count; m++)
        batch.mutants[m] = mutants[m];
    is_built = batch_build(&batch);
    for (size_t m = 0; is_built && good && m < count && goes_on(job->mutation); m++)
        good = try_mutant(job->mutation, &batch, m, supervisor, mutants[m]);
    if (!is_built && (count == 1 || batch.cannot_write))
        good = mutation_fails(job->mutation, EXIT_ENVIRONMENT, "%.1000s", batch.said);
    batch_close(&batch);
    if (is_built || !goes_on(job->mutation))
        return good;
    return try_mutants(job, mutants, count / 2, supervisor) &&
           try_mutants(job, mutants + count / 2, count - count / 2, supervisor);
}

static void try_batch(void *context, size_t b)
{
    struct job *job = context;
    struct mutation *mutation = job->mutation;
    size_t first = b * job->batch_size, left = job->count - first;
    struct supervisor *supervisor;

    if (!goes_on(mutation) || !open_worker(mutation, &supervisor))
        return;
    try_mutants(job, job->undecided + first, left < job->batch_size ? left : job->batch_size,
                supervisor);
    supervisor_close(supervisor);
    pthread_mutex_lock(&mutation->mutex);
    report_mutants_save(mutation);
    pthread_mutex_unlock(&mutation->mutex);
}

/* Runs what an earlier run has left undecided. */
static void try_undecided(struct job *job)
{
    struct mutation *mutation = job->mutation;
    struct mutants *mutants = &job->mutated->mutants;
    bool is_needed = false;

    job->undecided = memory_take(&mutation->memory, mutants->count * sizeof *job->undecided);
    for (size_t m = 0; m < mutants->count; m++)
        if (mutants->all[m].verdict.kind == MUTANT_UNDECIDED)
            job->undecided[job->count++] = &mutants->all[m];
    for (size_t k = 0; k < job->mutated->launch_count; k++)
        is_needed = is_needed || job->mutated->launches[k].verdict.kind == MUTANT_UNDECIDED;
    if (job->count == 0 && !is_needed)
        return;
    parallel_for_on(mutation->jobs, job->mutated->source.target_count, try_unchanged, job);
    /* Each process has a batch, even if there are few mutants. */
    job->batch_size = job->count / mutation->jobs + 1;
    if (job->batch_size > MAX_IN_BATCH)
        job->batch_size = MAX_IN_BATCH;
    parallel_for_on(mutation->jobs, (job->count + job->batch_size - 1) / job->batch_size, try_batch,
                    job);
}

bool mutated_try(struct mutation *mutation, struct mutated *mutated)
{
    struct job job = {
        .mutation = mutation, .mutated = mutated, .unchanged = {.of = &mutated->source}};

    if (prepare(&job)) {
        report_mutants_resume(mutation, mutated);
        try_undecided(&job);
    }
    batch_close(&job.unchanged);
    return mutation->error[0] == '\0' && !interrupt_came();
}
