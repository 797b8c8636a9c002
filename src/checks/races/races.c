/* SPDX-License-Identifier: MIT
 *
 * For each kernel and model, the race checker runs every planned shape inside the domain under two
 * schedules. Two are needed because happens-before edges through atomic accesses depend on the
 * schedule. The shapes of a launch line run with several sets of values.
 *
 * The check then runs schedules with delays, up to the requested number. The method is that of
 * Emmi, Qadeer and Rakamaric, Delay-Bounded Scheduling, POPL 2011. For a kernel that races, the
 * check searches the smallest racing shapes for a schedule that changes the result. For a kernel
 * that does not race, it searches one small shape, where no result may differ.
 *
 * Without an oracle, results are compared with the result of the schedule without a delay.
 */
#include "checks.h"

#include "barriers.h"
#include "clock.h"
#include "error_report.h"
#include "expected.h"
#include "interrupt.h"
#include "launch_text.h"
#include "races_delays.h"
#include "races_plan.h"
#include "races_sweep.h"
#include "races_weak.h"
#include "report.h"
#include "row_findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- One kernel under one model ---- */

static enum engine_status run_racing(void *supervisor, const struct test_case *cases, size_t count,
                                     struct outcome *outcomes)
{
    return supervisor_run_array(supervisor, cases, count, outcomes);
}

/* Looks for smaller cases of the races of a launch than those of the plan. Returns false on
 * error. */
static bool find_smaller(struct races *races, struct race_row *row)
{
    enum { BUDGET = 128 * CASE_COST }; /* for all races */
    const struct plan_request *cases = &races->request->selection.cases;

    if (row->variant->launch == NULL || row->record.racing == 0 ||
        !launch_has_size(row->variant->launch))
        return true;
    supervisor_ask(races->supervisor, REQUEST_RACE);
    for (size_t k = 0; k < row->race_count && races->status == ENGINE_OK; k++) {
        struct known_race *known = &row->known_races[k];
        const struct shrink_bounds bounds = {.threads = shape_threads(&known->test.shape),
                                             .elements = shape_elements(&known->test.shape),
                                             .keeps_values = true,
                                             .sizes = cases->shrinks_freely ? NULL : cases->sizes,
                                             .size_count = cases->size_count,
                                             .race = known->identity,
                                             .budget = BUDGET / row->race_count};
        struct counterexample found;
        races->status = shrink(&known->test, &(const struct outcome){.kind = OUTCOME_MISMATCH},
                               &bounds, run_racing, races->supervisor, &found);
        known->test = found.test;
        if (races->status == ENGINE_OK)
            race_row_keep(row, &found.test);
    }
    return races->status == ENGINE_OK;
}

static bool describe_pairs(struct races *races, struct race_row *row)
{
    struct outcome outcome;

    races->status = races_describe(races->session, races->supervisor, row, &outcome);
    return races->status == ENGINE_OK;
}

/* Gives faults that stay without a race the place of those with their identity. */
static void take_staying(struct race_row *row, const struct list *list)
{
    struct failure *faults = row->found_faults.items;
    const struct staying *stays = list->items;

    for (size_t s = 0; s < list->count; s++)
        for (size_t k = 0; k < row->found_faults.count; k++)
            if (outcome_same_finding(&faults[k].counterexample.outcome, &stays[s].fault.outcome))
                faults[k] = (struct failure){.counterexample = stays[s].fault,
                                             .cases = 1,
                                             .is_examined = true,
                                             .with = stays[s].with};
}

/* Tries barriers for the races of a user's kernel. One that is right if threads are independent is
 * right in lockstep, too. */
static void search_barriers(struct races *races, const struct plan *plan, struct race_row *row)
{
    const struct racing racing = {row->record.pairs.items, row->pair_tests, row->record.pairs.count,
                                  plan};
    bool is_first = row->record.model == MODEL_INDEPENDENT ||
                    !races->request->selection.cases.models[MODEL_INDEPENDENT];
    struct list stays;

    if (!is_first || row->variant->launch == NULL || launch_is_captured(row->variant) ||
        row->record.racing == 0)
        return;
    stays = barriers_search(races->session, races->engine->id, &racing, row->help, row->memory);
    take_staying(row, &stays);
}

/* Searches the schedules of a row. A race that only a delay shows is then described and searched as
 * another race is. Returns false on error. */
static bool search_schedules(struct races *races, const struct plan *plan, struct race_row *row)
{
    bool good = row->kept == 0 || (find_smaller(races, row) && describe_pairs(races, row));

    if (good && row->kept > 0)
        good = races_search_wrong(races, row);
    else if (good && row->record.faults == 0)
        good = races_search_free(races, plan, row);
    if (good && row->search.races) {
        row->search.races = false;
        good = describe_pairs(races, row) && races_search_wrong(races, row);
    }
    return good && races_search_repair(races, row);
}

/* Takes the difference between two schedules of the race checker, if nothing else shows one.
 * Returns false on error. */
