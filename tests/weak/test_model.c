/* SPDX-License-Identifier: MIT
 *
 * Compares the outcomes that weak memory reaches with those that the axioms of the memory model
 * allow, for each built-in litmus test.
 */
#include "check.h"

#include "engine_run.h"
#include "litmus_kernel.h"
#include "litmus_model.h"

extern const char litmus_collection[];

enum { MAX_EXECUTIONS = 200000, WORDS = LITMUS_VARIABLES * LITMUS_STRIDE / 4 };

static void load(const struct litmus_test *test, const struct litmus_layout *layout)
{
    FILE *to = fopen(in_folder("litmus.ptx"), "w");

    assert_non_null(to);
    litmus_kernel_write_one(test, layout, to);
    assert_int_equal(fclose(to), 0);
    engine_load_test(test->name, in_folder("litmus.ptx"));
}

/* Runs all executions and adds their outcomes. Returns the number of executions that race. */
static size_t run_all(const struct litmus_test *test, const struct litmus_layout *layout,
                      struct litmus_outcomes *outcomes)
{
    static struct race races[1];
    int initial[WORDS] = {0}, variables[WORDS], values[LITMUS_TERMS], zeros[LITMUS_TERMS] = {0};
    const struct invocation invocation = {
        .kernel = "litmus",
        .grid = {(uint32_t)layout->blocks, 1, 1},
        .block = {32 * (uint32_t)layout->warps, 1, 1},
        .cluster = {(uint32_t)layout->cluster, 1, 1},
        .buffer_count = 2,
        .buffers = {integers("variables", ROLE_INOUT, WORDS, initial),
                    integers("results", ROLE_INOUT, LITMUS_TERMS, zeros)},
        .argument_count = 2,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}},
    };
    struct engine_job job = {.invocation = &invocation,
                             .model = MODEL_INDEPENDENT,
                             .schedule = {SCHEDULE_EXECUTION, 0, {0}},
                             .races = races,
                             .race_capacity = 1,
                             .results = {variables, values}};
    struct engine_outcome outcome;
    size_t count = 0, racing = 0;

    for (int v = 0; v < test->variable_count; v++)
        initial[v * LITMUS_STRIDE / 4] = test->variables[v].initial;
    do {
        outcome = engine_run_one(&job);
        if (outcome.fault.kind != FAULT_NONE || ++count > MAX_EXECUTIONS)
            fail_msg("%s, execution %llu: %s", test->name, (unsigned long long)job.schedule.seed,
                     outcome.fault.text);
        for (int k = 0; k < test->term_count; k++)
            if (test->terms[k].thread < 0)
                values[k] = variables[test->terms[k].number * LITMUS_STRIDE / 4];
        assert_non_null(litmus_outcome_add(test, outcomes, values));
        racing += outcome.race_count > 0;
        job.schedule.seed = outcome.points;
    } while (job.schedule.seed != 0);
    return racing;
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

static bool is_racy(const struct litmus_outcomes *outcomes)
{
    for (size_t k = 0; k < outcomes->count; k++)
        if (outcomes->list[k].is_racy)
            return true;
    return false;
}

/* Compares one test. Returns the number of outcomes that are allowed and not reached. */
static size_t compare(const struct litmus_test *test, const struct litmus_layout *layout)
{
    struct litmus_outcomes allowed = {.count = 0}, reached = {.count = 0};
    size_t missing = 0;
    char error[256];
    bool races;

    assert_true(litmus_outcomes_of(test, AXIOMS_ALL, &allowed, error, sizeof error));
    load(test, layout);
    races = run_all(test, layout, &reached) > 0;
    if (races != is_racy(&allowed))
        fail_msg("%s: %s", test->name, races ? "a race that the model does not have" : "no race");
    for (size_t k = 0; k < reached.count; k++)
        if (!has_outcome(test, &allowed, &reached.list[k]))
            fail_msg("%s: an outcome that the model forbids", test->name);
    for (size_t k = 0; k < allowed.count; k++)
        if (!has_outcome(test, &reached, &allowed.list[k])) {
            if (!allowed.list[k].is_racy)
                fail_msg("%s: an allowed outcome is not reached", test->name);
            print_message("%s: an outcome of a data race is not reached\n", test->name);
            missing++;
        }
    free(allowed.list);
    free(reached.list);
    return missing;
}

/* Weak memory keeps one order of the writes of a place. The model leaves writes that race
 * unordered, so that each of them may be the last. */
enum { MISSING = 5, MIN_COMPARED = 300 };

static void weak_memory_reaches_what_the_model_allows(void **state)
{
    struct litmus_tests tests = {.count = 0};
    struct litmus_layout layout;
    size_t compared = 0, missing = 0;
    char error[256];

    (void)state;
    assert_true(litmus_read(litmus_collection, &tests, error, sizeof error));
    for (size_t t = 0; t < tests.count; t++) {
        if (litmus_layout_of(&tests.list[t], &layout) != NULL)
            continue;
        missing += compare(&tests.list[t], &layout);
        compared++;
    }
    free(tests.list);
    assert_true(compared >= MIN_COMPARED);
    assert_int_equal(missing, MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weak_memory_reaches_what_the_model_allows),
    };

    return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
