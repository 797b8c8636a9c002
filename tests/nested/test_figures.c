/* SPDX-License-Identifier: MIT
 *
 * Figures of the textbooks that a run shows. They are the traces of the hello kernels, launched as
 * in the textbooks, and the division of a block's threads into warps. Runs on the engine that the
 * program is linked with.
 */
#include "nested.h"

#include "figures.h"

enum { MAX_DEPTH = 12, MARKER = (1 << 26) - 1 };

/* One launch from the host. Lists end with a zero. */
struct trace {
    const char *source, *place, *kernel;
    uint32_t blocks, threads;
    uint32_t arguments[3], argument_count; /* the arguments before the log */
    uint32_t hellos[MAX_DEPTH];            /* records of threads at each depth */
    uint32_t markers[MAX_DEPTH]; /* records of launches from depth 1 on; empty: not printed */
    uint32_t children;           /* child grids; 0: not printed */
};

/* clang-format off */
static const struct trace traces[] = {
    {"book, nested notes", "output: nestedHelloWorld, 1 block of 8", "nestedHelloWorld", 1, 8, {8, 0}, 2,
     {8, 4, 2, 1}, {1, 1, 1}, 0},
    {"nested notes", "output: nestedHelloWorld, 2 blocks of 8", "nestedHelloWorld", 2, 8, {8, 0}, 2,
     {16, 8, 4, 2}, {2, 2, 2}, 0},
    {"mapping notes", "output: nestedHelloWorld, 8 blocks of 2", "nestedHelloWorld", 8, 2, {16, 0}, 2,
     {16, 64, 32, 16, 8}, {8, 8, 8, 8}, 0},
    {"worked out: book, exercise 8", "nestedHelloWorldNew, 1 block of 8",
     "nestedHelloWorldNew", 1, 8, {8, 1, 0}, 3,
     {8, 8, 8, 8}, {0}, 3},
    {"worked out: book, exercise 8", "nestedHelloWorldNew, 2 blocks of 8",
     "nestedHelloWorldNew", 2, 8, {16, 2, 0}, 3,
     {16, 8, 8, 8}, {0}, 3},
    {"worked out: book, exercise 8", "nestedHelloWorldNew, 4 blocks of 8",
     "nestedHelloWorldNew", 4, 8, {32, 4, 0}, 3,
     {32, 16, 8, 8}, {0}, 3},
    {"worked out: book, exercise 8", "nestedHelloWorldNew, 3 blocks of 8",
     "nestedHelloWorldNew", 3, 8, {24, 3, 0}, 3,
     {24, 16, 8, 8}, {0}, 3},
    {"worked out: book, exercise 8", "nestedHelloWorldNew, 2 blocks of 512",
     "nestedHelloWorldNew", 2, 512, {1024, 2, 0}, 3,
     {1024, 512, 512, 512, 512, 512, 512, 512, 512, 512}, {0}, 0},
    {"worked out: book, exercise 9", "nestedHelloWorldLimited, 1 block of 8",
     "nestedHelloWorldLimited", 1, 8, {8, 0, 2}, 3,
     {8, 4, 2}, {0}, 2},
    {"K80 profiles", "output: nestedHelloWorldTree, 2 blocks of 3", "nestedHelloWorldTree", 2, 3, {0, 3}, 2,
     {2, 4, 8}, {0}, 14},
    {"worked out: book, exercise 9", "nestedHelloWorldLimited, 3 blocks of 8",
     "nestedHelloWorldLimited", 3, 8, {8, 0, 2}, 3,
     {24, 12, 6}, {0}, 2 * 3},
    {"worked out: book, exercise 8", "nestedHelloWorldNew, 2 blocks of 3",
     "nestedHelloWorldNew", 2, 3, {6, 2, 0}, 3,
     {6, 3, 3}, {0}, 2},
};
/* clang-format on */

static struct engine_outcome run_trace(const struct trace *trace, enum model model)
{
    struct invocation invocation = {
        .kernel = trace->kernel,
        .grid = {trace->blocks, 1, 1},
        .block = {trace->threads, 1, 1},
        .launches = true,
        .buffer_count = 1,
        .buffers =
            {{.name = "log", .role = ROLE_LOG, .element = ELEMENT_I32, .count = OUT_ELEMENTS}},
        .argument_count = trace->argument_count + 2,
    };
    const struct engine_job job = {
        .invocation = &invocation, .model = model, .results = {nested_out}};

