/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include "clock.h"
#include "expected.h"
#include "interrupt.h"
#include "replay_line.h"
#include "row_findings.h"
#include "trials.h"

#include <stdio.h>
#include <string.h>

enum {
    FIXED = 2,            /* the schedules sequential and reverse */
    RANDOM_SCHEDULES = 3, /* further ones for random values; other values get one */
};

struct comparison {
    const struct plan_request *cases; /* the shapes and values */
    const struct variant *variant;
    const struct session *session;
    const struct engine_kind *engine;
    struct supervisor *simulated, *gpu; /* gpu is null if no GPU takes part */
    struct plan plan;
    struct trials ways; /* one shape and one set of values; the first is the reference */
    size_t sets;        /* the largest number of sets of values compared for one shape */
    size_t compared;    /* sets of values compared for this shape */
    size_t left_out;    /* shapes with values that cause a fault */
    struct counterexample first_left_out;
    bool hangs[VALUE_PATTERNS];
    bool is_unsupported;
    bool differs, is_bounded;  /* is_bounded: the time of --minutes is over */
    struct check_record check; /* with a finding if `differs` */
    struct supervisor *failed; /* its reason explains a status other than ENGINE_OK */
};

/* ---- Ways to run a case ---- */

static struct schedule schedule_at(const struct plan_request *request, uint64_t k, uint64_t chosen)
{
    if (k < FIXED)
        return (struct schedule){k == 0 ? SCHEDULE_SEQUENTIAL : SCHEDULE_REVERSE, 0, {0}};
    if (k < FIXED + chosen)
        return request->schedules[k - FIXED];
    return (struct schedule){SCHEDULE_RANDOM, k - chosen, {0}};
}

/* Lists the ways to run the case under every model. The order is sequential, reverse, the schedules
 * of --schedule, then random ones. If `all` is false, only one random schedule is added. */
static void take_ways(struct comparison *comparison, const struct test_case *test, bool all)
{
    const struct plan_request *request = comparison->cases;
    uint64_t chosen = request->schedules_chosen ? request->schedule_count : 0;
    uint64_t schedules = FIXED + chosen + (all ? RANDOM_SCHEDULES + request->random_schedules : 1);

    trials_clear(&comparison->ways);
    for (int m = 0; m < MODELS; m++)
        for (uint64_t k = 0; k < schedules; k++) {
            struct test_case way = *test;
            way.model = (enum model)m;
            way.schedule = schedule_at(request, k, chosen);
            trials_add(&comparison->ways, &way);
        }
}

/* ---- Comparison ---- */

/* Writes the first element that differs, and its values in both orders. Leaves the text if the
 * cases cannot be run again. */
static void compare_elements(struct comparison *comparison, const struct test_case *one,
                             const struct test_case *other, struct outcome *outcome, char *text,
                             size_t size)
{
    const struct test_case cases[2] = {*one, *other};

    if (supervisor_compare(comparison->simulated, cases, outcome) != ENGINE_OK ||
        outcome->kind != OUTCOME_MISMATCH)
        return;
    session_explain_outcome(comparison->session, outcome);
    order_text(outcome, one, other, text, size);
}

/* Returns the race that explains the first difference, or null: one of the array that differs, or,
 * if no atomic operation came in another order, another one. A race of equal values changes
 * nothing. */
static const struct race *explaining(const struct race *races, size_t count, const char *array,
                                     bool has_other_order)
{
    const struct race *found = NULL;

    for (size_t r = 0; r < count; r++) {
        if (races[r].strong || races[r].same_value)
            continue;
        if (strcmp(races[r].element.array, array) == 0)
            return &races[r];
        if (found == NULL && !has_other_order)
            found = &races[r];
    }
    return found;
}

/* Looks for a race in one of two cases with different outputs, which explains the difference. */
static void find_cause(struct comparison *comparison, const struct test_case *one,
                       const struct test_case *other, const struct difference *difference,
                       struct evidence_record *finding)
{
    struct race races[MAX_RACES_REPORTED];
    const struct test_case *const cases[] = {one, other};
    struct outcome outcome;
    size_t count = 0;
    bool has_other_order = finding->notes.count > 0;

    for (int k = 0; k < 2 && finding->cause == NULL; k++) {
        const struct race *race;
        if (supervisor_race(comparison->simulated, cases[k], &outcome, races, MAX_RACES_REPORTED,
                            &count) != ENGINE_OK)
            return;
        finding->is_examined = true;
        race = explaining(races, count, difference->element.array, has_other_order);
        if (race != NULL)
            check_add_cause(comparison->session, finding, race);
    }
}

