/* SPDX-License-Identifier: MIT
 *
 * Programs on the simulator: memory, modules and launches of launches.h.
 */
#include "check.h"

#include "fault_members.h"
#include "launches.h"

#include "input_values.h"

#include <inttypes.h>

static struct engine *engine;
static struct race races[8];
static struct launch_rules rules = {
    .model = MODEL_LOCKSTEP, .races = races, .race_capacity = sizeof races / sizeof *races};
static struct launch_module *module;

static int start(void **state)
{
    const struct engine_limits limits = {.deadline_seconds = 60};
    char reason[256];

    (void)state;
    return engine_open(&limits, &engine, reason, sizeof reason) != ENGINE_OK;
}

static int stop(void **state)
{
    (void)state;
    engine_close(engine);
    return 0;
}

/* Reads a file of tests/ptx/programs. The text is valid until four more are read. */
static struct launch_text read_text(const char *name)
{
    static char texts[4][16384];
    static unsigned int next;
    char path[4096], *text = texts[next++ % 4];
    FILE *from;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", PROGRAMS, name);
    from = fopen(path, "r");
    assert_non_null(from);
    size = fread(text, 1, sizeof texts[0], from);
    assert_true(size > 0 && size < sizeof texts[0]);
    fclose(from);
    return (struct launch_text){name, text, size};
}

static struct launch_module *load(const char *name)
{
    const struct launch_text text = read_text(name);
    char reason[512] = "";
    struct launch_module *loaded = launches_load(&text, 1, reason, sizeof reason);

    if (loaded == NULL)
        fail_msg("%s", reason);
    return loaded;
}

static void begin(void)
{
    assert_true(launches_start(engine, &rules));
    module = load("memory.ptx");
}

static struct launch make(const char *kernel, uint32_t threads, void *const *arguments)
{
    return (struct launch){.kernel = launches_kernel(module, kernel),
                           .grid = {1, 1, 1},
                           .block = {threads, 1, 1},
                           .arguments = arguments};
}

static struct engine_outcome run_launch(const struct launch *launch)
{
    struct engine_outcome outcome;

    if (launches_run(launch, 1, &outcome) != ENGINE_OK)
        fail_msg("%s", outcome.fault.text);
    if (outcome.fault.kind == FAULT_NONE)
        outcome.fault = outcome.passed;
    return outcome;
}

/* Runs one block of a kernel with the parameters a and b. */
static struct engine_outcome run(const char *kernel, uint32_t threads, void *a, uint32_t b)
{
    void *arguments[] = {&a, &b};
    const struct launch launch = make(kernel, threads, arguments);

    return run_launch(&launch);
}

static void run_well(const char *kernel, uint32_t threads, void *a, uint32_t b)
{
    const struct engine_outcome outcome = run(kernel, threads, a, b);

    if (outcome.fault.kind != FAULT_NONE)
        fail_msg("%s: %s", kernel, outcome.fault.text);
    assert_int_equal(outcome.race_count, 0);
}

static void run_badly(const char *kernel, uint32_t threads, void *a, struct fault expected)
{
    const struct engine_outcome outcome = run(kernel, threads, a, 1);

    if (!fault_has(&outcome.fault, &expected))
        fail_msg("%s: %s", kernel, outcome.fault.text);
}

#define BADLY(kernel, threads, a, ...)                                                             \
    run_badly(kernel, threads, a, (struct fault)FAULT(__VA_ARGS__))
#define WRITES_PAST(name, ...)                                                                     \
    OUT_OF_BOUNDS_WRITE, OUTSIDE_ELEMENTS, .element = {.array = name, __VA_ARGS__}
#define READS_UNWRITTEN(name)                                                                      \
    UNINITIALIZED_READ, READS_UNWRITTEN, .element = {.array = name, .unit = ELEMENT_INDEX}
#define FREED(name) USE_AFTER_FREE, FREED_BY_HOST, .bytes = 4, .element = {.array = name}

static void *at(void *address, ptrdiff_t bytes)
{
    return (char *)address + bytes;
}

static void expect_words(const void *address, uint32_t count, uint32_t first, uint32_t step)
{
    uint32_t words[64];

    assert_int_equal(launches_copy_out(words, address, count * 4, NULL), MEMORY_OK);
    for (uint32_t k = 0; k < count; k++)
        assert_int_equal(words[k], first + k * step);
}

/* ---- Memory at given addresses ---- */

/* The upper ones are where the simulator's own windows and arrays were before. */
static const uint64_t places[] = {0x302000000,    0x1000000100,   0x555555550010, 0x7a0000000000,
                                  0x7e0012345600, 0x7f0000000000, 0x7f1234000004, 0xffff00000000};

TEST(memory_at_any_address_works)
{
    begin();
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        void *wanted = (void *)(uintptr_t)places[k],
             *placed = launches_place("placed", wanted, 256, NULL);
        assert_ptr_equal(placed, wanted);
        assert_null(launches_place("other", at(placed, 252), 64, NULL));
        assert_null(launches_place("other", at(placed, -4), 8, NULL));
        assert_int_equal(launches_fill(placed, 0, 128), MEMORY_OK);
        run_well("add", 32, placed, 5);
        run_well("set", 16, placed, 7);
        expect_words(placed, 16, 7, 0);
        expect_words(at(placed, 64), 16, 5, 0);
        run_well("count", 32, placed, 1);
        expect_words(placed, 1, 7 + 32, 0);
        run_well("copy", 32, placed, 0);
        expect_words(at(placed, 128), 1, 39, 0);
    }
    assert_null(launches_place("null", NULL, 64, NULL));
    assert_null(launches_place("high", (void *)((uintptr_t)1 << 48), 64, NULL));
    launches_end();
}

