/* SPDX-License-Identifier: MIT
 *
 * Handles mutants in batches: builds them, proves them equivalent, or runs them.
 */
#include "interrupt.h"
#include "mutate.h"
#include "parallel.h"
#include "supervisor.h"
#include "user_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ENTRY[] = "launch0"; /* name of a user's kernel in loaded code */

enum { MAX_IN_BATCH = 32 };

/* ---- Code for workers ---- */

/* Writes the file of launches for copy `copy`: a user's launch, or changes to the catalogue's
 * launches. */
static bool write_launches(struct mutation *mutation, const char *path, size_t copy,
                           const struct launch_mutant *mutant)
{
    struct launch_change change =
        mutant != NULL ? mutant->extents : (struct launch_change){.by = 0};
    struct launch_text *launch;
    FILE *to = fopen(path, "wb");
    char prefix[TAG_SIZE], kernel[64];
    bool good = to != NULL;

    batch_prefix(copy, prefix);
    if (good && mutation->is_users) {
        snprintf(kernel, sizeof kernel, "%s%s", prefix, ENTRY);
        launch = malloc(sizeof *launch);
        good = launch != NULL;
        if (good) {
            *launch = mutant != NULL ? *mutant->launch : mutation->launch;
            snprintf(launch->calls[0].symbol, sizeof launch->calls[0].symbol, "%s", kernel);
            good = launch_catalogue_write(to, launch);
        }
        free(launch);
    } else if (good) {
        snprintf(change.prefix, sizeof change.prefix, "%s", prefix);
        good = changed_launches_write(to, &change);
    }
    if (to != NULL)
        good = fclose(to) == 0 && good;
    return good || mutation_fails(mutation, EXIT_ENVIRONMENT, "cannot write '%s': %s", path,
                                  strerror(errno));
}

/* Makes a supervisor use copy `copy` of a batch's module. `number` names the file of launches. */
static bool use(struct mutation *mutation, struct supervisor *supervisor, const char *module,
                size_t copy, const struct launch_mutant *mutant, char path[BATCH_PATH])
{
    snprintf(path, BATCH_PATH, "%.450s-%zu.launches", module, copy);
    if (!write_launches(mutation, path, copy, mutant))
        return false;
    supervisor_use(supervisor, module, path);
    return true;
}

static bool open_worker(struct mutation *mutation, struct supervisor **supervisor)
{
    char reason[512];
    enum engine_status status;

    status = session_start(mutation->session, ENGINE_SIM, REQUEST_RUN, supervisor, reason,
                           sizeof reason);
    if (status == ENGINE_OK)
        return true;
    return mutation_fails(mutation,
                          status == ENGINE_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT,
                          "engine sim: %s", reason);
}

/* Runs the supervisor's code. Returns false when it cannot go on. */
static bool run(struct mutation *mutation, const struct mutant_target *target,
                struct supervisor *supervisor, bool learns, struct mutant_verdict *verdict)
{
    enum engine_status status = mutant_target_run(target, supervisor, learns, verdict);

    if (status == ENGINE_OK)
        return true;
    verdict->kind = MUTANT_UNDECIDED;
    return mutation_fails(mutation, EXIT_ENVIRONMENT, "engine sim: %s",
                          supervisor_reason(supervisor));
}

/* ---- The kernels themselves ---- */

static struct batch batch_of(struct mutated *mutated, const struct mutant_target *target,
                             size_t number)
{
    struct batch batch = {.of = &mutated->source, .number = number};

    if (target == NULL) {
        batch.kernels[batch.kernel_count++] = ENTRY;
        return batch;
    }
    memcpy(batch.kernels, target->kernels, sizeof batch.kernels);
    batch.kernel_count = target->kernel_count;
    return batch;
}

/* Returns a number unique to a batch. It names files; loaded code keeps its name. */
static size_t take_number(struct mutation *mutation)
{
    size_t number;

    pthread_mutex_lock(&mutation->mutex);
    number = mutation->batches++;
    pthread_mutex_unlock(&mutation->mutex);
    return number;
}