static void take_different(struct comparison *comparison, const struct test_case *other,
                           const struct outcome *got, const struct engine_kind *engine)
{
    const struct test_case *one = &comparison->ways.cases[0];
    const struct engine_kind *first = comparison->engine;
    const struct session *session = comparison->session;
    char case_id[CASE_ID_SIZE], text[384] = "the outputs differ between two orders of threads";
    struct evidence_record *finding;
    struct outcome outcome = {.kind = OUTCOME_PASS};

    if (first == engine)
        compare_elements(comparison, one, other, &outcome, text, sizeof text);
    else
        snprintf(text, sizeof text, "the outputs of the engines %s and %s differ", engine->name,
                 first->name);
    finding = check_add_finding(session, &comparison->check, rule_determinism, text, other, engine);
    evidence_note_unordered(session, finding, &comparison->ways.outcomes[0], got);
    if (first != engine) {
        const char *inexact = comparison->ways.outcomes[0].inexact;
        case_id_format(one, first, case_id);
        evidence_note(session, finding,
                      "CUDA does not define the last bits of functions such as expf(): if the "
                      "kernel calls one, compare with --tolerance ulp:4");
        if (inexact[0] != '\0')
            evidence_note(session, finding, "a GPU may round the texture read at %s in another way",
                          inexact);
        evidence_note(session, finding, "compared with the case %s", case_id);
        return;
    }
    finding_compare(session, finding, one, engine);
    check_add_order(session, finding, &outcome);
    find_cause(comparison, one, other, &outcome.difference, finding);
}

/* Compares an outcome with that of the first way and takes a difference. A failure under either of
 * the two is taken as well. Returns whether both pass with the same digest. */
static bool is_same(struct comparison *comparison, const struct test_case *way,
                    const struct outcome *got, const struct engine_kind *engine)
{
    const struct test_case *first = &comparison->ways.cases[0];
    const struct outcome *expected = &comparison->ways.outcomes[0];
    bool fails = got->kind != OUTCOME_PASS;

    if (!fails && expected->kind == OUTCOME_PASS) {
        comparison->session->sinks->excused |= outcome_orders(got, expected);
        if (got->digest == expected->digest && got->printed == expected->printed)
            return true;
        take_different(comparison, way, got, engine);
        return false;
    }
    evidence_note_unordered(
        comparison->session,
        check_add_outcome(comparison->session, &comparison->check,
                          &(const struct counterexample){.test = fails ? *way : *first,
                                                         .outcome = fails ? *got : *expected},
                          fails ? engine : comparison->engine),
        expected, got);
    return false;
}

/* Returns whether all arrays hold integers. The NaNs of a GPU may have other bits than those of a
 * CPU. */
static bool is_of_integers(const struct test_case *test)
{
    struct invocation invocation;

    test->variant->invoke(test->variant, &test->shape, &invocation);
    for (uint32_t k = 0; k < invocation.buffer_count; k++)
        if (element_is_float(invocation.buffers[k].element))
            return false;
    return true;
}

/* Returns whether the sequential run fails in a way that does not count against the kernel, and
 * notes the case. A kernel may reject such values. */
static bool is_left_out(struct comparison *comparison)
{
    const struct outcome *outcome = &comparison->ways.outcomes[0];

    if (!outcome_is_foreign(outcome))
        return false;
    if (comparison->left_out++ == 0)
        comparison->first_left_out =
            (struct counterexample){.test = comparison->ways.cases[0], .outcome = *outcome};
    if (outcome_hangs(outcome))
        comparison->hangs[comparison->ways.cases[0].values.pattern] = true;
    return true;
}

/* Compares the outcomes of a shape for one set of values. The GPU runs the first set, which is
 * random. It runs the other sets only if all arrays hold integers. */
