/* SPDX-License-Identifier: MIT
 *
 * The simulator: the order in which threads run, what each model guarantees, and the name of each
 * broken rule.
 */
#include "check.h"

#include "seeded_run.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 4096 };

static int32_t results[MAX_THREADS];

/* Makes a call with a buffer "in" of `inputs` elements, a buffer "out" of `outputs`, and `n`. */
static struct invocation call(struct extent grid, struct extent block, uint64_t inputs,
                              uint64_t outputs, uint32_t n)
{
    return (struct invocation){
        .grid = grid,
        .block = block,
        .buffer_count = 2,
        .buffers = {{.name = "in", .role = ROLE_INOUT, .element = ELEMENT_I32, .count = inputs},
                    {.name = "out", .role = ROLE_OUTPUT, .element = ELEMENT_I32, .count = outputs}},
        .argument_count = 3,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_VALUE, n}},
    };
}

static struct invocation call_line(uint32_t grid, uint32_t block, uint64_t inputs, uint64_t outputs,
                                   uint32_t n)
{
    return call((struct extent){grid, 1, 1}, (struct extent){block, 1, 1}, inputs, outputs, n);
}

static struct engine_outcome run(const char *kernel, const struct invocation *invocation,
                                 enum model model, struct schedule schedule)
{
    struct invocation named = *invocation;
    struct engine_job job = {
        .invocation = &named,
        .model = model,
        .schedule = schedule,
        .results = {NULL, results},
    };
    struct engine_outcome outcome;
    named.kernel = kernel;
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    return outcome;
}

static const struct schedule sequential = {SCHEDULE_SEQUENTIAL, 0, {0}},
                             reverse = {SCHEDULE_REVERSE, 0, {0}};

static void record_order(uint32_t grid, uint32_t block, enum model model, struct schedule schedule)
{
    struct invocation invocation = call_line(grid, block, 1, grid * block, 0);
    assert_int_equal(run("recordOrder", &invocation, model, schedule).fault.kind, FAULT_NONE);
}

TEST(schedules_order_lanes_and_blocks_under_independent)
{
    record_order(3, 40, MODEL_INDEPENDENT, sequential);
    for (int i = 0; i < 120; i++)
        assert_int_equal(results[i], i);
    record_order(3, 40, MODEL_INDEPENDENT, reverse);
    for (int i = 0; i < 120; i++)
        assert_int_equal(results[i], 119 - i);
}

/* Every block runs in any order, and a seed determines the order. */
TEST(random_schedules_are_permutations_named_by_their_seed)
{
    static int32_t first[MAX_THREADS];
    unsigned int different = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        bool seen[200] = {false};
        struct schedule schedule = {SCHEDULE_RANDOM, seed, {0}};
        struct invocation invocation = call_line(200, 1, 1, 200, 0);
        assert_int_equal(run("recordOrder", &invocation, MODEL_INDEPENDENT, schedule).fault.kind,
                         FAULT_NONE);
        memcpy(first, results, sizeof first);
        for (int i = 0; i < 200; i++) {
            assert_in_range(results[i], 0, 199);
            assert_false(seen[results[i]]);
            seen[results[i]] = true;
            different += results[i] != i;
        }
        assert_int_equal(run("recordOrder", &invocation, MODEL_INDEPENDENT, schedule).fault.kind,
                         FAULT_NONE);
        assert_memory_equal(first, results, sizeof first);
    }
    assert_true(different > 1000);
}

/* A random schedule pre-empts. Threads that read, add and write without order lose updates. */
TEST(random_schedules_preempt_threads)
{
    struct invocation invocation = call_line(1, 64, 1, 1, 0);
    struct engine_outcome outcome = run("seededLostUpdates", &invocation, MODEL_INDEPENDENT,
                                        (struct schedule){SCHEDULE_RANDOM, 1, {0}});
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_true(results[0] < 64);
    run("seededLostUpdates", &invocation, MODEL_INDEPENDENT, sequential);
    assert_int_equal(results[0], 64);
}