/* Binds a user's launch to the kernel's parameters. */
static bool take_users_target(struct mutation *mutation, struct mutated *mutated)
{
    struct batch batch = batch_of(mutated, NULL, take_number(mutation));
    char ptx[BATCH_PATH], name[64], error[512];
    bool good;

    good = batch_reach(&batch, memory_take(&mutation->memory, mutated->source.function_count)) ||
           mutation_fails(mutation, EXIT_USAGE, "%s", batch.error);
    batch_prefix(0, name);
    strcat(name, ENTRY);
    batch_path(&batch, "ptx", ptx);
    if (good && !user_launch_bind(&mutation->launch, ptx, name))
        good = mutation_fails(mutation, EXIT_USAGE, "%s: the launch does not fit the kernel",
                              mutated->path);
    batch_close(&batch);
    snprintf(mutation->launch.calls[0].symbol, sizeof mutation->launch.calls[0].symbol, "%s",
             ENTRY);
    if (good &&
        !launch_catalogue_make(&mutation->launch, &mutation->catalogue, error, sizeof error))
        good = mutation_fails(mutation, EXIT_ENVIRONMENT, "%s", error);
    return good && mutated_take_target(mutation, mutated, &mutation->catalogue.row->variant);
}

/* Builds the unchanged kernels of a target; `launches` runs its launch mutants on them. */
static bool learn(struct mutation *mutation, struct mutated *mutated, size_t t, struct batch *batch,
                  struct supervisor *supervisor)
{
    struct mutant_target *target = &mutated->targets[t];
    struct mutant_verdict verdict = {.kind = MUTANT_UNDECIDED};
    char list[BATCH_PATH];
    bool good;

    if (!batch_build(batch, true))
        return mutation_fails(mutation, EXIT_USAGE, "%s", batch->error);
    if (!use(mutation, supervisor, batch->module, 0, NULL, list))
        return false;
    good = run(mutation, target, supervisor, true, &verdict);
    unlink(list);
    if (good && verdict.kind != MUTANT_SURVIVED)
        return mutation_fails(
            mutation, EXIT_USAGE, "%s fails without any change: %s: see 'simtcheck %s'",
            target->variant->id, verdict.how, mutation->is_users ? "check" : "run");
    return good;
}

/* Returns whether another mutant may start: neither after an interrupt nor after the time of
 * --minutes. */
static bool mutation_goes_on(const struct mutation *mutation)
{
    return !interrupt_came() && !bound_is_over(&mutation->session->sinks->bound);
}

static bool try_launches(struct mutation *mutation, struct mutated *mutated, size_t t,
                         const struct batch *batch, struct supervisor *supervisor)
{
    bool good = true;

    for (size_t k = 0; good && k < mutated->launch_count && mutation_goes_on(mutation); k++) {
        struct launch_mutant *mutant = &mutated->launches[k];
        char list[BATCH_PATH];
        if (mutant->target != t || mutant->verdict.kind != MUTANT_UNDECIDED)
            continue;
        good = use(mutation, supervisor, batch->module, 0, mutant, list) &&
               run(mutation, &mutated->targets[t], supervisor, false, &mutant->verdict);
        unlink(list);
    }
    return good;
}

/* ---- Each target ---- */

struct job {
    struct mutation *mutation;
    struct mutated *mutated;
    struct mutant_range {
        size_t first, count; /* of the undecided mutants */
    } * ranges;
    const size_t *undecided;
};

static void reach_target(void *context, size_t t)
{
    struct job *job = context;
    struct mutated *mutated = job->mutated;
    struct batch batch = batch_of(mutated, &mutated->targets[t], take_number(job->mutation));

    if (!batch_reach(&batch, mutated->reached_by + t * mutated->source.function_count))
        mutation_fails(job->mutation, EXIT_USAGE, "%s", batch.error);
    batch_close(&batch);
}

