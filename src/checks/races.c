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

#include "clock.h"
#include "dimensions.h"
#include "error_report.h"
#include "executions.h"
#include "expected.h"
#include "interrupt.h"
#include "launch_text.h"
#include "races_report.h"
#include "report.h"
#include "row_findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_BUDGET = 50000, /* schedules per shape */
    FAILED_BUDGET = 1000,  /* schedules per shape, if the row has failed or has no oracle */
    SMALL_THREADS = 8,     /* threads of a block whose schedules are searched */
    SMALL_SEGMENTS = 2,    /* elements, in multiples of a block's segment */
    SMALL_ELEMENTS = 33,   /* elements, for a launch line, which sets its own block */
    RACES_SEED = 1,        /* seed of the random values */
    WEAK_SCHEDULES = 16,   /* random schedules under weak memory, per shape */
    MAX_HUNG = 3,          /* after this many patterns have hung, the others are left out */
};

struct races {
    const struct races_request *request;
    struct session *session;
    const struct engine_kind *engine;
    struct supervisor *supervisor;
    struct race_row *rows;
    size_t row_count, judged, not_as_declared, bounded;
    size_t all_rows;        /* the number of rows that the check is to have */
    uint64_t planned;       /* rows so far, over all shards */
    uint64_t failures_left; /* remaining cases that may race unexpectedly or end in a fault */
    enum engine_status status;
};

/* ---- The race checker on all shapes of a plan ---- */

struct sweep {
    const struct plan *plan;
    struct race_row *row;
    uint64_t *failures_left;
    const struct races_request *request;
    struct session *session;
    uint64_t done; /* cases that ran, or that other reasons left out */
    /* Further cases, sorted by pattern of values. Null while the cases of the plan run. */
    struct test_case *more;
    uint64_t count, first, tried; /* all; the first of the current pattern; runs of that pattern */
    unsigned int hung;            /* patterns that hung */
};

/* Returns whether the row fails, whatever else is found. */
static bool have_failed(const struct race_row *row)
{
    return row->faults > 0 || row->unexpected > 0 ||
           (row->variant->known_defect == NULL && row->racing > 0);
}

/* ---- Outcomes ---- */

/* Keeps the test among the smallest ones. Each shape is kept once. */
static void keep(struct race_row *row, const struct test_case *test)
{
    size_t place = row->kept;

    for (size_t k = 0; k < row->kept; k++)
        if (memcmp(&row->smallest[k].shape, &test->shape, sizeof test->shape) == 0)
            return;
    while (place > 0 && shape_is_smaller(&test->shape, &row->smallest[place - 1].shape))
        place--;
    if (place == SHAPES_KEPT)
        return;
    if (row->kept < SHAPES_KEPT)
        row->kept++;
    memmove(&row->smallest[place + 1], &row->smallest[place],
            (row->kept - 1 - place) * sizeof row->smallest[0]);
    row->smallest[place] = *test;
}

/* Counts a case that races or has unordered strong accesses. The row keeps the most significant
 * cases: unexpected races before other races, and races before unordered accesses. */
static void take_races(struct race_row *row, const struct test_case *test,
                       const struct outcome *outcome, uint64_t allowed)
{
    bool races = outcome->races > allowed, unordered = outcome->unordered > 0;
    bool same = !races && allowed > 0;
    bool unexpected = row->variant->known_defect != NULL && outcome->unexpected > 0;
    bool first =
        (unexpected && row->unexpected == 0) || (races && row->racing == 0 && row->unexpected == 0);
    bool significant = unexpected || (row->unexpected == 0 &&
                                      (races || ((unordered || same) && row->racing == 0)));

    if (first)
        row->kept = 0;
    if (significant)
        keep(row, test);
    row->unexpected += unexpected;
    row->racing += races;
    row->unordered += !races && unordered;
    row->same_value += same;
}

/* Returns whether results are compared with those of another schedule, bit for bit. This is so for
 * a launch line without an oracle. */
static bool compares_digests(const struct variant *variant)
{
    return variant->launch != NULL && variant->ulps == 0 && !variant->has_bounds &&
           (variant->contract == CONTRACT_NONE || variant->may_abstain);
}

static bool is_same_input(const struct test_case *a, const struct test_case *b)
{
    return memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           values_key(a->values) == values_key(b->values);
}

/* Compares the result with that of the first schedule with the same shape and values. Keeps the
 * first difference. With a tolerance, results differ if one of them is right. */