static bool shift_is_right(uint32_t threads, enum model model, struct schedule schedule)
{
    struct invocation invocation = call_line(1, threads, threads, threads, threads);
    bool right = true;
    assert_int_equal(run("shiftInWarp", &invocation, model, schedule).fault.kind, FAULT_NONE);
    for (uint32_t t = 0; t < threads; t++)
        right = right && results[t] == (int32_t)((t + 1) % threads);
    return right;
}

TEST(lockstep_keeps_the_lanes_of_a_warp_in_step)
{
    const struct schedule schedules[] = {sequential, reverse, {SCHEDULE_RANDOM, 5, {0}}};
    for (int s = 0; s < 3; s++) {
        assert_true(shift_is_right(32, MODEL_LOCKSTEP, schedules[s]));
        assert_true(shift_is_right(7, MODEL_LOCKSTEP, schedules[s]));
    }
    /* In reverse order each lane's neighbour has run before. */
    assert_false(shift_is_right(32, MODEL_INDEPENDENT, sequential));
    assert_false(shift_is_right(32, MODEL_INDEPENDENT, schedules[2]));
    /* There is no guarantee between warps. */
    assert_false(shift_is_right(64, MODEL_LOCKSTEP, sequential));
}

TEST(threads_have_the_right_coordinates)
{
    struct invocation invocation =
        call((struct extent){2, 3, 1}, (struct extent){4, 3, 2}, 1, 6 * 24, 6 * 24);
    for (int model = 0; model < MODELS; model++) {
        assert_int_equal(run("coordinates", &invocation, (enum model)model, sequential).fault.kind,
                         FAULT_NONE);
        for (int i = 0; i < 6 * 24; i++) {
            int thread = i % 24, block = i / 24;
            assert_int_equal(results[i], thread % 4 + 100 * (thread / 4 % 3) +
                                             10000 * (thread / 12) + 1000000 * (block / 2));
        }
    }
}

TEST(exited_threads_do_not_block_a_barrier)
{
    struct invocation invocation = call_line(1, 100, 100, 1, 37);
    for (int model = 0; model < MODELS; model++) {
        assert_int_equal(run("earlyExit", &invocation, (enum model)model, reverse).fault.kind,
                         FAULT_NONE);
        assert_int_equal(results[0], 1);
    }
}

TEST(runs_are_repeatable)
{
    struct invocation invocation = call_line(5, 96, 480, 5, 470);
    struct schedule schedule = {SCHEDULE_RANDOM, 3, {0}};
    for (int model = 0; model < MODELS; model++) {
        struct engine_outcome a =
            run("reduceInterleavedCorrected", &invocation, (enum model)model, schedule);
        struct engine_outcome b =
            run("reduceInterleavedCorrected", &invocation, (enum model)model, schedule);
        assert_int_equal(a.fault.kind, FAULT_NONE);
        assert_true(a.steps > 480);
        assert_true(a.steps == b.steps);
    }
}

/* Runs a seeded kernel, and expects its fault at a line of its own file. */
static void expect_fault(const char *kernel, const struct invocation *invocation,
                         enum fault_kind kind, bool has_line)
{
    for (int model = 0; model < MODELS; model++) {
        struct engine_outcome outcome = run(kernel, invocation, (enum model)model, sequential);
        if (outcome.fault.kind != kind)
            print_error("%s: %s, not %s: %s\n", kernel != NULL ? kernel : "nothing",
                        fault_name(outcome.fault.kind), fault_name(kind), outcome.fault.text);
        assert_int_equal(outcome.fault.kind, kind);
        if (!has_line)
            continue;
        assert_string_equal(outcome.fault.file, "seeded/seeded.cu");
        assert_true(outcome.fault.line > 0);
    }
}

