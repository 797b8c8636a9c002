/* SPDX-License-Identifier: MIT
 *
 * A case has a defined result if the kernel causes no fault and its outputs are bit-identical under
 * all of these schedules:
 * - lockstep, sequential
 * - independent: `sequential`, `reverse` and five random schedules
 *
 * This must be true both for the case's own values and for random values.
 */
#include "checks.h"

#include "error_report.h"
#include "json_model.h"
#include "outcome_tables.h"
#include "replay_line.h"
#include "trials.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { RANDOM_SCHEDULES = 5, ORDERS = 3 + RANDOM_SCHEDULES };

/* The record of one original variant, and the first case whose results differ. */
struct agreement {
    const char *id;
    enum engine_id engine;
    enum variant_kind kind;
    uint64_t outside, defined, equal;
    const char *verdict;
    bool differs;
    struct test_case counterexample;
    struct outcome sim, other;
};

static const struct field agreement_fields[] = {
    FIELD("id", STRING, struct agreement, id),
    FIELD("engine", WORD, struct agreement, engine, .words = &engine_words),
    FIELD("variant", WORD, struct agreement, kind, .words = &variant_kind_words),
    FIELD("outside", COUNT, struct agreement, outside),
    FIELD("defined", COUNT, struct agreement, defined),
    FIELD("equal", COUNT, struct agreement, equal),
    FIELD("verdict", STRING, struct agreement, verdict),
};
static const struct table agreement_table = TABLE("agreement", agreement_fields, struct agreement);

struct check {
    const struct selection *selection;
    const struct session *session;
    struct supervisor *sim, *other;
    json_t *results;
    struct agreement agreement; /* the row that was run last */
    int exit_status;
};

/* ---- Cases with one defined result ---- */

/* Adds the cases of the plan that are outside the variant's domain. Returns false when memory runs
 * out. */
static bool add_outside(const struct plan_request *asked, const struct variant *variant,
                        struct trials *cases)
{
    struct plan_request request = *asked;
    struct plan plan;

    request.assume_corrected = true; /* include shapes that break several conditions */
    if (!plan_make(&request, variant, false, 0, &plan))
        return false;
    for (uint64_t k = 0; k < plan_count(&plan); k++) {
        struct test_case test;
        plan_case(&plan, k, &test);
        if (variant_violations(variant, &test.shape) != 0)
            trials_add(cases, &test);
    }
    plan_free(&plan);
    return true;
}

/* Returns the case under schedule number k. */
static struct test_case in_order(struct test_case test, size_t k)
{
    test.model = k == 0 ? MODEL_LOCKSTEP : MODEL_INDEPENDENT;
    test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    if (k == 2)
        test.schedule.kind = SCHEDULE_REVERSE;
    if (k > 2)
        test.schedule = (struct schedule){SCHEDULE_RANDOM, k - 2, {0}};
    return test;
}

/* Keeps the cases that give the same result under every schedule, with the outcome of the first
 * schedule. Also keeps the trials with the same indices in `along`, which may be null.
 *
 * Each pass runs one schedule on all cases that are left. Most cases outside a domain have no
 * defined result and drop out in the first passes. */
static enum engine_status keep_same(struct supervisor *sim, struct trials *cases,
                                    struct trials *along)
{
    struct trials tried = {.cases = NULL};
    enum engine_status status = ENGINE_OK;

    for (size_t k = 0; status == ENGINE_OK && k < ORDERS; k++) {
        size_t kept = 0;
        trials_clear(&tried);
        for (size_t i = 0; i < cases->count; i++) {
            const struct test_case test = in_order(cases->cases[i], k);
            trials_add(&tried, &test);
        }
        status = trials_run(&tried, sim);
        for (size_t i = 0; status == ENGINE_OK && i < cases->count; i++) {
            const struct outcome *first = k == 0 ? &tried.outcomes[i] : &cases->outcomes[i];
            if (!outcomes_are_same(first, &tried.outcomes[i]))
                continue;
            if (along != NULL)
                trials_move(along, kept, i);
            cases->outcomes[i] = *first;
            trials_move(cases, kept++, i);
        }
        if (status == ENGINE_OK)
            cases->count = kept;
        if (status == ENGINE_OK && along != NULL)
            along->count = kept;
    }
    trials_free(&tried);
    return status;
}

/* Keeps the cases whose result is defined both for their own values and for random ones. Special
 * values may hide a difference that random values show. */
static enum engine_status keep_defined(struct supervisor *sim, struct trials *cases)
{
    struct trials random = {.cases = NULL};
    enum engine_status status = keep_same(sim, cases, NULL);

    for (size_t i = 0; status == ENGINE_OK && i < cases->count; i++) {
        struct test_case test = cases->cases[i];
        test.values = (struct values){VALUES_HASH, 1};
        trials_add(&random, &test);
    }
    if (status == ENGINE_OK)
        status = keep_same(sim, &random, cases);
    trials_free(&random);
    return status;
}