static void compare_orders(struct race_row *row, const struct test_case *test,
                           const struct outcome *outcome)
{
    struct delay_search *orders = &row->orders;
    const struct counterexample this = {.test = *test, .outcome = *outcome}, *first = &orders->base;
    bool is_first = orders->schedules == 0 || !is_same_input(&first->test, test);

    if (orders->wrong || outcome->kind == OUTCOME_FAULT)
        return;
    orders->schedules++;
    orders->by_digest = compares_digests(test->variant);
    if (is_first) {
        orders->base = this;
        return;
    }
    if (orders->by_digest)
        orders->excused |= outcome_orders(outcome, &first->outcome);
    orders->wrong = orders->by_digest ? outcome->digest != first->outcome.digest
                                      : outcome->kind != first->outcome.kind;
    orders->other = outcome->kind == OUTCOME_PASS && first->outcome.kind == OUTCOME_PASS;
    orders->counterexample = outcome->kind == OUTCOME_PASS && !orders->other ? *first : this;
    orders->test = orders->counterexample.test;
}

/* Counts a case that ran. Returns whether there is time for another one. */
static bool count_done(struct sweep *sweep)
{
    const struct race_row *row = sweep->row;

    sweep->done++;
    progress_show(&sweep->session->progress, "%s: races, model %s: case %" PRIu64 " of %" PRIu64,
                  row->variant->id, model_name(row->model), sweep->done,
                  plan_count(sweep->plan) + sweep->count);
    sweep->row->is_bounded = bound_is_over(&sweep->session->bound);
    return !sweep->row->is_bounded;
}

static void take_fault(struct race_row *row, const struct test_case *test,
                       const struct outcome *outcome)
{
    row->fault_kinds |= 1ull << outcome->fault.kind;
    if (row->faults++ > 0)
        return;
    row->fault_test = *test;
    row->fault = *outcome;
}

/* Counts a case and judges it. Returns false when the sweep must end. */
static bool take_case(struct sweep *sweep, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct race_row *row = sweep->row;
    uint64_t allowed = outcome->same_value;
    bool fails = outcome->kind == OUTCOME_FAULT && sweep->more == NULL;

    row->cases++;
    row->checked += outcome->checked;
    if (fails)
        take_fault(row, test, outcome);
    take_races(row, test, outcome, allowed);
    compare_orders(row, test, outcome);
    *sweep->failures_left -=
        fails ||
        (row->variant->known_defect != NULL ? outcome->unexpected : outcome->races - allowed) > 0;
    return *sweep->failures_left > 0 && count_done(sweep);
}

/* ---- The plan's values ---- */

static void source_planned(void *context, uint64_t index, struct test_case *test)
{
    const struct sweep *sweep = context;
    plan_case(sweep->plan, index, test);
    test->values = (struct values){VALUES_HASH, RACES_SEED};
}

static bool sink_planned(void *context, uint64_t index, const struct test_case *test,
                         const struct outcome *outcome)
{
    (void)index;
    return take_case(context, test, outcome);
}

/* ---- Other values ---- */

static int by_pattern(const void *a, const void *b)
{
    const struct test_case *x = a, *y = b;

    if (x->values.pattern != y->values.pattern)
        return x->values.pattern < y->values.pattern ? -1 : 1;
    return shape_is_smaller(&x->shape, &y->shape)   ? -1
           : shape_is_smaller(&y->shape, &x->shape) ? 1
                                                    : 0;
}

/* Lists the cases with other values. Returns false when memory runs out. */
static bool add_values(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    struct values sets[PLAN_SETS];

    sweep->more = calloc(plan->shape_count * PLAN_SETS + 1, sizeof *sweep->more);
    for (size_t k = 0; k < plan->shape_count && sweep->more != NULL; k++) {
        size_t count = plan_sets(plan, k, sets);
        for (size_t v = 1; v < count; v++) {
            struct test_case *test = &sweep->more[sweep->count++];
            plan_case(plan, plan->shapes[k].first, test);
            test->values = sets[v];
            if (!sweep->request->selection.cases.schedules_chosen)
                test->schedule = (struct schedule){SCHEDULE_RANDOM, plan->seed + v, {0}};
        }
    }
    if (sweep->more != NULL)
        qsort(sweep->more, sweep->count, sizeof *sweep->more, by_pattern);
    return sweep->more != NULL;
}