TEST(faults_have_names_and_places)
{
    struct invocation small = call_line(1, 2, 2, 1, 2), warp = call_line(2, 33, 66, 2, 66);
    struct invocation tail = call_line(1, 4, 2, 1, 2);
    struct invocation read_only = small;
    read_only.buffers[0].role = ROLE_INPUT;
    expect_fault("seededStrayRead", &tail, FAULT_OUT_OF_BOUNDS_READ, true);
    expect_fault("seededStrayWrite", &small, FAULT_OUT_OF_BOUNDS_WRITE, true);
    expect_fault("seededWildRead", &small, FAULT_OUT_OF_BOUNDS_READ, true);
    expect_fault("seededUnwrittenRead", &small, FAULT_UNINITIALIZED_READ, true);
    expect_fault("seededWritesInput", &read_only, FAULT_READ_ONLY, true);
    expect_fault("seededSharedStray", &warp, FAULT_OUT_OF_BOUNDS_WRITE, true);
    expect_fault("seededSharedUnwritten", &warp, FAULT_UNINITIALIZED_READ, true);
    expect_fault("seededForeignLocal", &small, FAULT_OUT_OF_BOUNDS_WRITE, true);
    expect_fault("seededDivergentBarrier", &small, FAULT_DIVERGENT_BARRIER, true);
    expect_fault("seededEndlessWait", &small, FAULT_DEADLOCK, true);
    expect_fault("seededEndlessWrites", &small, FAULT_STEP_LIMIT, true);
    expect_fault("seededUnwrittenOutput", &small, FAULT_UNWRITTEN_OUTPUT, false);
    expect_fault("seededDeepStack", &small, FAULT_STACK, true);
    /* The engine works as before. */
    schedules_order_lanes_and_blocks_under_independent(state);
}

/* A loop without accesses ends at the timeout. So does a long wait if its step limit is high
 * enough. */
TEST(timeout_applies_with_a_large_step_limit)
{
    /* A timeout that rounds up to a whole second. */
    struct engine_limits limits = {.deadline_seconds = 0.999999, .steps = UINT64_C(1) << 50};
    struct invocation small = call_line(1, 2, 2, 1, 2), seven = call_line(1, 2, 7, 1, 7);
    char reason[256];
    engine_close(engine);
    assert_int_equal(engine_open(&limits, &engine, reason, sizeof reason), ENGINE_OK);
    expect_fault("seededEndlessLoop", &seven, FAULT_TIMEOUT, true);
    engine_close(engine);
    limits.deadline_seconds = 0.2;
    assert_int_equal(engine_open(&limits, &engine, reason, sizeof reason), ENGINE_OK);
    expect_fault("seededEndlessWrites", &small, FAULT_TIMEOUT, true);
    expect_fault("seededEndlessBarriers", &small, FAULT_TIMEOUT, true);
    engine_close(engine);
    limits.steps = 100;
    assert_int_equal(engine_open(&limits, &engine, reason, sizeof reason), ENGINE_OK);
    expect_fault("seededEndlessWrites", &small, FAULT_STEP_LIMIT, true);
    expect_fault("seededEndlessBarriers", &small, FAULT_STEP_LIMIT, true);
    engine_close(engine);
    assert_int_equal(engine_set_up(state), 0);
}

/* Runs the kernel in a process of its own, which then uses 0.1 s of processor time. Returns its
 * wait status. */
static int run_limited(const char *kernel, const struct invocation *invocation)
{
    struct engine_limits limits = {
        .deadline_seconds = 60, .steps = UINT64_C(1) << 50, .killed_seconds = 0.05};
    char reason[256];
    int status;
    pid_t child;

    engine_close(engine);
    assert_int_equal(engine_open(&limits, &engine, reason, sizeof reason), ENGINE_OK);
    child = fork();
    if (child == 0) {
        clock_t start;
        run(kernel, invocation, MODEL_INDEPENDENT, sequential);
        start = clock();
        while (clock() - start < CLOCKS_PER_SEC / 10)
            ;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* A job that does not notice its deadline ends its process, if asked for. The time after a job does
 * not count. */
TEST(job_past_its_processor_time_ends_the_process)
{
    struct invocation seven = call_line(1, 2, 7, 1, 7), small = call_line(1, 4, 4, 1, 4);
    int status = run_limited("seededEndlessLoop", &seven);

    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGPROF);
    assert_int_equal(run_limited("sharedSum", &small), 0);
    engine_close(engine);
    assert_int_equal(engine_set_up(state), 0);
}

/* A closed engine leaves nothing behind, not even for a kernel that ran last. */
TEST(reopened_engine_has_fresh_state)
{
    struct invocation small = call_line(1, 4, 4, 1, 4);
    for (int k = 0; k < 2; k++) {
        struct engine_outcome outcome = run("sharedSum", &small, MODEL_INDEPENDENT,
                                            (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}});
        assert_int_equal(outcome.fault.kind, FAULT_NONE);
        engine_close(engine);
        assert_int_equal(engine_set_up(state), 0);
    }
}