TEST(accesses_between_placed_arrays_are_reported)
{
    void *low, *high;

    begin();
    low = launches_place("low", (void *)0x7f1234000000, 64, NULL);
    high = launches_place("high", (void *)0x7f1234000100, 64, NULL);
    BADLY("set", 17, low, WRITES_PAST("low", .index = 16, .count = 16));
    BADLY("set", 1, at(high, -8), WRITES_PAST("high", .index = -2, .count = 16));
    BADLY("count", 1, high, READS_UNWRITTEN("high"));
    BADLY("set", 1, (void *)0x123456789000, OUT_OF_BOUNDS_WRITE, OUTSIDE_ARRAYS);
    BADLY("set", 1, NULL, OUT_OF_BOUNDS_WRITE, OUTSIDE_ARRAYS);
    BADLY("set", 1, at(low, 2), MISALIGNED, ELEMENT_NOT_ALIGNED);
    run_well("set", 16, low, 1);
    /* Next to each other: an access to the second is one. */
    assert_non_null(launches_place("next", at(low, 64), 64, NULL));
    run_well("set", 32, low, 2);
    expect_words(at(low, 64), 16, 2, 0);
    launches_end();
}

static void expect_race(const char *kernel, void *a, const char *name)
{
    const struct engine_outcome outcome = run(kernel, 32, a, 0);

    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_int_equal(outcome.race_count, 1);
    assert_string_equal(races[0].place, name);
}

TEST(races_in_placed_memory_are_found)
{
    static uint32_t before[16], host[16];
    void *placed;

    begin();
    placed = launches_place("placed", (void *)0x7f1234000008, 64, NULL);
    expect_race("race", placed, "placed[0]");
    expect_race("race", at(placed, 8), "placed[2]");
    expect_race("race_bytes", placed, "placed[1]");
    /* In memory of the host, too, where the values are. */
    host[3] = 77;
    assert_non_null(launches_place("before", before, sizeof before, before));
    placed = launches_place("host", host, sizeof host, host);
    expect_race("race", at(placed, 12), "host[3]");
    assert_true(races[0].first.before_known);
    assert_int_equal(races[0].first.before, 77);
    launches_end();
}

/* Through the jobs of engine.h, which decide most cases by the quick check. */
TEST(buffers_of_jobs_have_the_address_of_a_capture)
{
    char reason[256];
    int32_t results[32];
    struct invocation invocation = {
        .kernel = "add",
        .grid = {1, 1, 1},
        .block = {32, 1, 1},
        .buffer_count = 1,
        .buffers = {{.name = "captured",
                     .role = ROLE_INOUT,
                     .element = ELEMENT_I32,
                     .count = 32,
                     .fill = FILL_UNIFORM,
                     .address = 0x7f1234000000}},
        .argument_count = 2,
        .arguments = {{ARGUMENT_VALUE, 0x7f1234000000}, {ARGUMENT_VALUE, 3}},
    };
    struct engine_job job = {.invocation = &invocation,
                             .model = MODEL_LOCKSTEP,
                             .races = races,
                             .race_capacity = 8,
                             .results = {results}};
    struct engine_outcome outcome;

    assert_true(engine_load(PROGRAMS "/memory.ptx", reason, sizeof reason));
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_int_equal(outcome.points, 0); /* decided */
    for (int k = 0; k < 32; k++)
        assert_int_equal(results[k], 3);
    invocation.kernel = "race";
    assert_int_equal(engine_run(engine, &job, 1, &outcome), ENGINE_OK);
    assert_int_equal(outcome.race_count, 1);
    assert_string_equal(races[0].place, "captured[0]");
}

/* ---- Allocation ---- */

TEST(many_arrays_live_and_stay_apart_after_free)
{
    enum { COUNT = 5000 };
    static void *arrays[COUNT];
    struct launch_memory memory;

    begin();
    for (int k = 0; k < COUNT; k++)
        assert_non_null(arrays[k] = launches_allocate(k == 7 ? "seventh" : "memory", 64, 1));
    for (int k = 0; k < COUNT; k += 499)
        run_well("set", 16, arrays[k], (uint32_t)k);
    for (int k = 0; k < COUNT; k += 499)
        expect_words(arrays[k], 16, (uint32_t)k, 0);
    assert_int_equal(launches_find(at(arrays[7], 63), &memory), MEMORY_OK);
    assert_ptr_equal(memory.start, arrays[7]);
    assert_int_equal(memory.bytes, 64);
    assert_string_equal(memory.name, "seventh");
    assert_int_equal(launches_find(at(arrays[7], 64), &memory), MEMORY_UNKNOWN);
    assert_int_equal(launches_free(at(arrays[7], 4)), MEMORY_NOT_START);
    assert_int_equal(launches_free(at(arrays[7], 1 << 20)), MEMORY_UNKNOWN);
    assert_int_equal(launches_free(arrays[7]), MEMORY_OK);
    assert_int_equal(launches_free(arrays[7]), MEMORY_FREED);
    assert_int_equal(launches_find(at(arrays[7], 63), &memory), MEMORY_FREED);
    assert_int_equal(launches_fill(arrays[7], 0, 4), MEMORY_FREED);
    for (int k = 0; k < 100; k++)
        assert_ptr_not_equal(launches_allocate("later", 64, 1), arrays[7]);
    BADLY("set", 1, arrays[7], FREED("seventh"));
    launches_end();
}