/* Returns how many cases, from `first` on, share its pattern. */
static uint64_t count_pattern(const struct sweep *sweep, uint64_t first)
{
    uint64_t count = 1;

    while (first + count < sweep->count &&
           sweep->more[first + count].values.pattern == sweep->more[first].values.pattern)
        count++;
    return count;
}

static void source_more(void *context, uint64_t index, struct test_case *test)
{
    const struct sweep *sweep = context;
    *test = sweep->more[sweep->first + index];
}

/* Takes an outcome. Returns false to end the pattern if it hangs. */
static bool sink_more(void *context, uint64_t index, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct sweep *sweep = context;
    bool hangs = outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_TIMEOUT;

    (void)index;
    sweep->tried++;
    if (!outcome_is_foreign(outcome))
        return take_case(sweep, test, outcome);
    if (sweep->row->left_out++ == 0)
        sweep->row->first_left_out = (struct counterexample){.test = *test, .outcome = *outcome};
    sweep->hung += hangs;
    return count_done(sweep) && !hangs;
}

/* Runs one pattern after the other. Patterns are left out after several of them have hung. */
static enum engine_status run_more(struct sweep *sweep, struct supervisor *supervisor)
{
    enum engine_status status = ENGINE_OK;
    uint64_t count;

    for (; sweep->first < sweep->count && status == ENGINE_OK && *sweep->failures_left > 0 &&
           !sweep->row->is_bounded && !interrupt_came();
         sweep->first += count) {
        count = count_pattern(sweep, sweep->first);
        sweep->tried = 0;
        if (sweep->hung < MAX_HUNG)
            status = supervisor_run(supervisor, count, source_more, sink_more, sweep);
        if (*sweep->failures_left > 0 && !sweep->row->is_bounded) {
            sweep->row->left_out += count - sweep->tried;
            sweep->done += count - sweep->tried;
        }
    }
    return status;
}

/* Runs the plan's cases with random values and adds their outcomes to the row. The accesses of a
 * launch line may depend on memory contents, so its shapes also run with other sets of values.
 * These runs use random schedules, or those of the request. They are omitted if the row has failed
 * already. Other values that cause a fault are left out, because the kernel may reject them.
 *
 * races->failures_left decreases with each case that races unexpectedly or ends in a fault. At 0
 * the sweep ends. Returns statuses as supervisor_run() does. */
static enum engine_status run_sweep(struct supervisor *supervisor, const struct plan *plan,
                                    struct race_row *row, struct races *races)
{
    struct sweep sweep = {.plan = plan,
                          .row = row,
                          .failures_left = &races->failures_left,
                          .request = races->request,
                          .session = races->session};
    enum engine_status status = ENGINE_OK;

    supervisor_ask(supervisor, REQUEST_RACE);
    row->is_bounded = bound_is_over(&races->session->bound);
    if (!row->is_bounded)
        status = supervisor_run(supervisor, plan_count(plan), source_planned, sink_planned, &sweep);
    if (status == ENGINE_OK && row->variant->launch != NULL && !have_failed(row))
        status = add_values(&sweep) ? run_more(&sweep, supervisor)
                                    : supervisor_out_of_memory(supervisor);
    if (row->is_bounded)
        row->untried = plan_count(plan) + sweep.count - sweep.done;
    free(sweep.more);
    return status;
}

/* ---- Schedules ---- */

/* The schedule without a delay. */
static void source_base(void *context, uint64_t index, struct test_case *test)
{
    const struct delay_search *search = context;
    (void)index;
    *test = search->base.test;
}

static void source_one_delay(void *context, uint64_t index, struct test_case *test)
{
    const struct delay_search *search = context;
    *test = search->test;
    test->schedule = (struct schedule){SCHEDULE_DELAYS, 0, {(uint32_t)(index + 1)}};
}

/* Returns how many second delays can follow the first: one for each later scheduling point of its
 * run. */
static uint64_t second_delays(const struct delay_search *search, uint64_t first)
{
    return search->after[first - 1] > first ? search->after[first - 1] - first : 0;
}

static void source_two_delays(void *context, uint64_t index, struct test_case *test)
{
    const struct delay_search *search = context;
    uint64_t first = 1;

    while (index >= second_delays(search, first))
        index -= second_delays(search, first++);
    *test = search->test;
    test->schedule =
        (struct schedule){SCHEDULE_DELAYS, 0, {(uint32_t)first, (uint32_t)(first + 1 + index)}};
}