TEST(invalid_launches_are_rejected)
{
    static const struct {
        struct extent grid, block;
        uint32_t shared_bytes;
    } shapes[] = {
        {{0, 1, 1}, {1, 1, 1}, 0},     {{1, 1, 1}, {0, 1, 1}, 0},  {{1, 1, 1}, {1025, 1, 1}, 0},
        {{1, 1, 1}, {64, 32, 1}, 0},   {{1, 1, 1}, {1, 1, 65}, 0}, {{1, 65536, 1}, {1, 1, 1}, 0},
        {{1, 1, 1}, {1, 1, 1}, 49153},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct invocation invocation = call(shapes[i].grid, shapes[i].block, 1, 1, 0);
        invocation.shared_bytes = shapes[i].shared_bytes;
        expect_fault("recordOrder", &invocation, FAULT_LAUNCH, false);
    }
    struct invocation good = call_line(1, 1, 1, 1, 0);
    expect_fault("noSuchKernel", &good, FAULT_LAUNCH, false);
    expect_fault(NULL, &good, FAULT_UNWRITTEN_OUTPUT, false); /* nothing was launched */
}

TEST(job_too_large_for_memory_is_reported)
{
    struct invocation invocation = call_line(1, 1, UINT64_C(1) << 40, 1, 0);
    struct engine_job job = {.invocation = &invocation};
    struct engine_outcome outcome;
    struct engine *second;
    struct engine_limits limits = {.deadline_seconds = 1};
    char reason[256], text[256];
    invocation.kernel = "recordOrder";
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_UNSUPPORTED);
    assert_non_null(strstr(outcome.fault.reason, "do not fit"));
    assert_int_equal(engine_open(&limits, &second, reason, sizeof reason), ENGINE_ERROR);
    assert_null(second);
    engine_close(NULL);
    engine_describe(engine, text, sizeof text);
    assert_non_null(strstr(text, engine_kind()->name));
}

TEST(accesses_of_every_width_are_checked)
{
    struct invocation whole = call_line(1, 1, 16, 1, 16), part = call_line(1, 1, 15, 1, 15);
    assert_int_equal(run("widths", &whole, MODEL_INDEPENDENT, sequential).fault.kind, FAULT_NONE);
    assert_int_equal(results[0], 6 * 3);
    assert_int_equal(run("widths", &whole, MODEL_LOCKSTEP, sequential).fault.kind, FAULT_NONE);
    expect_fault("seededWideStray", &part, FAULT_OUT_OF_BOUNDS_WRITE, true);
}

/* Memory of large jobs is released. The next job sees nothing of the last one. */
TEST(memory_of_large_jobs_is_released)
{
    struct invocation large = call_line(1, 1, UINT64_C(20) << 20, 1, 0);
    struct invocation unwritten = call_line(1, 2, 2, 3, 0);
    assert_int_equal(run("recordOrder", &large, MODEL_INDEPENDENT, sequential).fault.kind,
                     FAULT_NONE);
    expect_fault("recordOrder", &unwritten, FAULT_UNWRITTEN_OUTPUT, false);
}

TEST_MAIN("sim", engine_set_up, engine_tear_down)
