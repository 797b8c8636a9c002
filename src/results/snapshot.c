/* SPDX-License-Identifier: MIT
 *
 * `snapshot`: all that can be told of one build on one machine, in one file that `compare` holds
 * another to. The commands `run`, `races` and `toolchain` do their own work; what they would write
 * becomes a part of the document, and the document is written anew each time.
 */
#include "complain.h"
#include "counters.h"
#include "environment.h"
#include "interrupt.h"
#include "kernel_facts.h"
#include "ladder.h"
#include "rates.h"
#include "record_snapshot.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

extern const struct command run_command, races_command, toolchain_command;

struct snapshot {
    const struct options *given; /* by the user; names the file */
    struct options options;      /* with which the parts run */
    const struct catalogue *catalogue;
    json_t *document;
    /* Where save_part() puts what a part gives. */
    const char *part;
    const char *engine; /* of a part that has a value for each; null */
    int exit_status;
};

/* ---- The document ---- */

static bool save(struct snapshot *snapshot)
{
    return session_save(snapshot->given, json_incref(snapshot->document));
}

/* Takes over what a part is so far. */
static bool save_part(void *context, json_t *value)
{
    struct snapshot *snapshot = context;
    json_t *part = json_object_get(snapshot->document, snapshot->part);

    if (snapshot->engine != NULL)
        json_object_set_new(part, snapshot->engine, value);
    else
        json_object_set_new(snapshot->document, snapshot->part, value);
    return save(snapshot);
}

/* The words of the command line, but for the name of the file. */
static struct list words_of(const struct options *options, struct memory *memory)
{
    struct list words = list_take(memory, 0, sizeof(const char *));

    for (size_t k = 0; k < options->word_count; k++) {
        const char *word = options->words[k];
        if (strcmp(word, "--out") == 0)
            k++;
        else if (strncmp(word, "--out=", 6) != 0)
            LIST_ADD(memory, &words, const char *) = word;
    }
    return words;
}

/* ---- Parts ---- */

static bool has_part(const struct snapshot *snapshot, enum part part)
{
    return snapshot->given->parts == 0 || (snapshot->given->parts >> part & 1);
}

/* What a part came to. That a toolkit is not here is told in the document, and fails nobody who has
 * not asked for it. */
static void take_status(struct snapshot *snapshot, enum part part, int status)
{
    bool asked = snapshot->given->parts != 0 || part == PART_RUN;

    if (status != EXIT_UNAVAILABLE || asked)
        snapshot->exit_status = session_worse(snapshot->exit_status, status);
}

static bool goes_on(const struct snapshot *snapshot)
{
    return snapshot->exit_status != EXIT_ENVIRONMENT && !interrupt_came();
}

/* Runs a command for the part. */
static void run_part(struct snapshot *snapshot, enum part part, const struct command *command,
                     const struct options *options)
{
    int status = command->run(options, snapshot->catalogue);

    take_status(snapshot, part, status == EXIT_USAGE ? EXIT_ENVIRONMENT : status);
}

static void run_races(struct snapshot *snapshot, const struct engine_kind *engine)
{
    struct options options = snapshot->options;

    options.engine_count = 1;
    options.engines[0] = engine;
    run_part(snapshot, PART_RACES, &races_command, &options);
}

/* A row of counters, added to those before. False when the part cannot go on. */
static bool add_counters(struct snapshot *snapshot, const struct engine_kind *engine,
                         struct supervisor *supervisor, const struct variant *variant, json_t *rows)
{
    struct test_case test;
    struct outcome outcome;
    json_t *row;
    char reason[512];
    enum engine_status status;

    if (!selection_has(&snapshot->options.selection, variant) ||
        session_lacks(&snapshot->options, variant, supervisor) != NULL ||
        !rates_case(&snapshot->options, variant, true, &test))
        return true;
    test.model = MODEL_LOCKSTEP;
    status = counters_report(supervisor, engine, &test, &outcome, &row, reason, sizeof reason);
    if (status != ENGINE_OK) {
        take_status(snapshot, PART_COUNTERS,
                    session_failed(&snapshot->options, engine->id, status, reason));
        return false;
    }
    if (row != NULL) /* else there is a fault, which the verdict tells */
        json_array_append_new(rows, row);
    return true;
}

static void run_counters(struct snapshot *snapshot, const struct engine_kind *engine)
{
    struct supervisor *supervisor;
    int status = session_open(&snapshot->options, engine->id, REQUEST_RUN, &supervisor);
    bool good = status == EXIT_CONFORMS;
    json_t *rows;

    take_status(snapshot, PART_COUNTERS, status);
    if (!good)
        return;
    rows = json_array();
    for (size_t v = 0; v < snapshot->catalogue->count && good && !interrupt_came(); v++)
        good = add_counters(snapshot, engine, supervisor, &snapshot->catalogue->variants[v], rows);
    session_close(supervisor);
    if (!save_part(snapshot, rows))
        snapshot->exit_status = EXIT_ENVIRONMENT;
}