static enum engine_status compare_set(struct comparison *comparison, const struct test_case *test,
                                      bool is_first)
{
    const struct engine_kind *cuda = &engine_kinds[ENGINE_CUDA];
    bool on_gpu = comparison->gpu != NULL && (is_first || is_of_integers(test));
    struct trials *ways = &comparison->ways;
    struct outcome of_gpu;
    enum engine_status status;
    size_t all;

    take_ways(comparison, test, is_first);
    all = ways->count;
    ways->count = is_first ? all : 1; /* if the first way fails, the rest need not run */
    status = trials_run(ways, comparison->simulated);
    if (status != ENGINE_OK || (!is_first && is_left_out(comparison)))
        return status;
    comparison->is_unsupported = outcome_is_unsupported(&ways->outcomes[0]);
    if (comparison->is_unsupported) {
        session_note_unsupported(comparison->session, &ways->outcomes[0]);
        comparison->check.note =
            memory_copy(&comparison->session->sinks->findings.memory, ways->outcomes[0].fault.text);
        return ENGINE_OK;
    }
    if (ways->count < all) {
        ways->count = all;
        status = trials_run_from(ways, 1, comparison->simulated);
    }
    if (status == ENGINE_OK && on_gpu) {
        status = supervisor_run_array(comparison->gpu, ways->cases, 1, &of_gpu);
        comparison->failed = status != ENGINE_OK ? comparison->gpu : comparison->simulated;
    }
    if (status != ENGINE_OK)
        return status;
    comparison->compared++;
    for (size_t k = 0; k < comparison->ways.count && !comparison->differs; k++)
        comparison->differs = !is_same(comparison, &comparison->ways.cases[k],
                                       &comparison->ways.outcomes[k], comparison->engine);
    of_gpu.printed = comparison->ways.outcomes[0].printed; /* a GPU does not tell */
    if (on_gpu && !comparison->differs)
        comparison->differs = !is_same(comparison, &comparison->ways.cases[0], &of_gpu, cuda);
    return ENGINE_OK;
}

static enum engine_status compare_shape(struct comparison *comparison, size_t shape)
{
    struct values sets[PLAN_SETS];
    size_t count = plan_sets(&comparison->plan, shape, sets);
    struct bound *bound = &comparison->session->sinks->bound;
    enum engine_status status = ENGINE_OK;
    struct invocation invocation;
    struct test_case test;

    comparison->compared = 0;
    plan_case(&comparison->plan, comparison->plan.shapes[shape].first, &test);
    test.variant->invoke(test.variant, &test.shape, &invocation);
    for (size_t k = 0;
         k < count && status == ENGINE_OK && !comparison->differs && !comparison->is_unsupported;
         k++) {
        comparison->is_bounded = bound_is_over(bound);
        if (comparison->is_bounded)
            break;
        bound->has_looked = bound->has_looked || invocation.kernel != NULL;
        test.values = sets[k];
        if (k > 0 && comparison->hangs[sets[k].pattern])
            comparison->left_out++; /* it would hang again */
        else
            status = compare_set(comparison, &test, k == 0);
    }
    if (comparison->compared > comparison->sets)
        comparison->sets = comparison->compared;
    return status;
}

/* ---- All shapes ---- */

/* Looks for the known deviation of a difference, and prints it. Returns null if there is none. */
static const struct known_deviation *find_known(const struct comparison *comparison, bool is_whole)
{
    const struct expected_row named = {EXPECT_DETERMINISM, comparison->variant, comparison->engine,
                                       comparison->gpu != NULL ? comparison->gpu
                                                               : comparison->simulated};
    const struct evidence_record *finding = comparison->check.findings.items;
    const struct known_deviation *known = NULL;

    if (comparison->differs)
        known = expected_failure(comparison->session, &named, &finding->rule, 1);
    else if (is_whole)
        expected_pass(comparison->session, &named);
    if (known != NULL)
        expected_print(comparison->session, known);
    return known;
}

/* Takes the result for other programs. */
static void take_findings(struct comparison *comparison, size_t shapes, double seconds)
{
    struct check_record *check = &comparison->check;
    bool is_bounded = shapes < comparison->plan.shape_count && !comparison->differs &&
                      !comparison->is_unsupported;

    check->cases = shapes;
    check->untried = is_bounded ? comparison->plan.shape_count - shapes : 0;
    check->left_out = comparison->left_out;
    check->seconds = seconds;
    check->result = comparison->differs          ? RESULT_FAIL
                    : comparison->is_unsupported ? RESULT_INCOMPLETE
                    : is_bounded && shapes == 0  ? RESULT_SKIPPED
                    : is_bounded                 ? RESULT_BOUNDED
                                                 : RESULT_PASS;
    check->verdict = comparison->differs               ? "differs"
                     : comparison->is_unsupported      ? verdict_name(VERDICT_UNSUPPORTED)
                     : check->result == RESULT_SKIPPED ? "skipped"
                                                       : "bit-identical";
    if (check->result == RESULT_SKIPPED)
        check->note = "--minutes left no time for a case";
    bound_take(
        &comparison->session->sinks->bound,
        &(const struct bound_check){comparison->session->compiler, check->kernel, "determinism"},
        shapes, check->untried);
    check_take_known(comparison->session, check,
                     find_known(comparison, check->result == RESULT_PASS));
    findings_add_check(&comparison->session->sinks->findings, check);
    findings_save(&comparison->session->sinks->findings);
}