static bool take_orders(struct races *races, struct race_row *row)
{
    races->session->sinks->excused |= row->orders.excused;
    if (!row->orders.wrong || row->search.wrong || row->record.racing > 0 || row->record.faults > 0)
        return true;
    row->search = row->orders;
    row->searched = true;
    return !row->search.other || races_find_difference(races, &row->search);
}

/* Compares a row that is judged with the known deviations. */
static void look_for_known(struct races *races, struct race_row *row, bool limited)
{
    const struct expected_row named = {EXPECT_RACES, row->variant, row->engine, races->supervisor};
    const char *results[FAULT_KINDS + 2];
    size_t count = 0;

    if (row->record.as_expected && !limited)
        expected_pass(races->session, &named);
    if (row->record.as_expected)
        return;
    if (row->record.racing > 0)
        results[count++] = race_verdict_name(RACE);
    else if (row->searched && row->search.wrong)
        results[count++] =
            race_verdict_name(races_verdict(row) == RACE_WRONG ? RACE_WRONG : ORDER_DEPENDENT);
    for (int k = FAULT_NONE + 1; k < FAULT_KINDS; k++)
        if (row->fault_kinds >> k & 1)
            results[count++] = fault_name((enum fault_kind)k);
    row->record.known_deviation = expected_failure(races->session, &named, results, count);
}

static void judge(struct races *races, struct race_row *row)
{
    enum race_verdict verdict = races_verdict(row), declared = races_expected(row);
    bool limited = selection_is_limited(&races->request->selection) || row->is_bounded;

    if (row->skipped != NULL && (row->is_bounded || row->variant->launch != NULL))
        return;
    /* A user's selection need not reproduce a declared race. */
    row->record.as_expected = row->record.faults == 0 && row->record.unexpected == 0 &&
                              (verdict == declared || verdict == RACE_OF_SAME ||
                               verdict == RACE_UNSUPPORTED || (limited && verdict == RACE_FREE));
    if (row->unsupported > 0)
        session_note_unsupported(races->session, &row->unsupported_outcome);
    look_for_known(races, row, limited);
    races->not_as_declared += !row->record.as_expected && row->record.known_deviation == NULL;
    races->judged++;
}

/* Looks for the races that explain the faults. */
static void explain_faults(struct races *races, struct race_row *row)
{
    struct explanation explanation;
    struct failure *faults = row->found_faults.items;

    for (size_t k = 0; k < row->found_faults.count; k++) {
        failure_explain(races->supervisor, &faults[k], &explanation);
        if (faults[k].has_cause && row->variant->launch != NULL)
            races_take_cause(races->session, row, &faults[k]);
    }
}

static bool run_row(struct races *races, struct race_row *row)
{
    struct plan plan;
    bool good;

    row->skipped = session_lacks(&races->request->selection, row->variant, races->supervisor);
    row->record.as_expected = true;
    if (row->skipped != NULL)
        return true;
    if (!races_plan(&races->request->selection.cases, row->variant, row->record.model, &plan)) {
        races->status = supervisor_out_of_memory(races->supervisor);
        return false;
    }
    if (plan_count(&plan) == 0) {
        row->skipped = "no shape of --block and --size is inside the kernel's domain";
        plan_free(&plan);
        return true;
    }
    races->status = races_sweep(races->supervisor, &plan, row, races);
    good = races->status == ENGINE_OK;
    if (good && row->is_bounded && row->record.checked == 0 && row->record.faults == 0)
        row->skipped = "--minutes left no time for a case that accesses memory";
    else if (good && row->record.checked == 0 && row->record.faults == 0 && row->unsupported == 0)
        row->skipped = "no case reached a memory access, a barrier or a call";
    else if (good && !race_row_has_failed(row) && row->unsupported == 0)
        good = races_search_executions(races, &plan, row);
    if (good && row->skipped == NULL && row->unsupported == 0)
        good = search_schedules(races, &plan, row) && take_orders(races, row);
    explain_faults(races, row);
    if (good && row->skipped == NULL && row->unsupported == 0)
        search_barriers(races, &plan, row);
    plan_free(&plan);
    if (interrupt_came())
        return false; /* an incomplete run is no evidence */
    if (good)
        judge(races, row);
    return good;
}

/* ---- The check ---- */

size_t races_rows(const struct selection *selection, const struct catalogue *catalogue)
{
    size_t count = 0;

    for (size_t v = 0; v < catalogue->count; v++)
        for (int m = 0; m < MODELS && selection_has(selection, &catalogue->variants[v]); m++)
            count += selection->cases.models[m];
    return count;
}

static bool may_continue(void *context)
{
    const struct races *races = context;
    return races->failures_left > 0;
}