TEST(freed_memory_is_used_again)
{
    enum { LARGE = 1 << 30 };

    begin();
    for (int k = 0; k < 40; k++) {
        void *one = launches_allocate("one", LARGE, 1), *other = launches_allocate("two", LARGE, 1);
        assert_non_null(one);
        assert_non_null(other);
        BADLY("count", 1, one, READS_UNWRITTEN("one"));
        run_well("set", 4, one, 1);
        assert_int_equal(launches_free(k % 2 ? one : other), MEMORY_OK);
        assert_int_equal(launches_free(k % 2 ? other : one), MEMORY_OK);
    }
    launches_end();
}

/* Compares memory that is placed and freed at random with a model of it. */
TEST(placed_memory_is_where_it_was_placed)
{
    enum { RANGE = 4096, STEPS = 4000, MAX_BYTES = 200 };
    static char names[STEPS][8];
    const uintptr_t base = 0x7f1234000000;
    int owners[RANGE], steps[RANGE];
    uint32_t seed = 1;

    begin();
    for (int k = 0; k < RANGE; k++)
        owners[k] = steps[k] = -1;
    for (int step = 0; step < STEPS; step++) {
        uint32_t draw = (seed = seed * 1664525 + 1013904223) >> 8, first = draw % RANGE,
                 bytes = 4 * (1 + draw / RANGE % (MAX_BYTES / 4));
        struct launch_memory memory;
        bool is_free = first + bytes <= RANGE;
        for (uint32_t k = first; k < first + bytes && is_free; k++)
            is_free = owners[k] < 0;
        enum memory_status status = launches_find((void *)(base + first), &memory);
        assert_int_equal(status == MEMORY_OK, owners[first] >= 0);
        if (status == MEMORY_OK) {
            assert_string_equal(memory.name, names[owners[first]]);
            assert_ptr_equal(memory.start, base + (uintptr_t)steps[first]);
            assert_int_equal(launches_free((char *)memory.start + memory.bytes - 1),
                             memory.bytes == 1 ? MEMORY_OK : MEMORY_NOT_START);
            assert_int_equal(launches_free(memory.start), MEMORY_OK);
            for (size_t k = 0; k < memory.bytes; k++)
                owners[steps[first] + (int)k] = -2;
        } else if (is_free) {
            snprintf(names[step], sizeof names[step], "m%d", step);
            assert_non_null(launches_place(names[step], (void *)(base + first), bytes, NULL));
            assert_int_equal(launches_fill((void *)(base + first), step, bytes), MEMORY_OK);
            for (uint32_t k = first; k < first + bytes; k++) {
                owners[k] = step;
                steps[k] = (int)first;
            }
        } else if (first + bytes <= RANGE) {
            assert_null(launches_place("in the way", (void *)(base + first), bytes, NULL));
        }
    }
    for (int k = 0; k < RANGE; k++) {
        unsigned char byte = 0;
        if (owners[k] < 0)
            continue;
        assert_int_equal(launches_copy_out(&byte, (void *)(base + (uintptr_t)k), 1, NULL),
                         MEMORY_OK);
        assert_int_equal(byte, owners[k] & 0xff);
    }
    launches_end();
}

TEST(host_and_kernels_share_memory)
{
    static uint32_t own[32];
    uint32_t *shared;
    void *freed;

    begin();
    shared = launches_share("shared", 128);
    shared[3] = 5;
    run_well("add", 32, shared, 2);
    assert_int_equal(shared[3], 7);
    assert_int_equal(shared[4], 2);
    shared[3] = 1;
    run_well("add", 32, shared, 1);
    assert_int_equal(shared[3], 2);
    own[8] = 1;
    assert_ptr_equal(launches_place("own", own, sizeof own, own), own);
    run_well("add", 32, own, 4);
    assert_int_equal(own[8], 5);
    BADLY("set", 32, own + 1, WRITES_PAST("own", .index = 32));
    freed = own;
    assert_int_equal(launches_free(freed), MEMORY_OK);
    BADLY("set", 1, own, FREED("own"));
    assert_non_null(launches_place("again", own, sizeof own, own));
    run_well("add", 32, own, 1);
    assert_null(launches_place("odd", (void *)0x7f1234000000, 8, (char *)own + 1));
    launches_end();
}