static void run_rates(struct snapshot *snapshot, const struct engine_kind *engine)
{
    take_status(
        snapshot, PART_RATES,
        rates_measure(&snapshot->options, snapshot->catalogue, engine, save_part, snapshot));
}

static void run_code(struct snapshot *snapshot)
{
    struct memory memory = {NULL};
    const struct code_record *facts =
        kernel_facts_read(&snapshot->options, snapshot->catalogue, &memory);

    if (facts->unavailable != NULL && snapshot->given->parts != 0)
        complain("the part code: %s", facts->unavailable);
    if (facts->unavailable != NULL)
        take_status(snapshot, PART_CODE, EXIT_UNAVAILABLE);
    else if (facts->failures.count > 0)
        take_status(snapshot, PART_CODE, EXIT_DIFFERS);
    if (!save_part(snapshot, model_json(&code_table, facts)))
        snapshot->exit_status = EXIT_ENVIRONMENT;
    memory_free(&memory);
}

/* The idioms alone: what is drawn at random is for `toolchain`. */
static void run_toolchain(struct snapshot *snapshot)
{
    struct options options = snapshot->options;

    options.count = 0;
    run_part(snapshot, PART_TOOLCHAIN, &toolchain_command, &options);
}

/* On a GPU, which the engines that are used must include. */
static void run_ladder(struct snapshot *snapshot)
{
    const struct options *options = &snapshot->options;
    json_t *rows = NULL;
    bool uses_a_gpu = snapshot->given->engine_count == 0;

    for (size_t e = 0; e < options->engine_count; e++)
        uses_a_gpu = uses_a_gpu || options->engines[e]->uses_a_gpu;
    if (!uses_a_gpu) {
        if (snapshot->given->parts != 0)
            complain("the ladder is measured on a GPU: not with --engine host or ptx alone");
        take_status(snapshot, PART_LADDER, EXIT_UNAVAILABLE);
        return;
    }
    take_status(snapshot, PART_LADDER, ladder_measure(options, snapshot->catalogue, &rows));
    if (rows != NULL && !save_part(snapshot, rows))
        snapshot->exit_status = EXIT_ENVIRONMENT;
}

/* Of a part that looks at engines one by one. */
static void run_engines(struct snapshot *snapshot, bool simulating,
                        void (*run)(struct snapshot *snapshot, const struct engine_kind *engine))
{
    json_object_set_new(snapshot->document, snapshot->part, json_object());
    for (size_t e = 0; e < snapshot->options.engine_count && goes_on(snapshot); e++) {
        const struct engine_kind *engine = snapshot->options.engines[e];
        if (simulating && !engine->simulates)
            continue;
        snapshot->engine = engine->name;
        run(snapshot, engine);
    }
    snapshot->engine = NULL;
}

/* Likewise of engines on a CPU. */
static void run_simulators(struct snapshot *snapshot, enum part part,
                           void (*run)(struct snapshot *snapshot, const struct engine_kind *engine))
{
    bool simulates = false;

    for (size_t e = 0; e < snapshot->options.engine_count; e++)
        simulates = simulates || snapshot->options.engines[e]->simulates;
    run_engines(snapshot, true, run);
    if (simulates)
        return;
    if (snapshot->given->parts != 0)
        complain("the part %s is of the engines host and ptx, and there is none of these",
                 part_names[part]);
    take_status(snapshot, part, EXIT_UNAVAILABLE);
}

static void run_one(struct snapshot *snapshot, enum part part)
{
    snapshot->part = part_names[part];
    switch (part) {
    case PART_RUN:
        run_part(snapshot, part, &run_command, &snapshot->options);
        break;
    case PART_RACES:
        run_simulators(snapshot, part, run_races);
        break;
    case PART_COUNTERS:
        run_simulators(snapshot, part, run_counters);
        break;
    case PART_CODE:
        run_code(snapshot);
        break;
    case PART_TOOLCHAIN:
        run_toolchain(snapshot);
        break;
    case PART_RATES:
        run_engines(snapshot, false, run_rates);
        break;
    case PART_LADDER:
        run_ladder(snapshot);
        break;
    case PARTS:
        break;
    }
}

/* ---- Limits ---- */

/* The largest block and grid, in threads and blocks, and the most elements that the plan of a
 * variant has for that engine. */
