/* SPDX-License-Identifier: MIT */
#include "races_delays.h"

#include "races_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_BUDGET = 50000, /* schedules per shape */
    FAILED_BUDGET = 1000,  /* schedules per shape, if the row has failed or has no oracle */
    PAIR_POINTS = 5000000, /* scheduling points of all runs with two delays */
    SOME_DELAYS = 32,      /* single delays that are tried if there are more than the budget */
    SOME_PAIRS = 250,      /* pairs of delays, likewise */
};

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
    index = index * search->points / search->tried;
    test->schedule = (struct schedule){SCHEDULE_DELAYS, 0, {(uint32_t)(index + 1)}};
}

/* Returns how many second delays can follow the first: one for each later scheduling point of its
 * run, up to the last that is tried. */
static uint64_t second_delays(const struct delay_search *search, uint64_t first)
{
    uint64_t last = search->after[first - 1];

    last = last < search->last ? last : search->last;
    return last > first ? last - first : 0;
}

static void source_two_delays(void *context, uint64_t index, struct test_case *test)
{
    const struct delay_search *search = context;
    uint64_t first = 1;

    index = index * search->pairs / search->tried;
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
        if (progress_is_due(&search->session->sinks->progress))
            progress_say(&search->session->sinks->progress,
                         "%s: races, model %s: schedule %" PRIu64, test->variant->id,
                         model_name(test->model), search->schedules);
        search->is_bounded = bound_is_over(&search->session->sinks->bound);
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

/* Runs the schedules with two delays. If there are more than the budget, most have their second
 * delay at a point of a thread that waits in a loop. Then, without an oracle, tries some of those
 * with the second delay among the first points, evenly spread. */
static void run_two_delays(struct races *races, struct delay_search *search, uint64_t budget)
{
    bool has_all;

    search->last = UINT64_MAX;
    search->pairs = search->tried = count_two_delays(search);
    has_all = search->pairs <= budget && search->pairs * search->points <= PAIR_POINTS;
    if (!has_all && !search->by_digest)
        return;
    if (!has_all) {
        search->last = 2 * search->points;
        search->pairs = count_two_delays(search);
        search->tried = search->pairs < SOME_PAIRS ? search->pairs : SOME_PAIRS;
    }
    if (run_schedules(races, search, search->tried, source_two_delays) && has_all)
        search->delays = 2;
}

/* ---- Searches ---- */

bool races_find_difference(struct races *races, struct delay_search *search)
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
 * earliest delays come first. Of more single delays than the budget, it tries some, evenly spread.
 * Returns false on error. */
static bool run_search(struct races *races, struct race_row *row, const struct test_case *test,
                       uint64_t budget, struct delay_search *search)
{
    uint64_t most = races->request->delays;

    *search = (struct delay_search){.test = *test,
                                    .base.test = *test,
                                    .session = races->session,
                                    .by_digest = races_compare_digests(test->variant),
                                    .finds_races = row->record.racing == 0};
    search->base.test.schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    /* Both also report scheduling points. */
    supervisor_ask(races->supervisor, search->finds_races ? REQUEST_RACE : REQUEST_DIGEST);
    if (run_schedules(races, search, 1, source_base) && most > 0) {
        search->tried = search->points <= budget ? search->points : SOME_DELAYS;
        search->after = calloc(search->tried + 1, sizeof *search->after);
        if (search->after == NULL)
            races->status = supervisor_out_of_memory(races->supervisor);
        else if (run_schedules(races, search, search->tried, source_one_delay))
            search->delays = search->tried == search->points;
    }
    if (!search->finds_races && !search->by_digest)
        supervisor_ask(races->supervisor, REQUEST_RUN);
    if (search->delays == 1 && most > 1)
        run_two_delays(races, search, budget);
    supervisor_ask(races->supervisor, REQUEST_RUN);
    free(search->after);
    search->after = NULL;
    if (search->races) {
        row->record.cases++;
        race_row_take(row, &search->counterexample.test, &search->counterexample.outcome,
                      search->counterexample.outcome.same_value);
    }
    return races->status == ENGINE_OK && (!search->other || races_find_difference(races, search));
}

/* Replaces random values by ones if the case still fails, because such a wrong sum is easier to
 * read. Returns false on error. */
static bool read_easily(struct races *races, struct counterexample *counterexample)
{
    struct test_case ones = counterexample->test;
    struct outcome outcome;

    ones.values = (struct values){VALUES_ONES, 0};
    races->status = supervisor_run_array(races->supervisor, &ones, 1, &outcome);
    if (races->status == ENGINE_OK && outcome_same_finding(&outcome, &counterexample->outcome)) {
        counterexample->test = ones;
        counterexample->outcome = outcome;
    }
    return races->status == ENGINE_OK;
}

/* Notes which races the case has. Returns false on error. */
static bool note_races(struct races *races, struct counterexample *found)
{
    struct outcome outcome;

    supervisor_ask(races->supervisor, REQUEST_RACE);
    races->status = supervisor_run_array(races->supervisor, &found->test, 1, &outcome);
    supervisor_ask(races->supervisor, REQUEST_RUN);
    memcpy(found->outcome.race_identities, outcome.race_identities,
           sizeof found->outcome.race_identities);
    return races->status == ENGINE_OK;
}

bool races_search_wrong(struct races *races, struct race_row *row)
{
    uint64_t budget =
        race_row_has_failed(row) || !races_has_oracle(row->variant) ? FAILED_BUDGET : SEARCH_BUDGET;

    for (size_t k = 0;
         k < row->kept && !row->search.wrong && !row->search.races && !row->is_bounded; k++) {
        const struct test_case test = row->smallest[k];
        struct delay_search search;
        if (!run_search(races, row, &test, budget, &search))
            return false;
        if (k == 0 || search.wrong || search.races)
            row->search = search;
        row->searched = true;
        row->is_bounded = bound_is_over(&races->session->sinks->bound);
    }
    return !row->search.wrong || row->search.other ||
           (read_easily(races, &row->search.counterexample) &&
            note_races(races, &row->search.counterexample));
}

bool races_search_free(struct races *races, const struct plan *plan, struct race_row *row)
{
    bool by_digest = races_compare_digests(row->variant);
    const struct planned_shape *small =
        by_digest ? races_small_launch(plan) : races_small_shape(plan);
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