TEST(host_and_kernels_share_managed_variables)
{
    static const char text[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                               ".global .align 4 .u32 first = 1;\n"
                               ".visible .global .attribute(.managed) .align 4 .u32 total = 7;\n"
                               ".global .align 4 .u32 last = 2;\n"
                               ".visible .entry count()\n{\n    .reg .u32 %r<3>;\n"
                               "    ld.global.u32 %r1, [total];\n    ld.global.u32 %r2, [last];\n"
                               "    add.u32 %r1, %r1, %r2;\n    st.global.u32 [total], %r1;\n"
                               "    ret;\n}\n";
    const struct launch_text given = {"managed", text, sizeof text - 1};
    struct launch_memory memory = {.bytes = 0};
    struct launch_module *loaded;
    struct engine_outcome outcome;
    struct launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    char reason[256];
    uint32_t *total;

    begin();
    loaded = launches_load(&given, 1, reason, sizeof reason);
    assert_non_null(loaded);
    assert_true(launches_managed(loaded, 0, &memory));
    assert_false(launches_managed(loaded, 1, &memory));
    assert_string_equal(memory.name, "total");
    total = memory.start;
    assert_int_equal(*total, 7);
    *total = 40;
    launch.kernel = launches_kernel(loaded, "count");
    assert_int_equal(launches_run(&launch, 1, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_int_equal(*total, 42);
    launches_unload(loaded);
    assert_int_equal(launches_find(total, &memory), MEMORY_FREED);
    launches_end();
}

TEST(copies_check_their_range)
{
    uint32_t words[4] = {1, 2, 3, 4};
    size_t unwritten = 0;
    char *memory, *other;

    begin();
    memory = launches_allocate("memory", 64, 1);
    other = launches_allocate("other", 64, 1);
    assert_int_equal(launches_copy_in(memory + 16, words, 16), MEMORY_OK);
    assert_int_equal(launches_copy_out(words, memory + 16, 16, NULL), MEMORY_OK);
    assert_int_equal(launches_copy_out(words, memory + 24, 16, &unwritten), MEMORY_UNWRITTEN);
    assert_int_equal(unwritten, 8);
    assert_int_equal(words[1], 4); /* it has copied */
    assert_int_equal(launches_copy_in(memory + 60, words, 8), MEMORY_OUT_OF_BOUNDS);
    assert_int_equal(launches_fill(memory - 4, 0, 4), MEMORY_UNKNOWN);
    assert_int_equal(launches_fill(words, 0, 4), MEMORY_UNKNOWN);
    /* Copies on the GPU keep what was not written. */
    assert_int_equal(launches_fill(other, 9, 64), MEMORY_OK);
    assert_int_equal(launches_copy(other + 8, memory + 12, 8), MEMORY_OK);
    assert_int_equal(launches_copy_out(words, other, 16, &unwritten), MEMORY_UNWRITTEN);
    assert_int_equal(unwritten, 8);
    assert_int_equal(words[3], 1);
    assert_int_equal(launches_copy(other, other + 4, 60), MEMORY_OK);
    assert_int_equal(launches_copy_out(words, other, 16, &unwritten), MEMORY_UNWRITTEN);
    assert_int_equal(unwritten, 4);
    assert_int_equal(launches_fill(other, 0, 64), MEMORY_OK);
    assert_int_equal(launches_copy_out(words, other, 16, NULL), MEMORY_OK);
    launches_end();
}

/* A first run of a launch, which may decide for all schedules, has no effect if it does not. */
TEST(a_run_that_does_not_decide_has_no_effect)
{
    size_t unwritten = 0;
    uint32_t words[96];
    void *memory;

    begin();
    memory = launches_allocate("memory", 97 * 4, 1);
    assert_int_equal(launches_fill(memory, 0, 256), MEMORY_OK);
    run_well("add_and_take", 32, memory, 3);
    expect_words(memory, 32, 3, 0);
    expect_words(at(memory, 128), 1, 32, 0);
    expect_words(at(memory, 256), 32, 3, 0);
    assert_int_equal(launches_copy_out(words, at(memory, 4), 384, &unwritten), MEMORY_UNWRITTEN);
    assert_int_equal(unwritten, 380);
    /* A fault ends the launch that runs then. */
    BADLY("add_and_take", 64, memory, WRITES_PAST("memory", .index = 97));
    launches_end();
}

/* One run decides for all schedules, also for bytes after a first launch that accesses bytes. */
TEST(one_run_decides)
{
    void *memory;

    begin();
    memory = launches_allocate("memory", 256, 1);
    assert_int_equal(launches_fill(memory, 0, 256), MEMORY_OK);
    assert_int_equal(run("add", 64, memory, 1).points, 0);
    assert_true(run("add_and_take", 8, memory, 1).points > 0);
    assert_true(run("set_bytes", 64, memory, 1).points > 0);
    assert_int_equal(run("set_bytes", 64, memory, 1).points, 0);
    assert_int_equal(run("add", 64, memory, 1).points, 0);
    launches_end();
}

/* Writes a kernel in which two threads meet `count` times, each time in a loop of its own. */
static void write_meetings(char *text, size_t size, int count)
{
    size_t at =
        (size_t)snprintf(text, size,
                         ".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry meet(.param .u64 a, .param .u32 b) {\n"
                         ".reg .b64 %%a; .reg .b32 %%v, %%t, %%x; .reg .pred %%p;\n"
                         "ld.param.u64 %%a, [a]; mov.u32 %%t, %%tid.x; and.b32 %%t, %%t, 31;\n"
                         "setp.ne.u32 %%p, %%t, 0; @%%p bra END;\n");

    for (int k = 1; k <= count; k++)
        at += (size_t)snprintf(text + at, size - at,
                               "atom.release.gpu.add.u32 %%x, [%%a], 1;\n"
                               "L%d: ld.acquire.gpu.u32 %%v, [%%a];\n"
                               "setp.lt.u32 %%p, %%v, %d; @%%p bra L%d;\n",
                               k, 2 * k, k);
    snprintf(text + at, size - at, "END: ret;\n}\n");
}

/* A thread that waits gives way soon, also after it has waited in many other loops. */
TEST(threads_wait_in_many_loops)
{
    static char text[16384];
    struct engine_outcome outcome;
    char reason[512];
    void *memory;

    begin();
    write_meetings(text, sizeof text, 40);
    module = launches_load(&(struct launch_text){"meetings.ptx", text, strlen(text)}, 1, reason,
                           sizeof reason);
    if (module == NULL)
        fail_msg("%s", reason);
    memory = launches_allocate("memory", 4, 4);
    assert_int_equal(launches_fill(memory, 0, 4), MEMORY_OK);
    outcome = run("meet", 64, memory, 0);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    expect_words(memory, 1, 80, 0);
    if (outcome.steps > 50000)
        fail_msg("%" PRIu64 " accesses", outcome.steps);
    launches_end();
}

/* ---- Modules ---- */

TEST(modules_have_their_own_names)
{
    struct launch_module *one, *two;
    void *result, *variable, *other;
    uint32_t value = 50;
    size_t bytes;

    begin();
    one = load("counter.ptx");
    two = load("other_counter.ptx");
    result = launches_allocate("result", 1, 4);
    assert_null(launches_kernel(one, "add"));
    assert_ptr_not_equal(launches_kernel(one, "next"), launches_kernel(two, "next"));
    for (uint32_t k = 0; k < 3; k++) {
        module = one;
        run_well("next", 1, result, 0);
        expect_words(result, 1, 10 + k, 0);
        module = two;
        run_well("next", 1, result, 0);
        expect_words(result, 1, 20 + k, 0);
    }
    assert_true(launches_variable(two, "value", &variable, &bytes));
    assert_int_equal(bytes, 4);
    assert_int_equal(launches_copy_in(variable, &value, 4), MEMORY_OK);
    run_well("next", 1, result, 0);
    expect_words(result, 1, 50, 0);
    assert_true(launches_variable(one, "table", &other, &bytes));
    assert_int_equal(bytes, 12);
    assert_int_equal(launches_copy_in(other, &value, 4), MEMORY_OK);
    assert_false(launches_variable(one, "next", &other, &bytes));
    launches_unload(two);
    module = one;
    run_well("next", 1, result, 0);
    expect_words(result, 1, 13, 0);
    assert_int_equal(launches_fill(variable, 0, 4), MEMORY_FREED);
    module = load("other_counter.ptx");
    run_well("next", 1, result, 0);
    expect_words(result, 1, 20, 0);
    launches_end();
    begin();
    module = load("counter.ptx");
    result = launches_allocate("result", 1, 4);
    run_well("next", 1, result, 0);
    expect_words(result, 1, 10, 0);
    launches_end();
}

TEST(texts_of_a_module_are_linked)
{
    const struct launch_text texts[] = {read_text("caller.ptx"), read_text("callee.ptx")};
    char reason[512];
    void *result;

    begin();
    assert_null(launches_load(texts, 1, reason, sizeof reason));
    assert_non_null(strstr(reason, "does not support the runtime function `twice`"));
    assert_null(
        launches_load(&(struct launch_text){"bad.ptx", "bad", 3}, 1, reason, sizeof reason));
    assert_non_null(strstr(reason, "bad.ptx"));
    module = launches_load(texts, 2, reason, sizeof reason);
    if (module == NULL)
        fail_msg("%s", reason);
    result = launches_allocate("result", 1, 4);
    run_well("call", 1, result, 3);
    expect_words(result, 1, 60, 0);
    launches_end();
}

TEST(kernels_have_facts)
{
    struct launch_kernel_facts facts;
    uint32_t offset, bytes;

    begin();
    module = load("facts.ptx");
    launches_kernel_facts(launches_kernel(module, "k"), &facts);
    assert_int_equal(facts.shared_bytes, 100);
    assert_int_equal(facts.constant_bytes, 40);
    assert_int_equal(facts.local_bytes, 24);
    assert_int_equal(facts.most_threads, 192);
    assert_int_equal(facts.threads.x, 0);
    assert_int_equal(facts.cluster.x, 2);
    assert_int_equal(facts.parameter_count, 3);
    assert_int_equal(facts.parameter_bytes, 32);
    assert_int_equal(facts.version, 83);
    assert_int_equal(facts.target, 90);
    assert_true(launches_parameter(launches_kernel(module, "k"), 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 12);
    assert_false(launches_parameter(launches_kernel(module, "k"), 3, &offset, &bytes));
    assert_int_equal(launches_resident(launches_kernel(module, "k"), 192, 0), 10);
    assert_int_equal(launches_resident(launches_kernel(module, "k"), 32, 100 << 10), 2);
    assert_int_equal(launches_resident(launches_kernel(module, "k"), 2000, 0), 0);
    launches_end();
}

/* ---- Launches ---- */

TEST(launches_without_an_order_race)
{
    uint32_t one = 1, two = 2;
    void *memory, *other, *arguments[2][2];
    struct launch launches[LAUNCHES_TOGETHER + 1];
    struct engine_outcome outcome;

    begin();
    memory = launches_allocate("memory", 32, 4);
    other = at(memory, 64);
    arguments[0][0] = arguments[1][0] = &memory;
    arguments[0][1] = &one;
    arguments[1][1] = &two;
    launches[0] = make("set", 16, arguments[0]);
    launches[1] = make("set", 16, arguments[1]);
    assert_int_equal(launches_run(launches, 2, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_int_equal(outcome.race_count, 1);
    assert_string_equal(races[0].place, "memory[0]");
    launches[1].after = 1;
    assert_int_equal(launches_run(launches, 2, &outcome), ENGINE_OK);
    assert_int_equal(outcome.race_count, 0);
    expect_words(memory, 16, 2, 0);
    launches[1].after = 0;
    arguments[1][0] = &other;
    assert_int_equal(launches_run(launches, 2, &outcome), ENGINE_OK);
    assert_int_equal(outcome.race_count, 0);
    /* A chain orders its first and its last. */
    for (uint32_t k = 0; k <= LAUNCHES_TOGETHER; k++) {
        launches[k] = make("add", 16, arguments[0]);
        launches[k].after = k == 0 ? 0 : (uint32_t)1 << (k - 1);
    }
    assert_int_equal(launches_run(launches, LAUNCHES_TOGETHER, &outcome), ENGINE_OK);
    assert_int_equal(outcome.race_count, 0);
    expect_words(memory, 16, 1 + LAUNCHES_TOGETHER, 0);
    launches[31].after = 1;
    assert_int_equal(launches_run(launches, LAUNCHES_TOGETHER, &outcome), ENGINE_OK);
    assert_true(outcome.race_count > 0);
    assert_int_equal(launches_run(launches, LAUNCHES_TOGETHER + 1, &outcome), ENGINE_ERROR);
    assert_int_equal(launches_run(launches, 0, &outcome), ENGINE_ERROR);
    launches[0].after = 1;
    assert_int_equal(launches_run(launches, 1, &outcome), ENGINE_ERROR);
    launches_end();
}

/* A kernel that waits for another one needs it to run at the same time. */
TEST(launches_run_at_the_same_time)
{
    uint32_t value = 7;
    void *memory, *arguments[] = {&memory, &value};
    struct launch launches[2];
    struct engine_outcome outcome;

    begin();
    memory = launches_allocate("memory", 1, 4);
    assert_int_equal(launches_fill(memory, 0, 4), MEMORY_OK);
    launches[0] = make("wait", 1, arguments);
    launches[1] = make("count", 1, arguments);
    assert_int_equal(launches_run(launches, 2, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_NONE);
    assert_int_equal(launches_fill(memory, 0, 4), MEMORY_OK);
    launches[1].after = 1;
    assert_int_equal(launches_run(launches, 2, &outcome), ENGINE_OK);
    assert_int_equal(outcome.fault.kind, FAULT_DEADLOCK);
    launches_end();
}

TEST(limits_of_launches_are_checked)
{
    uint32_t bytes = 100 << 10;
    void *memory, *arguments[] = {&memory, &bytes};
    struct engine_outcome outcome;
    struct launch launch;

    begin();
    memory = launches_allocate("memory", 64, 4);
    launch = make("dynamic", 32, arguments);
    launch.shared_bytes = bytes;
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_LAUNCH);
    launch.opts_in = true;
    launch.block.x = 1;
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_NONE);
    launch.shared_bytes--;
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_OUT_OF_BOUNDS_WRITE);
    launch = make("set", 1024, arguments);
    launch.grid.x = 2 * 132;
    launch.is_cooperative = true;
    launch.block.x = 64;
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_NONE);
    launch.grid.x = 33 * 132;
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_LAUNCH);
    launch = make("rank", 1, arguments);
    launch.grid.x = 16;
    launch.cluster = (struct extent){16, 1, 1};
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_LAUNCH);
    launch.is_nonportable = true;
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_NONE);
    expect_words(memory, 16, bytes, 0);
    launch.kernel = NULL;
    assert_int_equal(launches_run(&launch, 1, &outcome), ENGINE_ERROR);
    launches_end();
}