static bool limit_of(const struct snapshot *snapshot, const struct variant *variant,
                     const struct engine_kind *engine, struct limit_record *limit)
{
    struct plan plan;

    if (!plan_make(&snapshot->options.selection.cases, variant, engine->simulates, 0, &plan))
        return false;
    *limit = (struct limit_record){.id = variant->id,
                                   .form = variant->form,
                                   .engine = engine->id,
                                   .blocks = plan.blocks,
                                   .all_blocks = plan.all_blocks};
    for (size_t k = 0; k < plan.shape_count; k++) {
        const struct shape *shape = &plan.shapes[k].shape;
        uint64_t threads = shape_threads(shape), elements = shape_elements(shape), grid;
        struct invocation call;
        variant->invoke(variant, shape, &call);
        grid = (uint64_t)call.grid.x * call.grid.y * call.grid.z;
        limit->largest_block = threads > limit->largest_block ? threads : limit->largest_block;
        limit->largest_size = elements > limit->largest_size ? elements : limit->largest_size;
        limit->largest_grid = grid > limit->largest_grid ? grid : limit->largest_grid;
    }
    plan_free(&plan);
    return true;
}

static struct limits_record limits_of(const struct snapshot *snapshot, struct memory *memory)
{
    const struct options *options = &snapshot->options;
    struct limits_record limits = {.deadline_seconds = options->deadline_seconds};
    struct limit_record limit;

    for (size_t e = 0; e < options->engine_count; e++)
        for (size_t v = 0; v < snapshot->catalogue->count; v++) {
            const struct variant *variant = &snapshot->catalogue->variants[v];
            if (selection_has(&options->selection, variant) &&
                limit_of(snapshot, variant, options->engines[e], &limit))
                LIST_ADD(memory, &limits.rows, struct limit_record) = limit;
        }
    return limits;
}

/* ---- The command ---- */

/* An engine that is required is asked for before any work: what it is to do, others do not. */
static void require_engine(struct snapshot *snapshot, const bool has[ENGINES])
{
    const struct options *given = snapshot->given;
    bool used = given->engine_count == 0;

    for (size_t e = 0; e < given->engine_count; e++)
        used = used || given->engines[e] == given->require;
    if (given->require != NULL && used && !has[given->require->id])
        snapshot->options.require_always = true; /* and the reason is told */
    take_status(snapshot, PART_RUN, session_require(&snapshot->options, NULL, 0));
    snapshot->options.require_always = false;
}

/* The document with its environment, and no part yet. */
static void begin(struct snapshot *snapshot)
{
    bool has[ENGINES];
    struct memory memory = {NULL};
    struct snapshot_record record = {
        .version = VERSION,
        .environment = environment_read(&snapshot->options, has, &memory),
        .options = words_of(snapshot->given, &memory),
    };

    for (int e = 0; e < ENGINES && snapshot->given->engine_count == 0; e++)
        if (has[e])
            snapshot->options.engines[snapshot->options.engine_count++] = &engine_kinds[e];
    record.limits = limits_of(snapshot, &memory);
    snapshot->document = model_json(&snapshot_table, &record);
    memory_free(&memory);
    require_engine(snapshot, has);
}

static int snapshot(const struct options *given, const struct catalogue *catalogue)
{
    struct snapshot snapshot = {.given = given, .options = *given, .catalogue = catalogue};

    if (given->json == NULL) {
        complain("snapshot needs --out FILE");
        return EXIT_USAGE;
    }
    if (given->selection.cases.level == 3) {
        complain("--level 3 runs until it is stopped: a snapshot takes 1 or 2");
        return EXIT_USAGE;
    }
    if (!session_fits(given, catalogue))
        return EXIT_USAGE;
    interrupt_catch();
    snapshot.options.errors = UINT64_MAX; /* every row has a verdict */
    snapshot.options.save = save_part;
    snapshot.options.save_context = &snapshot;
    begin(&snapshot);
    if (!save(&snapshot))
        snapshot.exit_status = EXIT_ENVIRONMENT;
    for (int part = 0; part < PARTS && goes_on(&snapshot); part++)
        if (has_part(&snapshot, (enum part)part))
            run_one(&snapshot, (enum part)part);
    snapshot.exit_status = session_interrupted(snapshot.exit_status);
    if (goes_on(&snapshot)) {
        json_object_set_new(snapshot.document,
                            MEMBER_OF(snapshot_table, struct snapshot_record, complete)->name,
                            json_true());
        if (!save(&snapshot))
            snapshot.exit_status = EXIT_ENVIRONMENT;
    }
    json_decref(snapshot.document);
    return snapshot.exit_status;
}

const struct command snapshot_command = {
    .name = "snapshot",
    .help = "write all that can be told of this build on this machine: environment,\n"
            "verdicts, races, counters, code, compilers, rates, ladder:\n"
            "--out FILE [--part PART]... [OPTIONS of run]",
    .run = snapshot,
};
