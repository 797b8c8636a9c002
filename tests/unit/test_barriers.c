/* SPDX-License-Identifier: MIT
 *
 * Barriers in divergent code. If a thread misses a barrier at which others wait, every schedule
 * reports it. A thread that has returned is not reported.
 */
#include "check.h"

#include "seeded_run.h"

/* Checks the fault under both models and every schedule, with and without race checking. */
static void expect(const char *kernel, uint32_t threads, enum fault_kind kind, int line)
{
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < SEEDED_SCHEDULES; s++)
            for (int races = 0; races < 2; races++) {
                struct race found[4];
                const struct seeded_job job = {
                    .kernel = kernel,
                    .blocks = 2,
                    .threads = threads,
                    .model = (enum model)m,
                    .schedule = seeded_schedule(s),
                    .races = races ? found : NULL,
                    .race_capacity = races ? 4 : 0,
                };
                struct fault fault = seeded_run(&job).fault;
                if (fault.kind != kind || fault.line != line)
                    print_message("%s, %u threads, %s, schedule %d: %s\n", kernel, threads,
                                  model_name((enum model)m), s, fault.text);
                assert_int_equal(fault.kind, kind);
                assert_int_equal(fault.line, line);
            }
}

TEST(skipped_barrier_is_reported)
{
    static const struct {
        const char *kernel;
        int line; /* line of the barrier in seeded_barriers.cu */
    } faulty[] = {{"barrierInTheGuard", 16}, {"waitsAtAWarpBarrier", 85}};
    for (size_t f = 0; f < sizeof faulty / sizeof *faulty; f++) {
        expect(faulty[f].kernel, 64, FAULT_DIVERGENT_BARRIER, faulty[f].line);
        expect(faulty[f].kernel, 33, FAULT_DIVERGENT_BARRIER, faulty[f].line);
        expect(faulty[f].kernel, 20, FAULT_DIVERGENT_BARRIER, faulty[f].line);
    }
    expect("actsThenPassesBy", 64, FAULT_DIVERGENT_BARRIER, 221);
    expect("actsThenPassesBy", 33, FAULT_DIVERGENT_BARRIER, 221);
}

TEST(returned_threads_are_not_waited_for)
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
        /* In PTX, a thread that does nothing more has returned. */
        "barrierInTheWholeGuard",
        "passesByThenReturns",
        "passesByTheSecond",
        "aFunctionPassesBy",
        "anInstancePassesBy",
    };
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint32_t threads = 1; threads <= 64; threads += 21)
            expect(kernels[k], threads, FAULT_NONE, 0);
}

TEST_MAIN("barriers", engine_set_up, engine_tear_down)