TEST(a_fault_leaves_memory_and_modules)
{
    void *memory;

    begin();
    memory = launches_allocate("memory", 4, 4);
    assert_int_equal(launches_fill(memory, 0, 16), MEMORY_OK);
    BADLY("trap", 1, memory, TRAP, TRAPS, .file = "kernel.cu", .line = 67);
    run_well("add", 4, memory, 3);
    expect_words(memory, 4, 3, 0);
    launches_end();
}

TEST(kernels_print_to_the_output)
{
    static const char format[] = "b is %d\n";
    char *text = NULL;
    size_t size = 0;
    void *placed;

    begin();
    module = load("print.ptx");
    placed = launches_place("text", (void *)0x7f1234000000, sizeof format, NULL);
    assert_int_equal(launches_copy_in(placed, format, sizeof format), MEMORY_OK);
    BADLY("print", 1, placed, UNEXPECTED_OUTPUT, PRINTS);
    rules.output = open_memstream(&text, &size);
    run_well("print", 1, placed, 42);
    fclose(rules.output);
    rules.output = NULL;
    assert_string_equal(text, "b is 42\n");
    free(text);
    launches_end();
}

/* ---- Arguments ---- */

TEST(textures_are_views_of_memory)
{
    const struct view view = {.element = ELEMENT_F32,
                              .lanes = 1,
                              .dimensions = 1,
                              .is_memory = true,
                              .extent = {8, 1, 1},
                              .layers = 1};
    float values[16];
    void *memory, *result;
    uint64_t handle;
    void *arguments[] = {&result, &handle};
    struct launch launch;

    begin();
    for (int k = 0; k < 16; k++)
        values[k] = (float)k;
    memory = launches_allocate("texels", 16, 4);
    result = launches_allocate("result", 8, 4);
    assert_int_equal(launches_copy_in(memory, values, sizeof values), MEMORY_OK);
    handle = launches_add_view(&view, at(memory, 16));
    assert_int_equal(launches_add_view(&view, at(memory, 48)), 0);
    launch = make("texels", 8, arguments);
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_NONE);
    assert_int_equal(launches_copy_out(values, result, 32, NULL), MEMORY_OK);
    for (int k = 0; k < 8; k++)
        assert_true(values[k] == (float)(k + 4));
    assert_int_equal(launches_free(memory), MEMORY_OK);
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_USE_AFTER_FREE);
    launches_drop_view(handle);
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_OUT_OF_BOUNDS_READ);
    launches_end();
}

