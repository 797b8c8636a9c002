/* SPDX-License-Identifier: MIT */
#include "snapshot.h"

#include "benchmark.h"
#include "checks.h"
#include "compilers.h"
#include "counters.h"
#include "environment.h"
#include "error_report.h"
#include "interrupt.h"
#include "kernel_facts.h"
#include "litmus_run.h"
#include "record_snapshot.h"
#include "throughput.h"

#include <stdlib.h>
#include <string.h>

/* Launches of each litmus test. On an H100, all tests take 20 to 30 s. With fewer launches, compare
 * can tell hardly any change from chance (is_no_chance() in difference_litmus.c). */
enum { LITMUS_LAUNCHES = 16 };

const char *const part_names[PARTS + 1] = {
    [PART_RUN] = "run",
    [PART_RACES] = "races",
    [PART_COUNTERS] = "counters",
    [PART_CODE] = "code",
    [PART_COMPILERS] = "compilers",
    [PART_THROUGHPUT] = "throughput",
    [PART_BENCHMARK] = "benchmark",
    [PART_LITMUS] = "litmus",
};

struct snapshot {
    const struct snapshot_request *request;
    struct session *session;    /* its results become parts of the snapshot */
    struct engine_list engines; /* the requested ones, or all that are available */
    json_t *document;
    /* Where save_part() stores the results of a part. */
    const char *part;
    const char *engine; /* the engine, for a part with a value per engine; null */
    int exit_status;
};

/* ---- The file ---- */

static bool save(struct snapshot *snapshot)
{
    return report_file_save(&snapshot->session->file, json_incref(snapshot->document));
}

/* Stores the results of a part so far, and takes ownership of them. */
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

/* Returns the words of the command line, except for the name of the file. */
static struct list words_of(const struct snapshot_request *request, struct memory *memory)
{
    struct list words = list_take(memory, 0, sizeof(const char *));

    for (size_t k = 0; k < request->word_count; k++) {
        const char *word = request->words[k];
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
    return snapshot->request->parts == 0 || (snapshot->request->parts >> part & 1);
}

/* Records the status of a part. A missing toolkit is noted in the file. It is a failure only if the
 * user requested the part. */
static void take_status(struct snapshot *snapshot, enum part part, int status)
{
    bool requested = snapshot->request->parts != 0 || part == PART_RUN;

    if (status != EXIT_UNAVAILABLE || requested)
        snapshot->exit_status = session_worse(snapshot->exit_status, status);
}

/* Records the status of a check. The selection fits all checks, so bad usage is an internal error
 * here. */
static void take_check(struct snapshot *snapshot, enum part part, int status)
{
    take_status(snapshot, part, status == EXIT_USAGE ? EXIT_ENVIRONMENT : status);
}

static bool goes_on(const struct snapshot *snapshot)
{
    return snapshot->exit_status != EXIT_ENVIRONMENT && !interrupt_came();
}

static void run_cases(struct snapshot *snapshot)
{
    const struct run_request request = {.selection = snapshot->request->selection,
                                        .engines = snapshot->engines,
                                        .max_failures = UINT64_MAX}; /* judge every row */

    take_check(snapshot, PART_RUN, run_check(&request, snapshot->session));
}

static void look_for_races(struct snapshot *snapshot, const struct engine_kind *engine)
{
    struct races_request request = {.selection = snapshot->request->selection,
                                    .max_failures = UINT64_MAX,
                                    .delays = snapshot->request->delays};

    engine_list_add(&request.engines, engine->id);
    take_check(snapshot, PART_RACES, races_check(&request, snapshot->session));
}

/* Adds a row of counters. Returns false when the part cannot go on. */
static bool add_counters(struct snapshot *snapshot, const struct engine_kind *engine,
                         struct supervisor *supervisor, const struct variant *variant, json_t *rows)
{
    const struct selection *selection = &snapshot->request->selection;
    struct test_case test;
    struct outcome outcome;
    json_t *row;
    enum engine_status status;

