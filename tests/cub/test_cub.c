/* SPDX-License-Identifier: MIT
 *
 * CUB from the toolkit's own headers, without a GPU. The simulator runs nvcc's PTX, and CUB's host
 * code uses the stand-in for the CUDA runtime. The results must equal those of plain loops. The
 * test prints for each algorithm whether the tried schedules had races.
 */
#include "cub_expected.h"
#include "runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_CALLS = 8, SEED = 13, LARGE = 10000, MAX_RACES = 4 };

static const size_t sizes[] = {0, 1, 31, 1000, 100003};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Under the first of these schedules, blocks wait for other blocks. */
static const struct schedule schedules[] = {
    {SCHEDULE_REVERSE, 0, {0}}, {SCHEDULE_RANDOM, 1, {0}}, {SCHEDULE_SEQUENTIAL, 0, {0}},
    {SCHEDULE_RANDOM, 2, {0}},  {SCHEDULE_RANDOM, 3, {0}}, {SCHEDULE_RANDOM, 4, {0}},
};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static struct engine *engine;

struct tally {
    uint32_t cases;
    uint64_t launches, blocks, checked, unordered;
};

/* Prints the case, before a message about its failure. */
static void print_case(const struct cub_call *call, size_t count, const struct launch_rules *rules)
{
    static const char *const kinds[] = {"sequential", "reverse", "random", "delays"};

    print_error("%s, %zu elements, %s, %s:%llu: ", call->name, count, model_name(rules->model),
                kinds[rules->schedule.kind], (unsigned long long)rules->schedule.seed);
}

static const char *verb(unsigned int access)
{
    return access & ACCESS_ATOMIC ? "changes" : access & ACCESS_WRITE ? "writes" : "reads";
}

static void print_race(const struct race *race)
{
    const struct race_side *sides[] = {&race->first, &race->second};

    print_error("race in %s\n", race->place);
    for (int s = 0; s < 2; s++)
        print_error("    thread %u of block (%u,%u,%u) %s it%s: %s, %s:%d\n", sides[s]->number,
                    sides[s]->block.x, sides[s]->block.y, sides[s]->block.z, verb(sides[s]->access),
                    sides[s]->access & (ACCESS_ATOMIC | ACCESS_VOLATILE) ? ", strong" : "",
                    sides[s]->kernel, sides[s]->file, sides[s]->line);
    print_error("    %s\n", race->missing);
}

/* Fails if a launch of the case had a fault or a race. */
static void check_report(const struct cub_call *call, size_t count,
                         const struct launch_rules *rules, int error)
{
    const struct runtime_report *report = runtime_report();

    if (!report->failed && report->race_count == 0 && error == 0)
        return;
    print_case(call, count, rules);
    if (report->race_count > 0)
        print_race(&report->race);
    if (report->failed)
        print_error("%s: %s\n", fault_name(report->fault.kind), report->fault.text);
    else if (error != 0)
        print_error("error %d of the runtime\n", error);
    fail();
}

static void check_result(const struct cub_call *call, size_t count,
                         const struct launch_rules *rules, const void *in, const void *device_out)
{
    size_t results = cub_result_count(call, count), bytes = cub_result_bytes(call);
    char *out = malloc(results * bytes + 1), *expected = malloc(results * bytes + 1);
    size_t k = 0;

    assert_true(out != NULL && expected != NULL);
    cub_expect(call, in, count, expected);
    if (launches_copy_out(out, device_out, results * bytes, NULL) != MEMORY_OK) {
        print_case(call, count, rules);
        fail_msg("not every element of the result was written");
    }
    while (k < results && memcmp(out + k * bytes, expected + k * bytes, bytes) == 0)
        k++;
    if (k < results) {
        print_case(call, count, rules);
        fail_msg("element %zu of the result is wrong", k);
    }
    free(out);
    free(expected);
}

static void run_case(const struct cub_call *call, size_t count, const struct launch_rules *rules,
                     struct tally *tally)
{
    size_t storage_bytes = 0, bytes = cub_bytes(call->type);
    void *in = malloc(count * bytes + 1), *device_in, *device_out, *storage;
    int error;