TEST(textures_do_not_read_memory_that_took_their_place)
{
    const struct view view = {.is_memory = true,
                              .element = ELEMENT_F32,
                              .lanes = 1,
                              .dimensions = 1,
                              .extent = {8, 1, 1},
                              .layers = 1};
    char *const place = (char *)0x7f1234000000;
    void *result;
    uint64_t handle;
    void *arguments[] = {&result, &handle};
    struct launch launch;

    begin();
    assert_non_null(launches_place("texels", place, 64, NULL));
    assert_int_equal(launches_fill(place, 0, 64), MEMORY_OK);
    result = launches_allocate("result", 8, 4);
    handle = launches_add_view(&view, place + 32);
    launch = make("texels", 8, arguments);
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_NONE);
    assert_int_equal(launches_free(place), MEMORY_OK);
    assert_non_null(launches_place("smaller", place, 16, NULL));
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_USE_AFTER_FREE);
    launches_end();
}

TEST(tensor_maps_are_arguments)
{
    const struct tensor_map map = {
        .type = TENSOR_U32, .rank = 1, .sizes = {16}, .box = {4}, .steps = {1}};
    unsigned char bytes[LAUNCH_MAP_BYTES];
    uint32_t value = 6;
    void *memory, *arguments[] = {bytes, &value};
    struct engine_outcome outcome;
    struct launch launch;

    begin();
    memory = launches_place("tensor", (void *)0x7f1234000000, 64, NULL);
    assert_int_equal(launches_fill(memory, 0, 64), MEMORY_OK);
    launches_encode_map(&map, memory, bytes);
    launch = make("map", 1, arguments);
    outcome = run_launch(&launch);
    if (outcome.fault.kind != FAULT_NONE)
        fail_msg("%s", outcome.fault.text);
    expect_words(memory, 4, 0, 0);
    expect_words(at(memory, 16), 4, 6, 0);
    expect_words(at(memory, 32), 8, 0, 0);
    launches_end();
}

