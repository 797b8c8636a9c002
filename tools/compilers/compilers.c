/* SPDX-License-Identifier: MIT */
#include "compilers.h"

#include "clock.h"
#include "compilers_report.h"
#include "error_report.h"
#include "interrupt.h"
#include "kernel_facts.h"
#include "stages.h"
#include "trial.h"

#include <inttypes.h>

enum { BATCH = 500 };

struct work {
    const struct compilers_request *request;
    const struct session *session;
    struct trial trial;
    struct stages stages;
    uint64_t drawn; /* drawn programs */
    bool complete;  /* the work is complete */
    struct memory memory;
    struct code_record *code; /* code of the catalogue's kernels; null: not recorded */
    double start;
};

static bool goes_on(const struct work *work)
{
    const struct compilers_request *request = work->request;

    if (interrupt_came())
        return false;
    if (request->minutes > 0)
        return clock_seconds() - work->start < 60.0 * (double)request->minutes;
    return work->drawn < request->count;
}

static bool save(const struct work *work)
{
    struct memory memory = {NULL};
    struct compilers_record record = compilers_report_record(&work->trial, &memory);
    json_t *json;

    record.code = work->code;
    if (work->request->shard.count > 0)
        record.origin = compilers_report_origin(&work->trial, &memory);
    record.has_complete = work->session->save == NULL; /* A snapshot records it for all its
                                                          parts. */
    record.complete = work->complete;
    json = model_json(&compilers_table, &record);
    memory_free(&memory);
    return session_save(work->session, json);
}

/* Saves the results so far and prints progress on standard error. Returns false if they cannot be
 * saved. */
static bool keep(const struct work *work)
{
    const struct trial *trial = &work->trial;
    bool saved = save(work);

    fflush(stdout); /* Flushes first, in case both go to one file. */
    fprintf(stderr, "%" PRIu64 " programs, %zu families, %zu pairs with the same code, %.0f s\n",
            trial->programs, trial->family_count, trial->twins_seen, clock_seconds() - work->start);
    return saved;
}

/* Returns true if the piece belongs to this shard. Piece 0 is the idioms with the catalogue's
 * kernels; the others are batches of drawn programs. */
static bool is_ours(const struct shard *shard, uint64_t piece)
{
    return shard_has(shard, shard_salt("compilers"), piece);
}

uint64_t compilers_drawn(uint64_t count, const struct shard *shard)
{
    uint64_t sum = 0;

    for (uint64_t drawn = 0; drawn < count; drawn += BATCH)
        if (is_ours(shard, 1 + drawn / BATCH))
            sum += count - drawn < BATCH ? count - drawn : BATCH;
    return sum;
}

bool compilers_has_idioms(bool no_idioms, const struct shard *shard)
{
    return !no_idioms && is_ours(shard, 0);
}

static bool try_written(struct work *work)
{
    struct trial *trial = &work->trial;
    const struct compilers_request *request = work->request;

    if (!is_ours(&request->shard, 0)) {
        trial_skip_idioms(trial);
        return true;
    }
    if (!trial_idioms(trial) || !keep(work) || !trial_kernels(trial, work->session->catalogue) ||
        !keep(work))
        return false;
    if (work->session->save == NULL) /* A snapshot has them in another part. */
        work->code = kernel_facts_read(&request->compilers, &request->selection,
                                       work->session->catalogue, &work->memory);
    return true;
}

static bool try_batch(struct work *work, size_t count)
{
    struct trial *trial = &work->trial;

    if (!is_ours(&work->request->shard, 1 + work->drawn / BATCH)) {
        trial_skip(trial, count);
        return true;
    }
    return trial_run(trial, work->drawn, count) && trial_twins(trial, work->drawn, count) &&
           keep(work);
}

/* Tests the idioms, the catalogue's kernels, then drawn programs. */
static bool try_all(struct work *work)
{
    struct trial *trial = &work->trial;
    const struct compilers_request *request = work->request;

    if (!request->no_idioms && !try_written(work))
        return false;
    while (goes_on(work)) {
        uint64_t left = request->count - work->drawn;
        size_t some = request->minutes == 0 && left < BATCH ? (size_t)left : BATCH;
        if (!try_batch(work, some))
            return false;
        work->drawn += some;
    }
    if (request->shard.count > 0 && !keep(work)) /* The shard may have no batch. */
        return false;
    return trial->family_count == 0 || (trial_settle(trial) && keep(work));
}

/* Prints the results, which are already on disk. Returns the exit status. */
static int print_all(const struct work *work, bool good)
{
    const struct trial *trial = &work->trial;
    int status;

    compilers_report_print(trial);
    if (work->code != NULL)
        compilers_report_code(work->code);
    status = compilers_report_verdict(trial);
    if (good && work->request->shard.count > 0 && !interrupt_came())
        shards_print_end(&work->request->shard, trial->programs, "programs");
    if (!good && trial->error[0] != '\0')
        error_report("%s", trial->error);
    if (interrupt_came())
        error_report("interrupted: the results of the %" PRIu64 " programs tested so far are above",
                     trial->programs);
    return status;
}

int compilers_check(const struct compilers_request *request, const struct session *session)
{
    static struct work work;
    int status;
    bool good;

    if (request->no_idioms && request->count == 0 && request->minutes == 0) {
        error_report("--no-idioms and --count 0 leave no program to test: raise --count, or omit "
                     "--no-idioms");
        return EXIT_USAGE;
    }
    work = (struct work){.request = request, .session = session, .start = clock_seconds()};
    status = stages_open(&work.stages, &request->compilers, request->selection.cases.seed, session,
                         &work.trial);
    if (status != EXIT_CONFORMS)
        return status;
    good = interrupt_came() || try_all(&work);
    work.complete = good && !interrupt_came();
    if (work.complete || interrupt_came())
        good = save(&work) && good;
    stages_close(&work.stages, session);
    status = print_all(&work, good);
    memory_free(&work.memory);
    return good && !interrupt_came() ? status : EXIT_ENVIRONMENT;
}
