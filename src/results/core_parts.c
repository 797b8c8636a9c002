/* SPDX-License-Identifier: MIT
 *
 * The parts of the core: results, races, counters, and facts about compiled code.
 */
#include "checks.h"
#include "counters.h"
#include "difference.h"
#include "error_report.h"
#include "interrupt.h"
#include "kernel_facts.h"
#include "part.h"
#include "record_snapshot.h"
#include "shrink.h"
#include "snapshot.h"

enum { CASE_SEED = 1 };

bool snapshot_case(const struct selection *selection, const struct variant *variant, bool simulated,
                   struct test_case *test)
{
    struct plan plan;
    const struct planned_shape *largest = NULL;

    if (selection_lacks(selection, variant) != NULL ||
        !plan_make(&selection->cases, variant, simulated, 0, &plan))
        return false;
    plan_keep_inside(&plan);
    for (size_t k = 0; k < plan.shape_count; k++)
        if (largest == NULL || shape_is_smaller(&largest->shape, &plan.shapes[k].shape))
            largest = &plan.shapes[k];
    if (largest != NULL)
        plan_case(&plan, largest->first, test);
    plan_free(&plan);
    test->values = (struct values){VALUES_HASH, CASE_SEED};
    test->schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    return largest != NULL;
}

static int run_cases(const struct snapshot_request *request, const struct engine_list *engines,
                     const struct engine_kind *engine, const struct session *session)
{
    const struct rows_request run = {.selection = request->selection,
                                     .engines = *engines,
                                     .max_failures = UINT64_MAX}; /* judge every row */

    (void)engine;
    return check_rows(&run, CHECK_RUN, session);
}

static int look_for_races(const struct snapshot_request *request, const struct engine_list *engines,
                          const struct engine_kind *engine, const struct session *session)
{
    struct rows_request races = {
        .selection = request->selection, .max_failures = UINT64_MAX, .delays = request->delays};

    (void)engines;
    engine_list_add(&races.engines, engine->id);
    return check_rows(&races, CHECK_RACES, session);
}

/* Adds a row of counters. Returns an exit status. */
static int add_counters(const struct snapshot_request *request, const struct engine_kind *engine,
                        struct supervisor *supervisor, const struct variant *variant,
                        const struct session *session, json_t *rows)
{
    const struct selection *selection = &request->selection;
    struct test_case test;
    struct outcome outcome;
    json_t *row;
    enum engine_status status;

    if (!selection_has(selection, variant) ||
        session_lacks(selection, variant, supervisor) != NULL ||
        !snapshot_case(selection, variant, true, &test))
        return EXIT_CONFORMS;
    test.model = MODEL_LOCKSTEP;
    status = counters_report(supervisor, &test, &outcome, &row);
    if (status != ENGINE_OK)
        return session_failed(session, engine->id, status, supervisor_reason(supervisor));
    if (row != NULL) /* a fault has no row; the verdict reports it */
        json_array_append_new(rows, row);
    return EXIT_CONFORMS;
}

static int run_counters(const struct snapshot_request *request, const struct engine_list *engines,
                        const struct engine_kind *engine, const struct session *session)
{
    const struct catalogue *catalogue = session->catalogue;
    struct supervisor *supervisor;
    int status = session_open(session, engine->id, REQUEST_RUN, &supervisor);
    bool good = status == EXIT_CONFORMS;
    json_t *rows;

    (void)engines;
    if (!good)
        return status;
    rows = json_array();
    good = session_save(session, json_incref(rows));
    for (size_t v = 0; v < catalogue->count && good && !interrupt_came(); v++) {
        status = add_counters(request, engine, supervisor, &catalogue->variants[v], session, rows);
        good = status == EXIT_CONFORMS;
    }
    session_close(session, supervisor);
    return session_save(session, rows) ? status : EXIT_ENVIRONMENT;
}

static int read_code(const struct snapshot_request *request, const struct engine_list *engines,
                     const struct engine_kind *engine, const struct session *session)
{
    struct memory memory = {NULL};
    const struct code_record *facts =
        kernel_facts_read(&request->compilers, &request->selection, session->catalogue, &memory);
    int status = facts->skipped != NULL      ? EXIT_UNAVAILABLE
                 : facts->failures.count > 0 ? EXIT_DIFFERS
                                             : EXIT_CONFORMS;

    (void)engines, (void)engine;
    if (facts->skipped != NULL && request->parts != 0)
        error_report("the part code: %s", facts->skipped);
    if (!session_save(session, model_json(&code_table, facts)))
        status = EXIT_ENVIRONMENT;
    memory_free(&memory);
    return status;
}

const struct part core_parts[] = {
    {"run", NULL, PART_WHOLE, run_cases, rows_of_run, NULL},
    {"races", NULL, PART_SIMULATORS, look_for_races, rows_of_races, NULL},
    {"counters", NULL, PART_SIMULATORS, run_counters, rows_of_counters, NULL},
    {"code", NULL, PART_WHOLE, read_code, rows_of_code, NULL},
    {.name = NULL},
};
