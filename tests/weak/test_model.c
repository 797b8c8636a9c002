/* SPDX-License-Identifier: MIT
 *
 * Compares the outcomes that weak memory reaches with those that the axioms of the memory model
 * allow, for each built-in litmus test.
 */
#include "check.h"

#include "engine.h"
#include "litmus_kernel.h"
#include "litmus_model.h"

extern const char litmus_collection[];

enum { MAX_EXECUTIONS = 200000, WORDS = LITMUS_VARIABLES * LITMUS_STRIDE / 4 };

static struct engine *engine;

static int set_up(void **state)
{
    const struct engine_limits limits = {.deadline_seconds = 60, .every_schedule = true};
    char reason[256];

    return folder_make(state) == 0 &&
                   engine_open(&limits, &engine, reason, sizeof reason) == ENGINE_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    engine_close(engine);
    return folder_remove(state);
}

static void load(const struct litmus_test *test, const struct litmus_layout *layout)
{
    char reason[512];
    FILE *to = fopen(in_folder("litmus.ptx"), "w");

    assert_non_null(to);
    litmus_kernel_write_one(test, layout, to);
    assert_int_equal(fclose(to), 0);
    if (!engine_load(in_folder("litmus.ptx"), reason, sizeof reason))
        fail_msg("%s: %s", test->name, reason);
}

static struct buffer buffer_of(const char *name, uint32_t count, const int *contents)
{
    return (struct buffer){.name = name,
                           .role = ROLE_INOUT,
                           .element = ELEMENT_I32,
                           .count = count,
                           .fill = FILL_DATA,
                           .data = contents,
                           .data_count = count};
}

/* Runs all executions and adds their outcomes. */
static size_t run_all(const struct litmus_test *test, const struct litmus_layout *layout,
                      struct litmus_outcomes *outcomes)
{
    int initial[WORDS] = {0}, variables[WORDS], values[LITMUS_TERMS], zeros[LITMUS_TERMS] = {0};
    const struct invocation invocation = {
        .kernel = "litmus",
        .grid = {(uint32_t)layout->blocks, 1, 1},
        .block = {32 * (uint32_t)layout->warps, 1, 1},
        .cluster = {(uint32_t)layout->cluster, 1, 1},
        .buffer_count = 2,
        .buffers = {buffer_of("variables", WORDS, initial),
                    buffer_of("results", LITMUS_TERMS, zeros)},
        .argument_count = 2,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}},
    };
    struct engine_job job = {.invocation = &invocation,
                             .model = MODEL_INDEPENDENT,
                             .schedule = {SCHEDULE_EXECUTION, 0, {0}},
                             .results = {variables, values}};
    struct engine_outcome outcome;
    size_t count = 0;

    for (int v = 0; v < test->variable_count; v++)
        initial[v * LITMUS_STRIDE / 4] = test->variables[v].initial;
    do {
        assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
        if (outcome.fault.kind != FAULT_NONE)
            fail_msg("%s, execution %llu: %s", test->name, (unsigned long long)job.schedule.seed,
                     outcome.fault.text);
        for (int k = 0; k < test->term_count; k++)
            if (test->terms[k].thread < 0)
                values[k] = variables[test->terms[k].number * LITMUS_STRIDE / 4];
        assert_non_null(litmus_outcome_add(test, outcomes, values));
        job.schedule.seed = outcome.points;
    } while (job.schedule.seed != 0 && ++count < MAX_EXECUTIONS);
    return count;
}

static bool has_outcome(const struct litmus_test *test, const struct litmus_outcomes *outcomes,
                        const struct litmus_outcome *wanted)
{
    for (size_t k = 0; k < outcomes->count; k++)
        if (memcmp(outcomes->list[k].values, wanted->values,
                   (size_t)test->term_count * sizeof *wanted->values) == 0)
            return true;
    return false;
}

static size_t count_missing(const struct litmus_test *test, const struct litmus_outcomes *from,
                            const struct litmus_outcomes *in, bool needs_allowed,
                            bool without_races)
{
    size_t count = 0;

    for (size_t k = 0; k < from->count; k++)
        count += (!needs_allowed || from->list[k].is_allowed) &&
                 !(without_races && from->list[k].is_racy) &&
                 !has_outcome(test, in, &from->list[k]);
    return count;
}

static void weak_memory_reaches_what_the_model_allows(void **state)
{
    struct litmus_tests tests = {.count = 0};
    size_t compared = 0, wrong = 0, incomplete = 0, incomplete_free = 0;
    char error[256];

    (void)state;
    assert_true(litmus_read(litmus_collection, &tests, error, sizeof error));
    for (size_t t = 0; t < tests.count; t++) {
        const struct litmus_test *test = &tests.list[t];
        struct litmus_outcomes allowed = {.count = 0}, reached = {.count = 0};
        struct litmus_layout layout;
        size_t beyond, missing, missing_free, executions;
        if (litmus_layout_of(test, &layout) != NULL)
            continue;
        assert_true(litmus_outcomes_of(test, AXIOMS_ALL, &allowed, error, sizeof error));
        load(test, &layout);
        executions = run_all(test, &layout, &reached);
        beyond = count_missing(test, &reached, &allowed, false, false);
        missing = count_missing(test, &allowed, &reached, true, false);
        missing_free = count_missing(test, &allowed, &reached, true, true);
        compared++;
        wrong += beyond > 0;
        incomplete += missing > 0;
        incomplete_free += missing_free > 0;
        if (beyond > 0 || missing > 0 || executions >= MAX_EXECUTIONS)
            print_message("%-50s %zu executions, %zu of %zu outcomes, %zu beyond, %zu missing, %zu "
                          "of them without race\n",
                          test->name, executions, reached.count, allowed.count, beyond, missing,
                          missing_free);
        free(allowed.list);
        free(reached.list);
    }
    print_message("%zu compared, %zu wrong, %zu incomplete, %zu without race\n", compared, wrong,
                  incomplete, incomplete_free);
    free(tests.list);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weak_memory_reaches_what_the_model_allows),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