/* ---- Launches that change nothing ---- */

/* Runs a launch three times: the second one changes nothing, and the third one is left out. */
static void make_idle(const struct launch *launch)
{
    assert_true(run_launch(launch).steps > 0);
    run_launch(launch);
    assert_int_equal(run_launch(launch).steps, 0);
}

TEST(launches_that_change_nothing_run_again_after_a_change)
{
    const uint32_t nine = 9;
    void *a, *other;
    uint32_t b = 5;
    void *arguments[] = {&a, &b};
    struct launch launch;

    begin();
    a = launches_allocate("a", 64, 4);
    other = launches_allocate("other", 72, 4);
    launch = make("set", 32, arguments);
    make_idle(&launch);
    assert_int_equal(launches_copy_in(a, &nine, 4), MEMORY_OK);
    make_idle(&launch);
    expect_words(a, 32, 5, 0);
    assert_int_equal(launches_fill(a, 0, 8), MEMORY_OK);
    make_idle(&launch);
    assert_int_equal(launches_fill(other, 0, 288), MEMORY_OK);
    run_launch(&launch);
    assert_int_equal(launches_copy(a, other, 64), MEMORY_OK);
    run_launch(&launch);
    expect_words(a, 32, 5, 0);
    run_well("add", 32, a, 1); /* decided, and changes memory each time */
    run_well("add", 32, a, 1);
    run_well("add", 32, a, 1);
    expect_words(a, 32, 8, 0);
    make_idle(&launch);
    run_well("add_and_take", 1, other, 0); /* not decided */
    make_idle(&launch);
    for (int k = 0; k < 4; k++) { /* other launches */
        struct launch changed = launch;
        changed.grid.x += k == 1;
        changed.block.x -= k == 2;
        changed.shared_bytes += k == 3;
        changed.is_unchecked = k == 0;
        assert_true(run_launch(&changed).steps > 0);
        run_launch(&launch);
    }
    b = 6;
    run_launch(&launch);
    expect_words(a, 32, 6, 0);
    make_idle(&launch);
    assert_int_equal(launches_free(a), MEMORY_OK);
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_USE_AFTER_FREE);
    launches_end();
}