/* Runs the row in its share of the time. */
static bool run_row_in_time(struct races *races, struct race_row *row)
{
    struct bound *bound = &races->session->sinks->bound;
    double end = bound_share(bound, races->all_rows - races->row_count);
    bool good = run_row(races, row);
    char kernel[KERNEL_TEXT], text[48];
    const struct bound_check check = {races->session->compiler, report_kernel(row->variant, kernel),
                                      text};

    bound_restore(bound, end);
    snprintf(text, sizeof text, "races, model %s", model_name(row->record.model));
    bound->has_looked = bound->has_looked || row->record.checked > 0 || row->record.faults > 0;
    bound_take(bound, &check, row->record.cases, row->untried);
    if (row->is_bounded && row->untried == 0)
        bound_take_rest(bound, &check, "schedules with delays");
    races->bounded += row->is_bounded;
    return good;
}

/* Adds and runs a row. Model MODELS - 1 comes first. A shard has whole rows, because the search
 * depends on all cases of a row. */
static enum row_result add_row(void *context, const struct variant *variant, unsigned int number)
{
    struct races *races = context;
    enum model model = (enum model)(MODELS - 1 - number);
    struct race_row *rows;
    uint64_t left = races->failures_left;
    double start;

    if (!races->request->selection.cases.models[model] ||
        !shard_has(&races->session->sinks->file.shard, shard_salt("races"), races->planned++))
        return ROW_LEFT_OUT;
    rows = realloc(races->rows, (races->row_count + 1) * sizeof *rows);
    if (rows == NULL) {
        races->status = supervisor_out_of_memory(races->supervisor);
        return ROW_STOP;
    }
    races->rows = rows;
    rows[races->row_count] =
        race_row_start(variant, races->engine, model, &races->session->sinks->findings.memory);
    start = clock_seconds();
    if (!run_row_in_time(races, &rows[races->row_count])) /* such a row has no verdict */
        return ROW_STOP;
    rows[races->row_count].seconds = clock_seconds() - start;
    race_row_settle(&rows[races->row_count]);
    if (rows[races->row_count].record.known_deviation != NULL)
        races->failures_left = left;
    races->row_count++;
    return ROW_DONE;
}

static json_t *results(void *context)
{
    const struct races *races = context;
    bool is_whole = /* a shard is never complete alone */
        races->session->save == NULL && races->session->sinks->file.shard.count == 0;

    return races_json(races->rows, races->row_count, is_whole ? races->all_rows : 0);
}

static void print_row(void *context)
{
    const struct races *races = context;
    races_print_row(races->session, &races->rows[races->row_count - 1]);
}

static bool run_all(struct races *races)
{
    const struct row_loop loop = {.context = races,
                                  .selection = &races->request->selection,
                                  .per_variant = MODELS,
                                  .may_continue = may_continue,
                                  .run = add_row,
                                  .results = results,
                                  .report = print_row};
    bool good;

    races_print_head(races->session);
    expected_note(races->session, EXPECT_RACES);
    good = session_rows(races->session, &loop) &&
           !(interrupt_came() && races->planned < races->all_rows);
    for (size_t r = 0; r < races->row_count && races->session->sinks->is_verbose; r++)
        races_print_details(races->session, &races->rows[r]);
    if (races->failures_left == 0)
        session_say(races->session,
                    "\nStopped after %" PRIu64 " failure%s: only the rows above have a verdict\n",
                    races->request->max_failures, report_plural(races->request->max_failures));
    if (!good && interrupt_came())
        report_interrupted(races->row_count);
    else if (!good && races->status != ENGINE_OK)
        error_report("%s", supervisor_reason(races->supervisor));
    else if (races->session->sinks->file.shard.count > 0)
        shards_print_end(&races->session->sinks->file.shard, races->row_count, "rows");
    races_take_findings(races->session, races->rows, races->row_count, &races->request->allow);
    session_take_coverage(races->session, races->supervisor);
    session_take_barriers(races->session, races->supervisor);
    for (size_t r = 0; r < races->row_count; r++)
        races->session->sinks->excused |= races->rows[r].search.excused;
    session_close(races->session, races->supervisor); /* last: skipped rows use its reasons */
    return good;
}

int races_check(const struct rows_request *request, const struct session *session)
{
    struct races races = {.request = request,
                          .session = session,
                          .engine = session_simulator(&request->engines),
                          .failures_left = request->max_failures,
                          .all_rows = races_rows(&request->selection, session->catalogue)};
    bool good;
    int status;

    if (session_saves(session) && !session_save(session, results(&races)))
        return EXIT_ENVIRONMENT;
    status = session_open(session, races.engine->id, REQUEST_RUN, &races.supervisor);
    if (status != EXIT_CONFORMS)
        return status;
    good = run_all(&races);
    free(races.rows);
    if (!good)
        return EXIT_ENVIRONMENT;
    if (races.not_as_declared > 0)
        return EXIT_DIFFERS;
    if (races.judged > 0 || races.bounded > 0 || (races.planned > 0 && races.row_count == 0) ||
        (session->may_be_idle != NULL && session->may_be_idle(session->context)))
        return EXIT_CONFORMS;
    return EXIT_UNAVAILABLE;
}