static bool sink_search(void *context, uint64_t index, const struct test_case *test,
                        const struct outcome *outcome)
{
    struct delay_search *search = context;

    search->schedules++;
    if (test->schedule.kind == SCHEDULE_SEQUENTIAL) {
        search->points = outcome->points;
        search->base.outcome = *outcome;
    } else if (test->schedule.delays[1] == 0) {
        search->after[index] = outcome->points;
    }
    if (search->by_digest && outcome->kind == OUTCOME_PASS)
        search->excused |= outcome_orders(outcome, &search->base.outcome);
    search->races = search->finds_races && outcome->races > outcome->same_value;
    search->other = search->by_digest && outcome->kind == OUTCOME_PASS &&
                    outcome->digest != search->base.outcome.digest;
    if (outcome->kind == OUTCOME_PASS && !search->other && !search->races) {
        progress_show(&search->session->progress, "%s: races, model %s: schedule %" PRIu64,
                      test->variant->id, model_name(test->model), search->schedules);
        search->is_bounded = bound_is_over(&search->session->bound);
        return !search->is_bounded;
    }
    search->wrong = !search->races;
    search->counterexample = (struct counterexample){.test = *test, .outcome = *outcome};
    return false;
}

/* Runs `count` of the search's schedules. Returns false when the search must end. */
static bool run_schedules(struct races *races, struct delay_search *search, uint64_t count,
                          supervisor_source *source)
{
    races->status = supervisor_run(races->supervisor, count, source, sink_search, search);
    return races->status == ENGINE_OK && !search->wrong && !search->races && !search->is_bounded;
}

static uint64_t count_two_delays(const struct delay_search *search)
{
    uint64_t count = 0;
    for (uint64_t first = 1; first <= search->points; first++)
        count += second_delays(search, first);
    return count;
}

/* Finds the first element that differs from that of the base. Returns false on error. */
static bool find_difference(struct races *races, struct delay_search *search)
{
    struct counterexample *found = &search->counterexample;
    const struct test_case cases[2] = {search->base.test, found->test};
    struct outcome outcome;

    races->status = supervisor_compare(races->supervisor, cases, &outcome);
    if (races->status == ENGINE_OK)
        found->outcome.difference = outcome.difference;
    return races->status == ENGINE_OK;
}

/* Runs the schedules of `test`'s shape until a result is wrong, or until one races if the row has
 * no race yet. The request and the budget limit the number of delays. Schedules with the fewest and
 * earliest delays come first. Returns false on error. */
static bool run_search(struct races *races, struct race_row *row, const struct test_case *test,
                       uint64_t budget, struct delay_search *search)
{
    uint64_t most = races->request->delays;

    *search = (struct delay_search){.test = *test,
                                    .base.test = *test,
                                    .session = races->session,
                                    .by_digest = compares_digests(test->variant),
                                    .finds_races = row->racing == 0};
    search->base.test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    /* Both also report scheduling points. */
    supervisor_ask(races->supervisor, search->finds_races ? REQUEST_RACE : REQUEST_DIGEST);
    if (run_schedules(races, search, 1, source_base) && most > 0 && search->points <= budget) {
        search->after = calloc(search->points + 1, sizeof *search->after);
        if (search->after == NULL) {
            races->status = supervisor_out_of_memory(races->supervisor);
        } else if (run_schedules(races, search, search->points, source_one_delay)) {
            search->delays = 1;
        }
    }
    if (!search->finds_races && !search->by_digest)
        supervisor_ask(races->supervisor, REQUEST_RUN);
    if (search->delays == 1 && most > 1 && count_two_delays(search) <= budget &&
        run_schedules(races, search, count_two_delays(search), source_two_delays))
        search->delays = 2;
    supervisor_ask(races->supervisor, REQUEST_RUN);
    free(search->after);
    search->after = NULL;
    if (search->races) {
        row->cases++;
        take_races(row, &search->counterexample.test, &search->counterexample.outcome,
                   search->counterexample.outcome.same_value);
    }
    return races->status == ENGINE_OK && (!search->other || find_difference(races, search));
}

/* Replaces random values by ones if the case still fails, because such a wrong sum is easier to
 * read. Returns false on error. */