    assert_non_null(in);
    assert_true(runtime_start(engine, rules));
    cub_fill(call, in, count, SEED);
    device_in = runtime_allocate("in", count, bytes);
    device_out = runtime_allocate("out", cub_result_count(call, count), cub_result_bytes(call));
    assert_int_equal(launches_copy_in(device_in, in, count * bytes), MEMORY_OK);
    assert_int_equal(call->call(NULL, &storage_bytes, device_in, device_out, (int)count), 0);
    storage = runtime_allocate("storage", storage_bytes, 1);
    error = call->call(storage, &storage_bytes, device_in, device_out, (int)count);
    check_report(call, count, rules, error);
    check_result(call, count, rules, in, device_out);
    tally->cases++;
    tally->launches += runtime_report()->launches;
    tally->blocks += runtime_report()->blocks;
    tally->checked += runtime_report()->checked;
    tally->unordered += runtime_report()->unordered;
    runtime_end();
    free(in);
}

/* Sorting many elements takes seconds per schedule, and twice as long for keys of twice the bytes.
 */
static int schedule_count(const struct cub_call *call, size_t count)
{
    return call->kind == CUB_SORT && count >= LARGE ? 8 / (int)cub_bytes(call->type) : SCHEDULES;
}

/* Runs the case without race checking, under one schedule. A fault then ends the case at once. */
static void run_plain(const struct cub_call *call, size_t count, struct tally *tally)
{
    for (int model = MODEL_LOCKSTEP; model < MODELS; model++) {
        const struct launch_rules rules = {.model = (enum model)model,
                                           .schedule = {SCHEDULE_SEQUENTIAL, 0, {0}}};
        run_case(call, count, &rules, tally);
    }
}

static void run_checked(const struct cub_call *call, size_t count, struct tally *tally)
{
    struct race races[MAX_RACES];

    for (int model = MODEL_LOCKSTEP; model < MODELS; model++)
        for (int k = 0; k < schedule_count(call, count); k++) {
            const struct launch_rules rules = {.model = (enum model)model,
                                               .schedule = schedules[k],
                                               .races = races,
                                               .race_capacity = MAX_RACES};
            run_case(call, count, &rules, tally);
        }
}

static void test_call(void **state)
{
    const struct cub_call *call = *state;
    struct tally plain = {0}, checked = {0};

    for (size_t s = 0; s < SIZES; s++) {
        run_plain(call, sizes[s], &plain);
        run_checked(call, sizes[s], &checked);
    }
    assert_true(checked.checked > 0);
    print_message(
        "%s: right in %u cases; free of races in %d schedules (%d at %zu elements): "
        "%llu launches, %llu blocks, %llu accesses checked, %llu pairs of strong accesses "
        "that nothing orders\n",
        call->name, plain.cases + checked.cases, MODELS * SCHEDULES,
        MODELS * schedule_count(call, sizes[SIZES - 1]), sizes[SIZES - 1],
        (unsigned long long)checked.launches, (unsigned long long)checked.blocks,
        (unsigned long long)checked.checked, (unsigned long long)checked.unordered);
}

static int set_up(void **state)
{
    struct engine_limits limits = {.deadline_seconds = 60};
    char reason[256];

    (void)state;
    return engine_open(&limits, &engine, reason, sizeof reason) == ENGINE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    engine_close(engine);
    return 0;
}

/* `test_cub_scan '*int32'` runs only the matching calls. */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[MAX_CALLS];

    if (cub_call_count > MAX_CALLS)
        return EXIT_FAILURE;
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    for (size_t c = 0; c < cub_call_count; c++)
        tests[c] = (struct CMUnitTest){cub_calls[c].name, test_call, NULL, NULL,
                                       (void *)(uintptr_t)&cub_calls[c]};
    return _cmocka_run_group_tests("cub", tests, cub_call_count, set_up, tear_down);
}