/* Random launches and changes, many of which change nothing, against a model of the memory. */
TEST(launches_that_change_nothing_leave_memory_as_a_model_says)
{
    enum { ARRAYS = 2, WORDS = 16, STEPS = 10000 };
    uint32_t model[ARRAYS][WORDS] = {{0}}, words[WORDS], left_out = 0;
    void *arrays[ARRAYS];

    begin();
    for (int a = 0; a < ARRAYS; a++) {
        arrays[a] = launches_allocate("array", WORDS, 4);
        assert_int_equal(launches_fill(arrays[a], 0, WORDS * 4), MEMORY_OK);
    }
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t hash = values_hash(59, step);
        uint32_t a = (uint32_t)(hash % ARRAYS), from = (uint32_t)(hash >> 8) % ARRAYS,
                 b = (hash >> 16) % 8 == 0, threads = (hash >> 24) % 2 ? WORDS : 1,
                 action = (uint32_t)(hash >> 32) % 64;
        void *arguments[] = {&arrays[a], &b};
        struct launch launch = make(action < 40 ? "set" : "add", threads, arguments);
        if (action < 60)
            left_out += run_launch(&launch).steps == 0;
        for (uint32_t k = 0; action < 60 && k < threads; k++)
            model[a][k] = action < 40 ? b : model[a][k] + b;
        if (action == 60) {
            assert_int_equal(launches_copy_in((char *)arrays[a] + 4, &b, 4), MEMORY_OK);
            model[a][1] = b;
        } else if (action == 61) {
            assert_int_equal(launches_fill(arrays[a], (int)b, 8), MEMORY_OK);
            model[a][0] = model[a][1] = b * UINT32_C(0x01010101);
        } else if (action > 61 && a != from) {
            assert_int_equal(launches_copy(arrays[a], arrays[from], WORDS * 4), MEMORY_OK);
            memcpy(model[a], model[from], WORDS * 4);
        }
        for (int k = 0; k < ARRAYS; k++) {
            assert_int_equal(launches_copy_out(words, arrays[k], WORDS * 4, NULL), MEMORY_OK);
            assert_memory_equal(words, model[k], sizeof words);
        }
    }
    assert_in_range(left_out, STEPS / 20, STEPS / 2);
    launches_end();
}

/* The host, a texture that is gone, and other code at the same place. */
TEST(launches_that_change_nothing_depend_on_more_than_memory)
{
    static const char text[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                               ".visible .entry set(.param .u64 a)\n{\n    .reg .u64 %%rd<2>;\n"
                               "    ld.param.u64 %%rd1, [a];\n    st.global.u32 [%%rd1], %d;\n"
                               "    ret;\n}\n";
    const struct view view = {.is_memory = true,
                              .element = ELEMENT_F32,
                              .lanes = 1,
                              .dimensions = 1,
                              .extent = {8, 1, 1},
                              .layers = 1};
    static uint32_t own[32];
    void *a = own, *texels;
    uint32_t b = 5;
    uint64_t handle;
    void *arguments[] = {&a, &b}, *of_texture[] = {&a, &handle};
    struct launch launch;

    begin();
    assert_non_null(launches_place("own", own, sizeof own, own));
    launch = make("set", 32, arguments);
    for (uint32_t k = 0; k < 5; k++) {
        own[7] = k < 4 ? 5 : 1;
        run_launch(&launch);
        assert_int_equal(own[7], 5);
    }
    a = launches_allocate("a", 64, 4);
    texels = launches_allocate("texels", 8, 4);
    assert_int_equal(launches_fill(texels, 0, 32), MEMORY_OK);
    handle = launches_add_view(&view, texels);
    launch = make("texels", 8, of_texture);
    run_launch(&launch);
    run_launch(&launch);
    assert_int_equal(run_launch(&launch).steps, 0);
    launches_drop_view(handle);
    assert_int_equal(run_launch(&launch).fault.kind, FAULT_OUT_OF_BOUNDS_READ);
    for (int k = 1; k < 3; k++) {
        char filled[sizeof text + 8], reason[256];
        const struct launch_text given = {"text", filled,
                                          (size_t)snprintf(filled, sizeof filled, text, k)};
        struct launch_module *loaded = launches_load(&given, 1, reason, sizeof reason);
        assert_non_null(loaded);
        launch = make("set", 1, arguments);
        launch.kernel = launches_kernel(loaded, "set");
        for (int r = 0; r < 3; r++)
            run_launch(&launch);
        expect_words(a, 1, (uint32_t)k, 0);
        launches_unload(loaded);
    }
    launches_end();
}

/* ---- Nested launches ---- */

TEST(kernels_launch_kernels_of_their_module)
{
    void *memory;

    begin();
    module = load("parent.ptx");
    memory = launches_allocate("memory", 1, 4);
    run_well("parent", 1, memory, 5);
    expect_words(memory, 1, 105, 0);
    launches_end();
}

TEST_MAIN("device programs", start, stop)
