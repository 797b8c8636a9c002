/* SPDX-License-Identifier: MIT
 *
 * Barriers in divergent code: who passes by one at which others wait is told, under every schedule,
 * and who has returned is not.
 */
#include "check.h"

#include "engine.h"

enum { WORDS = 256, SCHEDULES = 7 };

static struct engine *engine;

static int open_engine(void **state)
{
    struct engine_limits limits = {.deadline_seconds = 60};
    char reason[256];
    (void)state;
    return engine_open(&limits, &engine, reason, sizeof reason) == ENGINE_OK ? 0 : -1;
}

static int close_engine(void **state)
{
    (void)state;
    engine_close(engine);
    return 0;
}

static struct fault run(const char *kernel, uint32_t threads, enum model model, int schedule,
                        bool races)
{
    static struct race found[4];
    const struct invocation invocation = {
        .kernel = kernel,
        .grid = {2, 1, 1},
        .block = {threads, 1, 1},
        .buffer_count = 3,
        .buffers = {{"data", ROLE_LOG, ELEMENT_I32, WORDS, 0, 0},
                    {"flag", ROLE_LOG, ELEMENT_I32, WORDS, 0, 0},
                    {"out", ROLE_LOG, ELEMENT_I32, WORDS, 0, 0}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_BUFFER, 2}},
    };
    struct engine_job job = {
        .invocation = &invocation,
        .model = model,
        .schedule = {schedule == 0   ? SCHEDULE_SEQUENTIAL
                     : schedule == 1 ? SCHEDULE_REVERSE
                                     : SCHEDULE_RANDOM,
                     (uint64_t)schedule,
                     {0}},
        .races = races ? found : NULL,
        .race_capacity = races ? 4 : 0,
    };
    struct engine_outcome outcome;

    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    return outcome.fault;
}

/* Under both models and every schedule, whether races are looked for or not. */
static void expect(const char *kernel, uint32_t threads, enum fault_kind kind, int line)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SCHEDULES; s++)
            for (int races = 0; races < 2; races++) {
                struct fault fault = run(kernel, threads, (enum model)m, s, races);
                if (fault.kind != kind || fault.line != line)
                    print_message("%s, %u threads, %s, schedule %d: %s\n", kernel, threads,
                                  model_name((enum model)m), s, fault.text);
                assert_int_equal(fault.kind, kind);
                assert_int_equal(fault.line, line);
            }
}

static void who_lives_on_past_a_barrier_is_told(void **state)
{
    static const struct {
        const char *kernel;
        int line; /* of the barrier, in planted_barriers.cu */
    } faulty[] = {
        {"barrierInTheGuard", 16},   {"barrierInTheWholeGuard", 25}, {"passesByThenReturns", 35},
        {"passesByTheSecond", 49},   {"aFunctionPassesBy", 60},      {"anInstancePassesBy", 75},
        {"waitsAtAWarpBarrier", 86},
    };
    (void)state;
    for (size_t f = 0; f < sizeof faulty / sizeof *faulty; f++) {
        expect(faulty[f].kernel, 64, FAULT_DIVERGENT_BARRIER, faulty[f].line);
        expect(faulty[f].kernel, 33, FAULT_DIVERGENT_BARRIER, faulty[f].line);
        expect(faulty[f].kernel, 20, FAULT_DIVERGENT_BARRIER, faulty[f].line);
    }
}

static void who_has_returned_is_not_missed(void **state)
{
    static const char *const kernels[] = {
        "returnsEarly",
        "returnsAllButOne",
        "returnsFromTheLoop",
        "returnsBehindTheBarrier",
        "returnsAndOthersCall",
        "anInstanceReturns",
        "returnsInTheElse",
        "returnsBehindAFunctionsBarrier",
        "functionsReturnTheirValues",
    };
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint32_t threads = 1; threads <= 64; threads += 21)
            expect(kernels[k], threads, FAULT_NONE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_lives_on_past_a_barrier_is_told),
        cmocka_unit_test(who_has_returned_is_not_missed),
    };
    return cmocka_run_group_tests_name("barriers", tests, open_engine, close_engine);
}