static bool read_easily(struct races *races, struct counterexample *counterexample)
{
    struct test_case ones = counterexample->test;
    struct outcome outcome;

    ones.values = (struct values){VALUES_ONES, 0};
    races->status = supervisor_run_array(races->supervisor, &ones, 1, &outcome);
    if (races->status == ENGINE_OK && outcome_same_kind(&outcome, &counterexample->outcome)) {
        counterexample->test = ones;
        counterexample->outcome = outcome;
    }
    return races->status == ENGINE_OK;
}

/* Searches the smallest shapes that race for a schedule with a wrong result, or a race in a row
 * without one. The row keeps the first search that finds one, or else the search of the smallest
 * shape. Returns false on error. */
static bool search_wrong(struct races *races, struct race_row *row)
{
    uint64_t budget =
        have_failed(row) || !races_has_oracle(row->variant) ? FAILED_BUDGET : SEARCH_BUDGET;

    for (size_t k = 0;
         k < row->kept && !row->search.wrong && !row->search.races && !row->is_bounded; k++) {
        const struct test_case test = row->smallest[k];
        struct delay_search search;
        if (!run_search(races, row, &test, budget, &search))
            return false;
        if (k == 0 || search.wrong || search.races)
            row->search = search;
        row->searched = true;
        row->is_bounded = bound_is_over(&races->session->bound);
    }
    return !row->search.wrong || row->search.other ||
           read_easily(races, &row->search.counterexample);
}

/* Returns the largest shape of at most SMALL_ELEMENTS elements, else the smallest shape, or null if
 * the plan is empty. */
static const struct planned_shape *small_launch(const struct plan *plan)
{
    const struct planned_shape *chosen = NULL;

    for (size_t k = 0; k < plan->shape_count; k++) {
        const struct planned_shape *planned = &plan->shapes[k];
        bool is_small = shape_elements(&planned->shape) <= SMALL_ELEMENTS;
        bool was_small = chosen != NULL && shape_elements(&chosen->shape) <= SMALL_ELEMENTS;
        if (chosen == NULL || (is_small && !was_small) ||
            (is_small == was_small &&
             shape_is_smaller(&chosen->shape, &planned->shape) == is_small))
            chosen = planned;
    }
    return chosen;
}

/* Returns the largest of the small shapes, or null if no shape is small. */
static const struct planned_shape *small_shape(const struct plan *plan)
{
    const struct planned_shape *chosen = NULL;

    for (size_t k = 0; k < plan->shape_count; k++) {
        const struct planned_shape *planned = &plan->shapes[k];
        uint64_t most = SMALL_SEGMENTS * variant_segment(plan->variant, &planned->shape);
        if (shape_threads(&planned->shape) <= SMALL_THREADS &&
            shape_elements(&planned->shape) <= most &&
            (chosen == NULL || shape_is_smaller(&chosen->shape, &planned->shape)))
            chosen = planned;
    }
    return chosen;
}

/* ---- One kernel under one model ---- */

/* Plans the shapes. The default blocks are all small ones and those that the textbooks use. Returns
 * false when memory runs out. */
static bool plan_races(const struct plan_request *asked, const struct variant *variant,
                       enum model model, struct plan *plan)
{
    enum { MAX_SMALL = 64 };
    static struct extent lengths[MAX_SMALL + 2];
    struct plan_request request = *asked;

    memset(request.models, 0, sizeof request.models);
    request.models[model] = true;
    if (!request.schedules_chosen) {
        request.schedules[0] = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        request.schedules[1] = (struct schedule){SCHEDULE_REVERSE, 0, {0}};
        request.schedule_count = 2;
        if (asked->weak_memory != 0 && model == MODEL_INDEPENDENT)
            plan_add_weak(request.schedules, &request.schedule_count, asked->seed, WEAK_SCHEDULES);
        request.schedules_chosen = true;
    }
    if (request.blocks == NULL && variant->block_dimensions == 1) {
        for (uint32_t b = 1; b <= MAX_SMALL; b++)
            lengths[b - 1] = (struct extent){b, 1, 1};
        lengths[MAX_SMALL] = (struct extent){256, 1, 1};
        lengths[MAX_SMALL + 1] = (struct extent){1024, 1, 1};
        request.blocks = lengths;
        request.block_count = MAX_SMALL + 2;
    }
    if (!plan_make(&request, variant, true, 0, plan))
        return false;
    plan_keep_inside(plan);
    return true;
}