/* ---- A variant ---- */

/* Runs the cases on the other engine as well. Returns false after an error message. */
static bool run_other(struct check *check, const struct trials *cases)
{
    struct agreement *agreement = &check->agreement;
    struct trials other = {.cases = NULL};
    bool good;

    for (size_t i = 0; i < cases->count; i++)
        trials_add(&other, &cases->cases[i]);
    good = trials_run(&other, check->other) == ENGINE_OK ||
           error_report("%s: %s", agreement->id, supervisor_reason(check->other));
    for (size_t i = 0; good && i < cases->count; i++) {
        if (outcomes_are_same(&cases->outcomes[i], &other.outcomes[i])) {
            agreement->equal++;
        } else if (!agreement->differs) {
            agreement->differs = true;
            agreement->counterexample = cases->cases[i];
            agreement->sim = cases->outcomes[i];
            agreement->other = other.outcomes[i];
        }
    }
    trials_free(&other);
    return good;
}

/* Fills in the agreement. Returns false after an error message. */
static bool compare_variant(struct check *check, const struct variant *variant)
{
    struct agreement *agreement = &check->agreement;
    struct trials cases = {.cases = NULL};
    bool good;

    *agreement =
        (struct agreement){.id = variant->id, .kind = variant->kind, .engine = ENGINE_CUDA};
    good = add_outside(&check->selection->cases, variant, &cases) ||
           error_report("%s: out of memory", variant->id);
    agreement->outside = cases.count;
    good = good && (keep_defined(check->sim, &cases) == ENGINE_OK ||
                    error_report("%s: %s", variant->id, supervisor_reason(check->sim)));
    agreement->defined = cases.count;
    good = good && run_other(check, &cases);
    agreement->verdict =
        agreement->defined == 0
            ? "does not apply: no shape tried outside the domain has one defined result"
        : agreement->differs ? "differs"
                             : "agrees";
    trials_free(&cases);
    return good;
}

static void print_row(void *context)
{
    const struct check *check = context;
    const struct agreement *agreement = &check->agreement;
    char shape[SHAPE_TEXT], values[WORD_SIZE], text[OUTCOME_TEXT], case_id[CASE_ID_SIZE], *command;

    printf("%-39s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  %s\n", agreement->id, agreement->outside,
           agreement->defined, agreement->equal, agreement->verdict);
    if (agreement->differs) {
        values_format(agreement->counterexample.values, values);
        outcome_text(&agreement->sim, text, sizeof text);
        printf(
            "    %s, values %s\n    sim: %s\n",
            shape_text(agreement->counterexample.variant, &agreement->counterexample.shape, shape),
            values, text);
        outcome_text(&agreement->other, text, sizeof text);
        printf("    %s: %s\n", engine_kinds[ENGINE_CUDA].name, text);
        case_id_format(&agreement->counterexample, &engine_kinds[ENGINE_CUDA], case_id);
        command = replay_line_command(check->session, case_id);
        printf("        %s\n", command != NULL ? command : case_id);
        free(command);
    }
    fflush(stdout);
}

/* ---- The check ---- */

static enum row_result run_row(void *context, const struct variant *variant, unsigned int number)
{
    struct check *check = context;

    (void)number;
    if (variant->kind != VARIANT_ORIGINAL || supervisor_lacks(check->other, variant->need) != NULL)
        return ROW_LEFT_OUT;
    if (!compare_variant(check, variant))
        return ROW_STOP;
    json_array_append_new(check->results, model_json(&agreement_table, &check->agreement));
    if (check->agreement.differs)
        check->exit_status = EXIT_DIFFERS;
    return ROW_DONE;
}

static int compare_all(struct check *check)
{
    const struct row_loop loop = {.context = check,
                                  .selection = check->selection,
                                  .per_variant = 1,
                                  .run = run_row,
                                  .rows = check->results,
                                  .report = print_row};

    printf("%-39s %8s %8s %8s  %s\n", "kernel", "outside", "defined", "equal",
           engine_kinds[ENGINE_CUDA].name);
    return session_rows(check->session, &loop) ? session_interrupted(check->exit_status)
                                               : EXIT_ENVIRONMENT;
}

int cross_check_run(const struct rows_request *request, const struct session *session)
{
    const struct selection *selection = &request->selection;
    struct check check = {.selection = selection, .session = session};
    int status;

    check.results = json_array();
    status = session_save(session, json_incref(check.results)) ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
    if (status == EXIT_CONFORMS)
        status = session_open(session, ENGINE_CUDA, REQUEST_DIGEST, &check.other);
    if (status == EXIT_CONFORMS)
        status = session_open(session, ENGINE_SIM, REQUEST_DIGEST, &check.sim);
    if (status == EXIT_CONFORMS)
        status = compare_all(&check);
    session_close(session, check.other);
    session_close(session, check.sim);
    json_decref(check.results);
    return status;
}