    for (uint32_t k = 0; k < trace->argument_count; k++)
        invocation.arguments[k] = (struct argument){ARGUMENT_VALUE, trace->arguments[k]};
    invocation.arguments[trace->argument_count] = (struct argument){ARGUMENT_BUFFER, 0};
    invocation.arguments[trace->argument_count + 1] = (struct argument){ARGUMENT_VALUE, false};
    return nested_run_job(&job);
}

/* Compares the log with the trace. Returns how many figures of the textbook it has compared. */
static size_t assert_trace(const struct trace *trace, const struct engine_outcome *outcome)
{
    uint32_t hellos[64] = {0}, markers[64] = {0};
    size_t values = 0;

    assert_int_equal(outcome->fault.kind, FAULT_NONE);
    for (uint32_t k = 1; k <= nested_out[0]; k++) {
        bool is_hello = (nested_out[k] & MARKER) != MARKER, is_child = nested_out[k] >> 26 > 0;
        if (is_hello && is_child && strcmp(trace->kernel, "nestedHelloWorld") == 0)
            assert_int_equal((nested_out[k] & MARKER) >> 10, 0); /* a child grid has one block */
        (*(is_hello ? &hellos : &markers))[nested_out[k] >> 26]++;
    }
    for (size_t d = 0; d < MAX_DEPTH; d++) {
        assert_int_equal(hellos[d], trace->hellos[d]);
        values += trace->hellos[d] > 0;
        if (trace->markers[0] > 0 && d + 1 < MAX_DEPTH) {
            assert_int_equal(markers[d + 1], trace->markers[d]);
            values += trace->markers[d] > 0;
        }
    }
    if (trace->children > 0)
        assert_int_equal(outcome->children, trace->children);
    return values + (trace->children > 0);
}

TEST(traces_match_the_textbooks)
{
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        size_t values = 0;
        print_message("%s\n", traces[t].place);
        for (int model = 0; model < (nested_on_host() ? MODELS : 1); model++) {
            struct engine_outcome outcome = run_trace(&traces[t], (enum model)model);
            values = assert_trace(&traces[t], &outcome);
        }
        figures_asserted(traces[t].source, traces[t].place, values);
    }
}

enum { NUMBER, WARP, LANE, COLUMNS };

/* Runs warpMapCorrected on one block. The columns are each thread's number, its warp by that
 * number, and its lane according to the machine. */
static void map_of(struct extent block, uint32_t threads, uint32_t *columns[COLUMNS])
{
    static const char *const names[COLUMNS] = {"number", "warp", "lane"};
    struct invocation invocation = {.kernel = "warpMapCorrected",
                                    .grid = {1, 1, 1},
                                    .block = block,
                                    .buffer_count = COLUMNS,
                                    .argument_count = COLUMNS + 1};
    struct engine_job job = {.invocation = &invocation};

    for (uint32_t k = 0; k < COLUMNS; k++) {
        invocation.buffers[k] = (struct buffer){
            .name = names[k], .role = ROLE_OUTPUT, .element = ELEMENT_I32, .count = threads};
        invocation.arguments[k] = (struct argument){ARGUMENT_BUFFER, k};
        job.results[k] = columns[k];
    }
    invocation.arguments[COLUMNS] = (struct argument){ARGUMENT_VALUE, threads};
    assert_int_equal(nested_run_job(&job).fault.kind, FAULT_NONE);
}

/* The kernel stores at the thread's number, so the lane at that index is the lane of that thread.
 */
TEST(threads_are_grouped_into_warps)
{
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t number[128], warp[128], lane[128], *columns[COLUMNS] = {number, warp, lane};
    map_of((struct extent){2, 2, 2}, 8, columns);
    assert_memory_equal(number, numbers, sizeof numbers);
    assert_memory_equal(lane, numbers, sizeof numbers);
    figures_asserted("warp notes, mapping notes", "thread numbers: a block of 2 x 2 x 2", 8);
    map_of((struct extent){80, 1, 1}, 80, columns);
    assert_int_equal(warp[79] + 1, 3);
    assert_int_equal(31 - lane[79], 16); /* lanes after the last thread: idle */
    figures_asserted("book", "warps: warps and idle lanes of a block of 80", 2);
    map_of((struct extent){128, 1, 1}, 128, columns);
    assert_int_equal(warp[127] + 1, 4);
    figures_asserted("mapping notes", "latency: warps of a block of 128", 1);
}

TEST(documented_figures_match)
{
    figures_match_the_page("host.nested.figures, cuda.nested.figures");
}

int main(void)
{
    int status = nested_open();
    if (status == 0)
        status = tests_run("figures of runs", NULL, NULL);
    nested_close();
    return status;
}