/* Gives a kernel of a user's launch the name that the launch has for it. */
static void name_as_written(const struct launch_text *launch, struct race_side *side)
{
    for (uint32_t c = 0; c < launch->call_count; c++)
        if (strcmp(side->kernel, launch->calls[c].symbol) == 0) {
            snprintf(side->kernel, sizeof side->kernel, "%.47s", launch->calls[c].kernel);
            return;
        }
}

/* Runs cases. One that races has the outcome OUTCOME_MISMATCH, and any other OUTCOME_PASS. */
static enum engine_status run_racing(void *supervisor, const struct test_case *cases, size_t count,
                                     struct outcome *outcomes)
{
    enum engine_status status = supervisor_run_array(supervisor, cases, count, outcomes);

    for (size_t k = 0; status == ENGINE_OK && k < count; k++)
        outcomes[k].kind =
            outcomes[k].races > outcomes[k].same_value ? OUTCOME_MISMATCH : OUTCOME_PASS;
    return status;
}

/* Looks for a smaller racing shape of a launch than those of the plan. Returns false on error. */
static bool find_smaller(struct races *races, struct race_row *row)
{
    enum { SMALLER_BUDGET = 128 };
    const struct test_case *smallest = &row->smallest[0];
    const struct shrink_bounds bounds = {.threads = shape_threads(&smallest->shape),
                                         .elements = shape_elements(&smallest->shape),
                                         .keeps_values = true,
                                         .budget = SMALLER_BUDGET};
    struct counterexample found;

    if (row->variant->launch == NULL || row->racing == 0 || !launch_has_size(row->variant->launch))
        return true;
    supervisor_ask(races->supervisor, REQUEST_RACE);
    races->status = shrink(smallest, &(const struct outcome){.kind = OUTCOME_MISMATCH}, &bounds,
                           run_racing, races->supervisor, &found);
    if (races->status == ENGINE_OK)
        keep(row, &found.test);
    return races->status == ENGINE_OK;
}

enum engine_status races_describe(const struct session *session, struct supervisor *supervisor,
                                  struct race_row *row, struct outcome *outcome)
{
    const struct launch_text *launch = row->variant->launch;
    enum engine_status status = supervisor_race(supervisor, &row->smallest[0], outcome, row->pairs,
                                                MAX_RACES_REPORTED, &row->pair_count);

    for (size_t p = 0; launch != NULL && p < row->pair_count; p++) {
        name_as_written(launch, &row->pairs[p].first);
        name_as_written(launch, &row->pairs[p].second);
        session_explain_race(session, &row->pairs[p]);
        dimensions_restore(&row->pairs[p]);
    }
    return status;
}

static bool describe_pairs(struct races *races, struct race_row *row)
{
    struct outcome outcome;

    races->status = races_describe(races->session, races->supervisor, row, &outcome);
    return races->status == ENGINE_OK;
}

/* Searches schedules of a kernel without races, whose atomic accesses may still come in any order.
 * The budget is smaller without an oracle, because users may write any number of such launches.
 * Returns false on error. */
static bool search_free(struct races *races, const struct plan *plan, struct race_row *row)
{
    bool by_digest = compares_digests(row->variant);
    const struct planned_shape *small = by_digest ? small_launch(plan) : small_shape(plan);
    struct test_case test;

    if (small == NULL || !(by_digest || races_has_oracle(row->variant)) || row->is_bounded)
        return true;
    plan_case(plan, small->first, &test);
    test.values = (struct values){VALUES_HASH, RACES_SEED};
    test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    row->searched =
        run_search(races, row, &test, by_digest ? FAILED_BUDGET : SEARCH_BUDGET, &row->search);
    row->is_bounded = row->search.is_bounded;
    return row->searched;
}

/* Takes an execution under weak memory. Returns false when one races, fails or has other results.
 */
static bool take_execution(void *context, const struct test_case *test,
                           const struct outcome *outcome)
{
    struct race_row *row = context;

    row->executions.number++;
    row->cases++;
    if (outcome->kind == OUTCOME_FAULT)
        take_fault(row, test, outcome);
    take_races(row, test, outcome, outcome->same_value);
    compare_orders(row, test, outcome);
    return row->faults == 0 && row->racing == 0 && !row->orders.wrong;
}

static bool searches_executions(const struct races *races, const struct race_row *row)
{
    return races->request->selection.cases.weak_memory != 0 && row->model == MODEL_INDEPENDENT;
}