static int compare_all(struct comparison *comparison)
{
    size_t all = comparison->plan.shape_count, shapes = 0; /* shapes: compared */
    enum engine_status status = ENGINE_OK;
    double start = clock_seconds();

    comparison->failed = comparison->simulated;
    comparison->check =
        check_of(comparison->session, CHECKED_DETERMINISM, comparison->variant, comparison->engine);
    for (size_t k = 0; k < all && status == ENGINE_OK && !comparison->differs &&
                       !comparison->is_bounded && !comparison->is_unsupported;
         k++) {
        if (progress_is_due(&comparison->session->sinks->progress))
            progress_say(&comparison->session->sinks->progress, "determinism: case %zu of %zu",
                         k + 1, all);
        status = compare_shape(comparison, k);
        shapes += !comparison->is_bounded && !comparison->is_unsupported;
    }
    progress_end(&comparison->session->sinks->progress);
    if (status != ENGINE_OK)
        return session_failed(comparison->session, comparison->engine->id, status,
                              supervisor_reason(comparison->failed));
    take_findings(comparison, shapes, clock_seconds() - start);
    if (!comparison->differs && shapes > 0)
        session_say(
            comparison->session,
            "\nbit-identical outputs in %zu case%s, with up to %zu set%s of values, under every "
            "schedule tried%s\n",
            shapes, report_plural(shapes), comparison->sets, report_plural(comparison->sets),
            comparison->gpu != NULL ? ", and on the GPU" : "");
    if (comparison->left_out > 0) {
        session_say(comparison->session,
                    "%zu case%s with special values %s not compared, because the kernel fails with "
                    "values of that kind and may reject them\n",
                    comparison->left_out, report_plural(comparison->left_out),
                    comparison->left_out == 1 ? "is" : "are");
        report_case(comparison->session, "the first:", &comparison->first_left_out,
                    comparison->engine);
    }
    return comparison->check.result == RESULT_FAIL ? EXIT_DIFFERS : EXIT_CONFORMS;
}

/* Compares the outputs of one variant. Returns the exit status. */
static int compare_variant(const struct rows_request *request, const struct variant *variant,
                           const struct session *session)
{
    struct comparison comparison = {.cases = &request->selection.cases,
                                    .variant = variant,
                                    .session = session,
                                    .engine = session_simulator(&request->engines)};
    enum engine_id engine = comparison.engine->id;
    int status = session_open(session, engine, REQUEST_DIGEST, &comparison.simulated);

    if (status == EXIT_CONFORMS && engine_list_has(&request->engines, ENGINE_CUDA))
        status = session_open(session, ENGINE_CUDA, REQUEST_DIGEST, &comparison.gpu);
    if (status == EXIT_CONFORMS && !plan_make(comparison.cases, variant, true, 0, &comparison.plan))
        status = session_failed(session, engine, ENGINE_ERROR, "out of memory");
    else if (status == EXIT_CONFORMS)
        status = compare_all(&comparison);
    plan_free(&comparison.plan);
    trials_free(&comparison.ways);
    if (comparison.simulated != NULL) {
        session_take_coverage(session, comparison.simulated);
        session_take_barriers(session, comparison.simulated);
    }
    session_close(session, comparison.simulated);
    session_close(session, comparison.gpu);
    return status;
}

int determinism_check(const struct rows_request *request, const struct session *session)
{
    const struct catalogue *catalogue = session->catalogue;
    int status = EXIT_CONFORMS;
    size_t v = 0;

    for (; v < catalogue->count && !interrupt_came(); v++)
        if (selection_has(&request->selection, &catalogue->variants[v]))
            status =
                session_worse(status, compare_variant(request, &catalogue->variants[v], session));
    return v < catalogue->count ? session_worse(status, EXIT_ENVIRONMENT) : status;
}