    if (!selection_has(selection, variant) ||
        session_lacks(selection, variant, supervisor) != NULL ||
        !throughput_case(selection, variant, true, &test))
        return true;
    test.model = MODEL_LOCKSTEP;
    status = counters_report(supervisor, &test, &outcome, &row);
    if (status != ENGINE_OK) {
        take_status(
            snapshot, PART_COUNTERS,
            session_failed(snapshot->session, engine->id, status, supervisor_reason(supervisor)));
        return false;
    }
    if (row != NULL) /* a fault has no row; the verdict reports it */
        json_array_append_new(rows, row);
    return true;
}

static void run_counters(struct snapshot *snapshot, const struct engine_kind *engine)
{
    const struct catalogue *catalogue = snapshot->session->catalogue;
    struct supervisor *supervisor;
    int status = session_open(snapshot->session, engine->id, REQUEST_RUN, &supervisor);
    bool good = status == EXIT_CONFORMS;
    json_t *rows;

    take_status(snapshot, PART_COUNTERS, status);
    if (!good)
        return;
    rows = json_array();
    good = save_part(snapshot, json_incref(rows));
    for (size_t v = 0; v < catalogue->count && good && !interrupt_came(); v++)
        good = add_counters(snapshot, engine, supervisor, &catalogue->variants[v], rows);
    session_close(snapshot->session, supervisor);
    if (!save_part(snapshot, rows))
        snapshot->exit_status = EXIT_ENVIRONMENT;
}

static void run_throughput(struct snapshot *snapshot, const struct engine_kind *engine)
{
    take_status(snapshot, PART_THROUGHPUT,
                throughput_measure(&snapshot->request->selection, engine, snapshot->session));
}

static void run_code(struct snapshot *snapshot)
{
    struct memory memory = {NULL};
    const struct code_record *facts =
        kernel_facts_read(&snapshot->request->compilers, &snapshot->request->selection,
                          snapshot->session->catalogue, &memory);

    if (facts->skipped != NULL && snapshot->request->parts != 0)
        error_report("the part code: %s", facts->skipped);
    if (facts->skipped != NULL)
        take_status(snapshot, PART_CODE, EXIT_UNAVAILABLE);
    else if (facts->failures.count > 0)
        take_status(snapshot, PART_CODE, EXIT_DIFFERS);
    if (!save_part(snapshot, model_json(&code_table, facts)))
        snapshot->exit_status = EXIT_ENVIRONMENT;
    memory_free(&memory);
}

/* Runs the idioms only. Random programs are the job of `compilers`. */
static void run_compilers(struct snapshot *snapshot)
{
    const struct compilers_request request = {.compilers = snapshot->request->compilers,
                                              .selection = snapshot->request->selection};

    take_check(snapshot, PART_COMPILERS, compilers_check(&request, snapshot->session));
}

/* Returns whether the engines include a GPU. Otherwise the part is skipped. */
static bool uses_a_gpu(struct snapshot *snapshot, enum part part)
{
    bool uses = snapshot->request->engines.count == 0;

    for (size_t e = 0; e < snapshot->engines.count; e++)
        uses = uses || snapshot->engines.kinds[e]->uses_a_gpu;
    if (uses)
        return true;
    if (snapshot->request->parts != 0)
        error_report("the part %s needs a GPU: give --engine cuda, or no --engine",
                     part_names[part]);
    take_status(snapshot, part, EXIT_UNAVAILABLE);
    return false;
}

static void run_benchmark(struct snapshot *snapshot)
{
    json_t *rows = NULL;

    if (!uses_a_gpu(snapshot, PART_BENCHMARK))
        return;
    take_status(
        snapshot, PART_BENCHMARK,
        benchmark_measure(&snapshot->request->selection, snapshot->session->catalogue, &rows));
    if (rows != NULL && !save_part(snapshot, rows))
        snapshot->exit_status = EXIT_ENVIRONMENT;
}

static void run_litmus(struct snapshot *snapshot)
{
    int status;

    if (!uses_a_gpu(snapshot, PART_LITMUS))
        return;
    status = litmus_run_built_in(&snapshot->request->compilers.ptxas, LITMUS_LAUNCHES,
                                 snapshot->session);
    if (status == EXIT_ENVIRONMENT && !interrupt_came())
        status = EXIT_DIFFERS; /* the file says which tests did not run */
    take_check(snapshot, PART_LITMUS, status);
}

/* Runs a part that examines the engines one by one. */
static void run_engines(struct snapshot *snapshot, bool simulating,
                        void (*run)(struct snapshot *snapshot, const struct engine_kind *engine))
{
    json_object_set_new(snapshot->document, snapshot->part, json_object());
    for (size_t e = 0; e < snapshot->engines.count && goes_on(snapshot); e++) {
        const struct engine_kind *engine = snapshot->engines.kinds[e];
        if (simulating && !engine->simulates)
            continue;
        snapshot->engine = engine->name;
        run(snapshot, engine);
    }
    snapshot->engine = NULL;
}

/* Runs a part on the simulator, if it is among the engines. */
static void run_simulators(struct snapshot *snapshot, enum part part,
                           void (*run)(struct snapshot *snapshot, const struct engine_kind *engine))
{
    bool simulates = false;

    for (size_t e = 0; e < snapshot->engines.count; e++)
        simulates = simulates || snapshot->engines.kinds[e]->simulates;
    run_engines(snapshot, true, run);
    if (simulates)
        return;
    if (snapshot->request->parts != 0)
        error_report("the part %s runs on the simulator only: give --engine sim, or no --engine",
                     part_names[part]);
    take_status(snapshot, part, EXIT_UNAVAILABLE);
}

/* How each part runs: as a whole, or engine by engine, and perhaps only on engines that simulate.
 */
static const struct {
    void (*whole)(struct snapshot *snapshot);
    void (*by_engine)(struct snapshot *snapshot, const struct engine_kind *engine);
    bool simulating;
} parts[PARTS] = {
    [PART_RUN] = {.whole = run_cases},
    [PART_RACES] = {.by_engine = look_for_races, .simulating = true},
    [PART_COUNTERS] = {.by_engine = run_counters, .simulating = true},
    [PART_CODE] = {.whole = run_code},
    [PART_COMPILERS] = {.whole = run_compilers},
    [PART_THROUGHPUT] = {.by_engine = run_throughput},
    [PART_BENCHMARK] = {.whole = run_benchmark},
    [PART_LITMUS] = {.whole = run_litmus},
};

static void run_one(struct snapshot *snapshot, enum part part)
{
    snapshot->part = part_names[part];
    if (parts[part].whole != NULL)
        parts[part].whole(snapshot);
    else if (parts[part].simulating)
        run_simulators(snapshot, part, parts[part].by_engine);
    else
        run_engines(snapshot, false, parts[part].by_engine);
}

/* ---- Limits ---- */

/* Finds the largest block and grid, and the most elements, in the plan of a variant for that
 * engine. Units are threads, blocks and elements. Returns false when memory runs out. */
static bool limit_of(const struct snapshot *snapshot, const struct variant *variant,
                     const struct engine_kind *engine, struct limit_record *limit)
{
    struct plan plan;

    if (!plan_make(&snapshot->request->selection.cases, variant, engine->simulates, 0, &plan))
        return false;
    *limit = (struct limit_record){.id = variant->id,
                                   .kind = variant->kind,
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
    const struct catalogue *catalogue = snapshot->session->catalogue;
    struct limits_record limits = {.deadline_seconds = snapshot->session->limits.deadline_seconds};
    struct limit_record limit;

    for (size_t e = 0; e < snapshot->engines.count; e++)
        for (size_t v = 0; v < catalogue->count; v++)
            if (selection_has(&snapshot->request->selection, &catalogue->variants[v]) &&
                limit_of(snapshot, &catalogue->variants[v], snapshot->engines.kinds[e], &limit))
                LIST_ADD(memory, &limits.rows, struct limit_record) = limit;
    return limits;
}

/* ---- All parts ---- */

/* Checks a required engine before any work, because no other engine can do its part. */
static void require_engine(struct snapshot *snapshot, const bool has[ENGINES])
{
    static const struct engine_list none = {.count = 0};
    const struct engine_list *requested = &snapshot->request->engines;
    struct session *session = snapshot->session;

    if (session->require != NULL && !has[session->require->id] &&
        (requested->count == 0 || engine_list_has(requested, session->require->id)))
        session->require_always = true; /* prints the reason */
    take_status(snapshot, PART_RUN, session_require(session, &none));
    session->require_always = false; /* it is available now, or the snapshot has failed */
}

/* Makes the snapshot with its environment and without parts. */
static void begin(struct snapshot *snapshot)
{
    const struct snapshot_request *request = snapshot->request;
    bool has[ENGINES];
    struct memory memory = {NULL};
    struct snapshot_record record = {
        .version = SNAPSHOT_VERSION,
        .environment = environment_read(snapshot->session, &request->engines, &request->compilers,
                                        has, &memory),
        .options = words_of(request, &memory),
    };

    snapshot->engines = request->engines;
    for (int e = 0; e < ENGINES && request->engines.count == 0; e++)
        if (has[e])
            engine_list_add(&snapshot->engines, (enum engine_id)e);
    record.limits = limits_of(snapshot, &memory);
    snapshot->document = model_json(&snapshot_table, &record);
    memory_free(&memory);
    require_engine(snapshot, has);
}

/* Marks the snapshot as complete. Returns false after an error message. */
static bool end(struct snapshot *snapshot)
{
    json_t *environment = model_member(
        MEMBER_OF(snapshot_table, struct snapshot_record, environment), snapshot->document);
    json_t *readings = model_member(
        MEMBER_OF(environment_table, struct environment_record, readings), environment);
    char text[TIME_TEXT];

    environment_time(text);
    json_object_set_new(readings, MEMBER_OF(readings_table, struct readings_record, ended)->name,
                        json_string(text));
    json_object_set_new(snapshot->document,
                        MEMBER_OF(snapshot_table, struct snapshot_record, complete)->name,
                        json_true());
    return save(snapshot);
}

int snapshot_take(const struct snapshot_request *request, struct session *session)
{
    struct snapshot snapshot = {.request = request, .session = session};

    if (!session_fits(session, &request->selection))
        return EXIT_USAGE;
    interrupt_catch();
    begin(&snapshot);
    session->save = save_part;
    session->save_context = &snapshot;
    if (!save(&snapshot))
        snapshot.exit_status = EXIT_ENVIRONMENT;
    for (int part = 0; part < PARTS && goes_on(&snapshot); part++)
        if (has_part(&snapshot, (enum part)part))
            run_one(&snapshot, (enum part)part);
    session->save = NULL;
    snapshot.exit_status = session_interrupted(snapshot.exit_status);
    if (goes_on(&snapshot) && !end(&snapshot))
        snapshot.exit_status = EXIT_ENVIRONMENT;
    json_decref(snapshot.document);
    return snapshot.exit_status;
}