static void learn_target(void *context, size_t t)
{
    struct job *job = context;
    struct mutated *mutated = job->mutated;
    struct supervisor *supervisor = NULL;
    struct batch batch = batch_of(mutated, &mutated->targets[t], take_number(job->mutation));

    if (job->mutation->error[0] == '\0' && mutation_goes_on(job->mutation) &&
        open_worker(job->mutation, &supervisor) &&
        learn(job->mutation, mutated, t, &batch, supervisor))
        try_launches(job->mutation, mutated, t, &batch, supervisor);
    if (supervisor != NULL)
        supervisor_close(supervisor);
    batch_close(&batch);
}

/* Collects the functions that the code of any target contains. */
static void unite(struct mutated *mutated)
{
    size_t functions = mutated->source.function_count;

    for (size_t k = 0; k < mutated->target_count * functions; k++)
        mutated->reached[k % functions] = mutated->reached[k % functions] || mutated->reached_by[k];
    mutated->source.reached = mutated->reached;
}

bool mutated_prepare(struct mutation *mutation, struct mutated *mutated)
{
    struct job job = {.mutation = mutation, .mutated = mutated};
    size_t functions = mutated->source.function_count;

    mutated->source.path = mutated->path; /* The path no longer moves. */
    if (mutation->is_users && !take_users_target(mutation, mutated))
        return false;
    mutated->reached = memory_take(&mutation->memory, functions);
    mutated->reached_by = memory_take(&mutation->memory, mutated->target_count * functions);
    parallel_for_on(mutation->jobs, mutated->target_count, reach_target, &job);
    if (mutation->error[0] != '\0')
        return false;
    unite(mutated);
    mutants_of_source(&mutated->source.source, mutated->source.functions, mutated->reached,
                      functions, &mutated->mutants);
    mutated->verdicts =
        memory_take(&mutation->memory, mutated->mutants.count * sizeof *mutated->verdicts);
    return true;
}

/* ---- Batches ---- */

/* Runs on one target the batch's live mutants that its code contains. Sets `lives` for mutants that
 * some target runs and none kills. */
static bool try_on_target(struct mutation *mutation, struct mutated *mutated, size_t t,
                          const size_t *members, size_t count, struct mutant_verdict *verdicts,
                          struct supervisor *supervisor)
{
    const bool *reached = mutated->reached_by + t * mutated->source.function_count;
    const struct mutant *mutants[MAX_IN_BATCH];
    size_t places[MAX_IN_BATCH];
    struct batch batch = batch_of(mutated, &mutated->targets[t], take_number(mutation));
    bool good = true;

    for (size_t k = 0; k < count; k++) {
        const struct mutant *mutant = &mutated->mutants.all[members[k]];
        if (!reached[mutant->function] || verdicts[k].kind == MUTANT_KILLED ||
            verdicts[k].kind == MUTANT_NOT_COMPILED)
            continue;
        places[batch.count] = k;
        mutants[batch.count++] = mutant;
    }
    if (batch.count == 0)
        return true;
    batch.mutants = mutants;
    if (!batch_build(&batch, false))
        good = mutation_fails(mutation, EXIT_ENVIRONMENT, "%s", batch.error);
    for (size_t m = 0; good && m < batch.count && mutation_goes_on(mutation); m++) {
        struct mutant_verdict verdict = {.kind = MUTANT_SURVIVED}, *known = &verdicts[places[m]];
        char list[BATCH_PATH];
        switch (batch.states[m]) {
        case BUILD_SAME_PTX:
        case BUILD_SAME_CODE:
            verdict.kind = MUTANT_EQUIVALENT;
            snprintf(verdict.how, sizeof verdict.how, "the same %s",
                     batch.states[m] == BUILD_SAME_PTX ? "PTX" : "machine code");
            break;
        case BUILD_NOT_COMPILED:
            verdict.kind = MUTANT_NOT_COMPILED;
            break;
        case BUILD_NO_CODE:
            snprintf(verdict.how, sizeof verdict.how, "the simulator cannot run it: %.200s",
                     batch.error);
            break;
        case BUILD_RUNS:
            good = use(mutation, supervisor, batch.module, m + 1, NULL, list) &&
                   run(mutation, &mutated->targets[t], supervisor, false, &verdict);
            unlink(list);
            break;
        }
        /* A mutant killed or not compiled on one target is so for all. It is equivalent only if it
         * is on all. */
        if (known->kind == MUTANT_UNDECIDED || verdict.kind == MUTANT_KILLED ||
            verdict.kind == MUTANT_NOT_COMPILED || verdict.kind == MUTANT_DIFFERS ||
            (verdict.kind == MUTANT_SURVIVED && known->kind == MUTANT_EQUIVALENT))
            *known = verdict;
    }
    batch_close(&batch);
    return good && !interrupt_came();
}

