/* SPDX-License-Identifier: MIT */
#include "snapshot.h"

#include "environment.h"
#include "error_report.h"
#include "interrupt.h"
#include "part.h"
#include "record_snapshot.h"

#include <stdlib.h>
#include <string.h>

struct snapshot {
    const struct snapshot_request *request;
    struct session session;     /* its results become parts of the snapshot */
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
    return report_file_save(&snapshot->session.sinks->file, json_incref(snapshot->document));
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

/* ---- Running parts ---- */

/* Records the status of a part. A missing toolkit is noted in the file. It is a failure only if the
 * user requested the part. The selection fits all checks, so bad usage is an internal error here.
 */
static void take_status(struct snapshot *snapshot, const struct part *part, int status)
{
    bool requested = snapshot->request->parts != 0 || part == core_parts;

    if (status == EXIT_USAGE)
        status = EXIT_ENVIRONMENT;
    if (status != EXIT_UNAVAILABLE || requested)
        snapshot->exit_status = session_worse(snapshot->exit_status, status);
}

static bool goes_on(const struct snapshot *snapshot)
{
    return snapshot->exit_status != EXIT_ENVIRONMENT && !interrupt_came();
}

static void run_on(struct snapshot *snapshot, const struct part *part,
                   const struct engine_kind *engine)
{
    take_status(snapshot, part,
                part->run(snapshot->request, &snapshot->engines, engine, &snapshot->session));
}

/* Runs a part that examines the engines one by one. Returns whether there was one for it. */
static bool run_on_each(struct snapshot *snapshot, const struct part *part)
{
    bool any = false;

    json_object_set_new(snapshot->document, snapshot->part, json_object());
    for (size_t e = 0; e < snapshot->engines.count; e++) {
        const struct engine_kind *engine = snapshot->engines.kinds[e];
        if (part->engines == PART_SIMULATORS && !engine->simulates)
            continue;
        any = true;
        if (!goes_on(snapshot))
            continue;
        snapshot->engine = engine->name;
        run_on(snapshot, part, engine);
    }
    snapshot->engine = NULL;
    return any;
}

static bool has_a_gpu(const struct snapshot *snapshot)
{
    bool has = snapshot->request->engines.count == 0;

    for (size_t e = 0; e < snapshot->engines.count; e++)
        has = has || snapshot->engines.kinds[e]->uses_a_gpu;
    return has;
}

static void run_part(struct snapshot *snapshot, const struct part *part)
{
    const char *lacks = NULL;

    snapshot->part = part->name;
    if (part->engines == PART_GPU && !has_a_gpu(snapshot))
        lacks = "needs a GPU: give --engine cuda, or no --engine";
    else if (part->engines == PART_GPU || part->engines == PART_WHOLE)
        run_on(snapshot, part, NULL);
    else if (!run_on_each(snapshot, part) && part->engines == PART_SIMULATORS)
        lacks = "runs on the simulator only: give --engine sim, or no --engine";
    if (lacks == NULL)
        return;
    if (snapshot->request->parts != 0)
        error_report("the part %s %s", part->name, lacks);
    take_status(snapshot, part, EXIT_UNAVAILABLE);
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
        uint64_t elements = shape_elements(shape), threads, grid;
        struct invocation call;
        variant->invoke(variant, shape, &call);
        threads = (uint64_t)call.block.x * call.block.y * call.block.z;
        grid = (uint64_t)call.grid.x * call.grid.y * call.grid.z;
        limit->largest_block = threads > limit->largest_block ? threads : limit->largest_block;
        limit->largest_size = elements > limit->largest_size ? elements : limit->largest_size;
        limit->largest_grid = grid > limit->largest_grid ? grid : limit->largest_grid;
    }
    plan_free(&plan);
    return true;
}

/* Returns a list of struct limit_record. */
static struct list limits_of(const struct snapshot *snapshot, struct memory *memory)
{
    const struct catalogue *catalogue = snapshot->session.catalogue;
    struct list limits = list_take(memory, 0, sizeof(struct limit_record));
    struct limit_record limit;

    for (size_t e = 0; e < snapshot->engines.count; e++)
        for (size_t v = 0; v < catalogue->count; v++)
            if (selection_has(&snapshot->request->selection, &catalogue->variants[v]) &&
                limit_of(snapshot, &catalogue->variants[v], snapshot->engines.kinds[e], &limit))
                LIST_ADD(memory, &limits, struct limit_record) = limit;
    return limits;
}

/* ---- All parts ---- */

/* Checks a required engine before any work, because no other engine can do its part. */
static void require_engine(struct snapshot *snapshot, const bool has[NAMED_ENGINES])
{
    static const struct engine_list none = {.count = 0};
    const struct engine_list *requested = &snapshot->request->engines;
    struct session session = snapshot->session;

    if (session.require != NULL && !has[session.require->id] &&
        (requested->count == 0 || engine_list_has(requested, session.require->id)))
        session.require_always = true; /* prints the reason */
    take_status(snapshot, core_parts, session_require(&session, &none));
}

/* Makes the snapshot with its environment and without parts. */
static void begin(struct snapshot *snapshot)
{
    const struct snapshot_request *request = snapshot->request;
    bool has[NAMED_ENGINES];
    struct memory memory = {NULL};
    struct snapshot_record record = {
        .version = SNAPSHOT_VERSION,
        .environment = environment_read(&snapshot->session, &request->engines, &request->compilers,
                                        has, &memory),
        .options = words_of(request, &memory),
        .deadline_seconds = snapshot->session.limits.deadline_seconds,
    };

    snapshot->engines = request->engines;
    for (int e = 0; e < NAMED_ENGINES && request->engines.count == 0; e++)
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
    char text[TIME_TEXT];

    environment_time(text);
    json_object_set_new(model_member(table_inner(&environment_table, &readings_table), environment),
                        MEMBER_OF(readings_table, struct environment_record, ended)->name,
                        json_string(text));
    json_object_set_new(snapshot->document,
                        MEMBER_OF(snapshot_table, struct snapshot_record, complete)->name,
                        json_true());
    return save(snapshot);
}

int snapshot_take(const struct snapshot_request *request, const struct session *session)
{
    struct snapshot snapshot = {.request = request, .session = *session};
    const struct part *part;

    if (!selection_fits(&request->selection, session->catalogue))
        return EXIT_USAGE;
    interrupt_catch();
    begin(&snapshot);
    snapshot.session.save = save_part;
    snapshot.session.context = &snapshot;
    if (!save(&snapshot))
        snapshot.exit_status = EXIT_ENVIRONMENT;
    for (size_t k = 0; (part = part_at(k)) != NULL && goes_on(&snapshot); k++)
        if (request->parts == 0 || (request->parts >> k & 1))
            run_part(&snapshot, part);
    snapshot.exit_status = session_interrupted(snapshot.exit_status);
    if (goes_on(&snapshot) && !end(&snapshot))
        snapshot.exit_status = EXIT_ENVIRONMENT;
    json_decref(snapshot.document);
    return snapshot.exit_status;
}
