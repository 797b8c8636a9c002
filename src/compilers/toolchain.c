/* SPDX-License-Identifier: MIT
 *
 * `simtcheck toolchain`: the compilers of toolkits and driver on trial, by small programs.
 */
#include "clock.h"
#include "command.h"
#include "complain.h"
#include "interrupt.h"
#include "kernel_facts.h"
#include "session.h"
#include "shards.h"
#include "stages.h"
#include "toolchain_report.h"
#include "trial.h"

#include <inttypes.h>

enum { BATCH = 500 };

struct session {
    const struct options *options;
    struct trial trial;
    struct stages stages;
    uint64_t drawn; /* programs */
    bool complete;  /* all was tried that was to be */
    struct memory memory;
    struct code_record *code; /* what assemblers make of the catalogue; null: not looked at */
    double start;
};

/* ---- The command ---- */

static bool goes_on(const struct session *session)
{
    const struct options *options = session->options;

    if (interrupt_came())
        return false;
    if (options->minutes > 0)
        return clock_seconds() - session->start < 60.0 * (double)options->minutes;
    return session->drawn < options->count;
}

static bool save(const struct session *session)
{
    struct memory memory = {NULL};
    struct toolchain_record record = toolchain_report_record(&session->trial, &memory);
    json_t *json;

    record.code = session->code;
    if (session->options->shard.count > 0)
        record.origin = toolchain_report_origin(&session->trial, &memory);
    record.has_complete = session->options->save == NULL; /* a snapshot says if all parts are */
    record.complete = session->complete;
    json = model_json(&toolchain_table, &record);
    memory_free(&memory);
    return session_save(session->options, json);
}

/* What has been found so far is told, and on disk. */
static bool keep(const struct session *session)
{
    const struct trial *trial = &session->trial;
    bool saved = save(session);

    fflush(stdout); /* before it, if both go to one file */
    fprintf(stderr, "%" PRIu64 " programs, %zu families, %zu pairs of the same code, %.0f s\n",
            trial->programs, trial->family_count, trial->twins_seen,
            clock_seconds() - session->start);
    return saved;
}

/* Pieces of the work: the idioms with the catalogue's kernels, then batches of programs. */
static bool is_ours(const struct shard *shard, uint64_t piece)
{
    return shard_has(shard, shard_salt("toolchain"), piece);
}

uint64_t toolchain_drawn(const struct options *options, const struct shard *shard)
{
    uint64_t sum = 0;

    for (uint64_t drawn = 0; drawn < options->count; drawn += BATCH)
        if (is_ours(shard, 1 + drawn / BATCH))
            sum += options->count - drawn < BATCH ? options->count - drawn : BATCH;
    return sum;
}

bool toolchain_has_idioms(const struct options *options, const struct shard *shard)
{
    return !options->no_idioms && is_ours(shard, 0);
}

static bool try_written(struct session *session, const struct catalogue *catalogue)
{
    struct trial *trial = &session->trial;
    const struct options *options = session->options;

    if (!is_ours(&options->shard, 0)) {
        trial_skip_idioms(trial);
        return true;
    }
    if (!trial_idioms(trial) || !keep(session) || !trial_kernels(trial, catalogue) ||
        !keep(session))
        return false;
    if (options->save == NULL) /* a snapshot has them in another part */
        session->code = kernel_facts_read(options, catalogue, &session->memory);
    return true;
}

static bool try_batch(struct session *session, size_t count)
{
    struct trial *trial = &session->trial;

    if (!is_ours(&session->options->shard, 1 + session->drawn / BATCH)) {
        trial_skip(trial, count);
        return true;
    }
    return trial_run(trial, session->drawn, count) && trial_twins(trial, session->drawn, count) &&
           keep(session);
}

/* The idioms, the catalogue's kernels, then programs that are drawn. */
static bool try_all(struct session *session, const struct catalogue *catalogue)
{
    struct trial *trial = &session->trial;
    const struct options *options = session->options;

    if (!options->no_idioms && !try_written(session, catalogue))
        return false;
    while (goes_on(session)) {
        uint64_t left = options->count - session->drawn;
        size_t some = options->minutes == 0 && left < BATCH ? (size_t)left : BATCH;
        if (!try_batch(session, some))
            return false;
        session->drawn += some;
    }
    if (options->shard.count > 0 && !keep(session)) /* it may have had no batch */
        return false;
    return trial->family_count == 0 || (trial_settle(trial) && keep(session));
}

/* Something is wrong; or not all could be tried. */
static int verdict(const struct trial *trial)
{
    bool wrong = trial->twins_seen > 0 || trial->unsteady_count > 0, missing = false;

    for (size_t s = 0; s < trial->stage_count; s++) {
        const struct stage *stage = &trial->stages[s];
        wrong = wrong || stage->wrong > 0 || stage->rows_wrong > 0;
        missing = missing || stage->unavailable[0] != '\0' || stage->rows_unavailable[0] != '\0';
    }
    return wrong ? EXIT_DIFFERS : missing ? EXIT_UNAVAILABLE : EXIT_CONFORMS;
}

static int toolchain(const struct options *options, const struct catalogue *catalogue)
{
    static struct session session;
    struct trial *trial = &session.trial;
    int status;
    bool good;

    if (options->no_idioms && options->count == 0 && options->minutes == 0) {
        complain("--no-idioms and --count 0 leave nothing to try");
        return EXIT_USAGE;
    }
    session = (struct session){.options = options, .start = clock_seconds()};
    status = stages_open(&session.stages, options, trial, false);
    if (status != EXIT_CONFORMS)
        return status;
    good = interrupt_came() || try_all(&session, catalogue);
    session.complete = good && !interrupt_came();
    if (session.complete || interrupt_came()) /* what is told below is on disk, too */
        good = save(&session) && good;
    stages_close(&session.stages);
    toolchain_report_print(trial);
    if (session.code != NULL)
        kernel_facts_print(session.code);
    memory_free(&session.memory);
    toolchain_report_verdict(trial);
    if (good && options->shard.count > 0 && !interrupt_came())
        shards_print_end(&options->shard, trial->programs, "programs");
    if (!good && trial->error[0] != '\0')
        complain("%s", trial->error);
    if (interrupt_came())
        complain("interrupted: %" PRIu64
                 " programs were tried, and what was found in them is above",
                 trial->programs);
    return good && !interrupt_came() ? verdict(trial) : EXIT_ENVIRONMENT;
}

const struct command toolchain_command = {
    .name = "toolchain",
    .help = "try front ends, assemblers and the driver's compiler by small programs\n"
            "drawn at random: [--nvcc PATH]... [--ptxas PATH]... [--seed S]\n"
            "[--count N | --minutes M] [--no-idioms]",
    .run = toolchain,
};