static void try_batch(void *context, size_t b)
{
    struct job *job = context;
    struct mutation *mutation = job->mutation;
    struct mutated *mutated = job->mutated;
    const size_t *members = job->undecided + job->ranges[b].first;
    size_t count = job->ranges[b].count;
    struct mutant_verdict verdicts[MAX_IN_BATCH] = {{.kind = MUTANT_UNDECIDED}};
    struct supervisor *supervisor = NULL;
    bool good = mutation->error[0] == '\0' && mutation_goes_on(mutation) &&
                open_worker(mutation, &supervisor);

    for (size_t t = 0; good && t < mutated->target_count && mutation_goes_on(mutation); t++)
        good = try_on_target(mutation, mutated, t, members, count, verdicts, supervisor);
    if (supervisor != NULL)
        supervisor_close(supervisor);
    if (!good)
        return;
    pthread_mutex_lock(&mutation->mutex);
    for (size_t k = 0; k < count; k++)
        if (mutated->target_count == 1 || verdicts[k].kind == MUTANT_KILLED ||
            mutation_goes_on(mutation)) /* else another target may kill it */
            mutated->verdicts[members[k]] = verdicts[k];
    report_mutants_save(mutation);
    pthread_mutex_unlock(&mutation->mutex);
}

/* Divides the undecided mutants, in the order of the text, into ranges so that each job has
 * some. */
static size_t make_ranges(struct mutant_range *ranges, size_t count, size_t jobs)
{
    size_t most = (count + jobs - 1) / jobs, made = 0;

    most = most > MAX_IN_BATCH ? MAX_IN_BATCH : most;
    for (size_t first = 0; first < count; first += most)
        ranges[made++] = (struct mutant_range){first, count - first < most ? count - first : most};
    return made;
}

static bool needs_targets(const struct mutated *mutated, size_t undecided)
{
    bool needed = undecided > 0;

    for (size_t k = 0; k < mutated->launch_count; k++)
        needed = needed || mutated->launches[k].verdict.kind == MUTANT_UNDECIDED;
    return needed;
}

bool mutated_try(struct mutation *mutation, struct mutated *mutated)
{
    size_t all = mutated->mutants.count, count = 0;
    size_t *undecided = memory_take(&mutation->memory, all * sizeof *undecided);
    struct mutant_range *ranges = memory_take(&mutation->memory, all * sizeof *ranges);
    struct job job = {mutation, mutated, ranges, undecided};

    for (size_t m = 0; m < all; m++)
        if (mutated->verdicts[m].kind == MUTANT_UNDECIDED)
            undecided[count++] = m;
    if (mutation->error[0] == '\0' && needs_targets(mutated, count)) {
        parallel_for_on(mutation->jobs, mutated->target_count, learn_target, &job);
        if (mutation->error[0] == '\0' && !interrupt_came())
            parallel_for_on(mutation->jobs, make_ranges(ranges, count, mutation->jobs), try_batch,
                            &job);
    }
    return mutation->error[0] == '\0' && !interrupt_came();
}