/* Runs the executions of a small shape under weak memory. Returns false on error. */
static bool search_executions(struct races *races, const struct plan *plan, struct race_row *row)
{
    const struct planned_shape *small =
        row->variant->launch != NULL ? small_launch(plan) : small_shape(plan);
    struct test_case test;

    if (!searches_executions(races, row) || small == NULL || row->is_bounded || row->orders.wrong)
        return true;
    plan_case(plan, small->first, &test);
    test.values = (struct values){VALUES_HASH, RACES_SEED};
    races->status =
        executions_run(races->supervisor, test, take_execution, row, &row->executions.all);
    row->is_bounded = bound_is_over(&races->session->bound);
    return races->status == ENGINE_OK;
}

/* Searches what repairs the race of the smallest case. Returns false on error. */
static bool search_repair(struct races *races, struct race_row *row)
{
    if (!searches_executions(races, row) || row->racing == 0 || row->is_bounded)
        return true;
    races->status = repair_search(races->session, races->supervisor, &row->smallest[0], row->pairs,
                                  row->pair_count, &row->repair);
    return races->status == ENGINE_OK;
}

/* Searches the schedules of a row. A race that only a delay shows is then described and searched as
 * another race is. Returns false on error. */
static bool search_schedules(struct races *races, const struct plan *plan, struct race_row *row)
{
    bool good = row->kept == 0 || (find_smaller(races, row) && describe_pairs(races, row));

    if (good && row->kept > 0)
        good = search_wrong(races, row);
    else if (good && row->faults == 0)
        good = search_free(races, plan, row);
    if (good && row->search.races) {
        row->search.races = false;
        good = describe_pairs(races, row) && search_wrong(races, row);
    }
    return good && search_repair(races, row);
}

/* Takes the difference between two schedules of the race checker, if nothing else shows one.
 * Returns false on error. */
static bool take_orders(struct races *races, struct race_row *row)
{
    races->session->excused |= row->orders.excused;
    if (!row->orders.wrong || row->search.wrong || row->racing > 0 || row->faults > 0)
        return true;
    row->search = row->orders;
    row->searched = true;
    return !row->search.other || find_difference(races, &row->search);
}

/* Compares a row that is judged with the known deviations. */
static void look_for_known(struct races *races, struct race_row *row, bool limited)
{
    const struct expected_row named = {EXPECT_RACES, row->variant, row->engine, races->supervisor};
    const char *results[FAULT_KINDS + 2];
    size_t count = 0;

    if (row->as_expected && !limited)
        expected_pass(races->session, &named);
    if (row->as_expected)
        return;
    if (row->racing > 0)
        results[count++] = race_verdict_name(RACE);
    else if (row->searched && row->search.wrong)
        results[count++] = race_verdict_name(ORDER_DEPENDENT);
    for (int k = FAULT_NONE + 1; k < FAULT_KINDS; k++)
        if (row->fault_kinds >> k & 1)
            results[count++] = fault_name((enum fault_kind)k);
    row->known = expected_failure(races->session, &named, results, count);
}

static void judge(struct races *races, struct race_row *row)
{
    enum race_verdict verdict = races_verdict(row), declared = races_expected(row);
    bool limited = selection_is_limited(&races->request->selection) || row->is_bounded;

    if (row->skipped != NULL && (row->is_bounded || row->variant->launch != NULL))
        return;
    /* A user's selection need not reproduce a declared race. */
    row->as_expected =
        row->faults == 0 && row->unexpected == 0 &&
        (verdict == declared || verdict == RACE_OF_SAME || (limited && verdict == RACE_FREE));
    look_for_known(races, row, limited);
    races->not_as_declared += !row->as_expected && row->known == NULL;
    races->judged++;
}

