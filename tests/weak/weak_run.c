/* SPDX-License-Identifier: MIT */
#include "weak_run.h"

#include "check.h"

enum { MAX_EXECUTIONS = 1000000, MAX_RACES = 4 };

static uint32_t count_threads(const struct litmus *test)
{
    uint32_t count = 0;

    while (count < LITMUS_MAX_THREADS && test->threads[count] != NULL)
        count++;
    return count;
}

void litmus_write(FILE *to, const struct litmus *test)
{
    fprintf(to,
            ".version 8.7\n.target sm_90\n.address_size 64\n"
            ".visible .entry run(.param .u64 memory, .param .u64 results)\n%s{\n"
            ".shared .align 16 .b8 tile[%d];\n.reg .b64 %%x, %%y, %%z, %%w, %%d, %%out, %%a;\n"
            ".reg .pred %%p<4>;\n.reg .b32 %%n, %%t<4>, %%r<10>;\n"
            "ld.param.u64 %%x, [memory];\ncvta.to.global.u64 %%x, %%x;\n",
            test->cluster > 1 ? ".reqnctapercluster 2, 1, 1\n" : "", 4 * LITMUS_MEMORY);
    if (test->is_shared)
        fprintf(to, "mov.u64 %%x, tile;\n");
    fprintf(to,
            "add.u64 %%y, %%x, %d;\nadd.u64 %%z, %%x, %d;\nadd.u64 %%w, %%x, %d;\n"
            "add.u64 %%d, %%x, %d;\n"
            "ld.param.u64 %%out, [results];\ncvta.to.global.u64 %%out, %%out;\n"
            "mov.u32 %%t0, %%ctaid.x;\nmov.u32 %%t1, %%ntid.x;\nmov.u32 %%t2, %%tid.x;\n"
            "mad.lo.u32 %%n, %%t0, %%t1, %%t2;\nmov.u32 %%r0, 0;\nmov.u32 %%r1, 0;\n"
            "mul.wide.u32 %%a, %%n, %d;\nadd.u64 %%out, %%out, %%a;\n",
            4 * LITMUS_STRIDE, 8 * LITMUS_STRIDE, 12 * LITMUS_STRIDE, 16 * LITMUS_STRIDE,
            4 * LITMUS_RESULTS);
    for (uint32_t t = 0; t < count_threads(test); t++)
        fprintf(to, "setp.eq.u32 %%p1, %%n, %u;\n@%%p1 bra T%u;\n", t, t);
    fprintf(to, "ret;\n");
    for (uint32_t t = 0; t < count_threads(test); t++)
        fprintf(to, "T%u:\n%s\nbra END;\n", t, test->threads[t]);
    fprintf(to, "END:\nst.global.u32 [%%out], %%r0;\nst.global.u32 [%%out+4], %%r1;\nret;\n}\n");
}

static void load(const struct litmus *test)
{
    FILE *to = fopen(in_folder("run.ptx"), "w");

    assert_non_null(to);
    litmus_write(to, test);
    assert_int_equal(fclose(to), 0);
    engine_load_test(test->name, in_folder("run.ptx"));
}

static void add_outcome(struct litmus_outcomes *outcomes, const uint32_t *results, uint32_t threads,
                        const uint32_t *memory)
{
    char text[OUTCOME_SIZE] = "";
    uint32_t used = 0;
    size_t k = 0;

    for (uint32_t r = 0; r < threads * LITMUS_RESULTS; r++)
        text[used++] = (char)('0' + results[r] % 10);
    for (uint32_t v = 0; v < LITMUS_VARIABLES; v++)
        text[used++] = (char)('0' + memory[v * LITMUS_STRIDE] % 10);
    while (k < outcomes->count && strcmp(outcomes->texts[k], text) != 0)
        k++;
    if (k < outcomes->count)
        return;
    assert_true(k < sizeof outcomes->texts / sizeof *outcomes->texts);
    memcpy(outcomes->texts[outcomes->count++], text, sizeof text);
}

/* Runs the loaded test once and adds its outcome. Returns the number of the next execution. */
static uint64_t run_once(const struct litmus *test, struct schedule schedule,
                         struct litmus_outcomes *outcomes)
{
    static const uint32_t zeros[LITMUS_MEMORY];
    static struct race races[MAX_RACES];
    uint32_t memory[LITMUS_MEMORY], threads = count_threads(test),
                                    results[LITMUS_MAX_THREADS * LITMUS_RESULTS],
                                    block = test->block > 0 ? test->block : 1;
    const struct invocation invocation = {
        .kernel = "run",
        .grid = {(threads + block - 1) / block, 1, 1},
        .block = {block, 1, 1},
        .cluster = {test->cluster > 0 ? test->cluster : 1, 1, 1},
        .buffer_count = 2,
        .buffers = {integers("memory", ROLE_INOUT, LITMUS_MEMORY, zeros),
                    integers("results", ROLE_INOUT, threads * LITMUS_RESULTS, zeros)},
        .argument_count = 2,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}},
    };
    const struct engine_job job = {.invocation = &invocation,
                                   .model = MODEL_INDEPENDENT,
                                   .schedule = schedule,
                                   .races = races,
                                   .race_capacity = MAX_RACES,
                                   .results = {memory, results}};
    const struct engine_outcome outcome = engine_run_one(&job);

    if (outcome.fault.kind != FAULT_NONE)
        fail_msg("%s, schedule %d, %llu: %s", test->name, (int)schedule.kind,
                 (unsigned long long)schedule.seed, outcome.fault.text);
    assert_true(outcome.points != NO_EXECUTION);
    add_outcome(outcomes, results, threads, memory);
    outcomes->executions++;
    outcomes->racing += outcome.race_count > 0;
    return outcome.points;
}

void litmus_run(const struct litmus *test, struct litmus_outcomes *outcomes)
{
    struct schedule schedule = {SCHEDULE_EXECUTION, 0, {0}};

    load(test);
    *outcomes = (struct litmus_outcomes){.count = 0};
    do
        schedule.seed = run_once(test, schedule, outcomes);
    while (schedule.seed != 0 && outcomes->executions < MAX_EXECUTIONS);
    assert_int_equal(schedule.seed, 0);
}

void litmus_run_some(const struct litmus *test, enum schedule_kind kind, uint64_t count,
                     struct litmus_outcomes *outcomes)
{
    load(test);
    *outcomes = (struct litmus_outcomes){.count = 0};
    for (uint64_t seed = 0; seed < count; seed++)
        run_once(test, (struct schedule){kind, seed, {0}}, outcomes);
}

bool litmus_races(const struct litmus *test, const char *path, uint64_t count)
{
    static struct litmus_outcomes outcomes;

    engine_load_test(test->name, path);
    outcomes = (struct litmus_outcomes){.count = 0};
    for (uint64_t seed = 0; seed < count && outcomes.racing == 0; seed++)
        run_once(test, (struct schedule){SCHEDULE_WEAK, seed, {0}}, &outcomes);
    return outcomes.racing > 0;
}

bool litmus_reaches(const struct litmus_outcomes *outcomes, const char *pattern)
{
    for (size_t k = 0; k < outcomes->count; k++) {
        size_t i = 0;
        while (pattern[i] != '\0' && (pattern[i] == '?' || pattern[i] == outcomes->texts[k][i]))
            i++;
        if (pattern[i] == '\0')
            return true;
    }
    return false;
}