static bool run_row(struct races *races, struct race_row *row)
{
    struct plan plan;
    bool good;

    row->skipped = session_lacks(&races->request->selection, row->variant, races->supervisor);
    row->as_expected = true;
    if (row->skipped != NULL)
        return true;
    if (!plan_races(&races->request->selection.cases, row->variant, row->model, &plan)) {
        races->status = supervisor_out_of_memory(races->supervisor);
        return false;
    }
    if (plan_count(&plan) == 0) {
        row->skipped = "no shape of --block and --size is inside the kernel's domain";
        plan_free(&plan);
        return true;
    }
    races->status = run_sweep(races->supervisor, &plan, row, races);
    good = races->status == ENGINE_OK;
    if (good && row->is_bounded && row->checked == 0 && row->faults == 0)
        row->skipped = "--minutes left no time for a case that accesses memory";
    else if (good && row->checked == 0 && row->faults == 0)
        row->skipped = "no case reached a memory access, a barrier or a call";
    else if (good && !have_failed(row))
        good = search_executions(races, &plan, row);
    if (good && row->skipped == NULL)
        good = search_schedules(races, &plan, row) && take_orders(races, row);
    plan_free(&plan);
    session_explain_fault(races->session, &row->fault);
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
    struct bound *bound = &races->session->bound;
    double end = bound_share(bound, races->all_rows - races->row_count);
    bool good = run_row(races, row);
    char kernel[KERNEL_TEXT], text[48];
    const struct bound_check check = {races->session->findings.compiler,
                                      report_kernel(row->variant, kernel), text};

    bound_restore(bound, end);
    snprintf(text, sizeof text, "races, model %s", model_name(row->model));
    bound->has_looked = bound->has_looked || row->checked > 0 || row->faults > 0;
    bound_take(bound, &check, row->cases, row->untried);
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
        !shard_has(&races->session->file.shard, shard_salt("races"), races->planned++))
        return ROW_LEFT_OUT;
    rows = realloc(races->rows, (races->row_count + 1) * sizeof *rows);
    if (rows == NULL) {
        races->status = supervisor_out_of_memory(races->supervisor);
        return ROW_STOP;
    }
    races->rows = rows;
    rows[races->row_count] =
        (struct race_row){.variant = variant, .engine = races->engine, .model = model};
    start = clock_seconds();
    if (!run_row_in_time(races, &rows[races->row_count])) /* such a row has no verdict */
        return ROW_STOP;
    rows[races->row_count].seconds = clock_seconds() - start;
    if (rows[races->row_count].known != NULL)
        races->failures_left = left;
    races->row_count++;
    return ROW_DONE;
}

static json_t *results(void *context)
{
    const struct races *races = context;
    bool is_whole = /* a shard is never complete alone */
        races->session->save == NULL && races->session->file.shard.count == 0;

    return races_json(races->rows, races->row_count, is_whole ? races->all_rows : 0);
}

static void print_row(void *context)
{
    const struct races *races = context;
    races_print_row(&races->rows[races->row_count - 1]);
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

    races_print_head();
    expected_note(races->session, EXPECT_RACES);
    good = session_rows(races->session, &loop) &&
           !(interrupt_came() && races->planned < races->all_rows);
    for (size_t r = 0; r < races->row_count; r++)
        races_print_details(&races->rows[r]);
    if (races->failures_left == 0)
        printf("\nStopped after %" PRIu64 " failure%s: only the rows above have a verdict\n",
               races->request->max_failures, report_plural(races->request->max_failures));
    if (!good && interrupt_came())
        report_interrupted(races->row_count);
    else if (!good && races->status != ENGINE_OK)
        error_report("%s", supervisor_reason(races->supervisor));
    else if (races->session->file.shard.count > 0)
        shards_print_end(&races->session->file.shard, races->row_count, "rows");
    races_take_findings(races->session, races->rows, races->row_count, &races->request->allow);
    session_take_coverage(races->session, races->supervisor);
    for (size_t r = 0; r < races->row_count; r++)
        races->session->excused |= races->rows[r].search.excused;
    session_close(races->session, races->supervisor); /* last: skipped rows use its reasons */
    return good;
}

int races_check(const struct races_request *request, struct session *session)
{
    struct races races = {.request = request,
                          .session = session,
                          .engine = session_simulator(&request->engines),
                          .failures_left = request->max_failures,
                          .all_rows = races_rows(&request->selection, session->catalogue)};
    bool good;
    int status;

    interrupt_catch();
    if (races.engine == NULL || !session_fits(session, &request->selection) ||
        (session_saves(session) && !session_save(session, results(&races))))
        return EXIT_USAGE;
    status = session_open(session, races.engine->id, REQUEST_RUN, &races.supervisor);
    if (status != EXIT_CONFORMS)
        return status;
    good = run_all(&races);
    free(races.rows);
    if (!good)
        return EXIT_ENVIRONMENT;
    return races.not_as_declared > 0 ? EXIT_DIFFERS
           : races.judged == 0 && races.bounded == 0 && (races.planned == 0 || races.row_count > 0)
               ? EXIT_UNAVAILABLE
               : EXIT_CONFORMS;
}
