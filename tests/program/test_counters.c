/* SPDX-License-Identifier: MIT
 *
 * The textbooks' figures to the printed digit, each with its source and place. Also what an H200's
 * hardware counters gave for the same launches, and `simtcheck counters` itself.
 */
#include "check.h"

#include "catalogue.h"
#include "figures.h"

/* A figure as a textbook prints it. It is either `times` the count of one launch or block, `plus` a
 * constant for the launch itself, or a percentage, which is not scaled. */
struct figure {
    const char *document, *place;
    const char *kernel, *block, *size;
    long long times;
    const char *counter, *published;
    long long plus;
};

/* Kepler counts lines of 128 bytes, also for stores. Volta counts sectors of 32 bytes. */
#define FOUR(document, place, kernel, block, size, times, kind, load, store, loaded, stored)       \
    {document, place, kernel, block, size, times, "gld_transactions_" kind, load, 0},              \
        {document, place, kernel, block, size, times, "gst_transactions_" kind, store, 0},         \
        {document, place, kernel, block, size, times, "gld_efficiency_32B", loaded, 0},            \
    {                                                                                              \
        document, place, kernel, block, size, times, "gst_efficiency_32B", stored, 0               \
    }
#define K80(kernel, load, store, loaded, stored)                                                   \
    FOUR("K80 profiles", "tables: transactions and efficiencies, n = 2^14", kernel, "1024",        \
         "16384", 1, "128B", load, store, loaded, stored)
#define K80_LARGE(kernel, size, blocks, load, store, loaded, stored)                               \
    FOUR("K80 profiles", "tables: transactions and efficiencies, n = 2^30", kernel, "1024", size,  \
         blocks, "128B", load, store, loaded, stored)
#define V100(kernel)                                                                               \
    FOUR("book, exercise 3", "transactions and efficiencies, n = 2^24", kernel, "512", "4096",     \
         4096, "32B", "2641920", "536576", "99.21", "97.71")
/* clang-format off */
#define SUM_MAT_OF(block, counter, published)                                                        \
    {"K80 profiles", "tables: transactions and efficiencies of sumMat, 2^14 by 2^14", "sumMat", block, "64x64",     \
     1 << 16, counter, published, 0}
#define SUM_MAT(block, load, loaded, store)                                                        \
    SUM_MAT_OF(block, "gld_transactions_128B", load),                                              \
    SUM_MAT_OF(block, "gst_transactions_128B", store),                                             \
    SUM_MAT_OF(block, "gld_efficiency_128B", loaded),                                              \
    SUM_MAT_OF(block, "gst_efficiency_32B", "100.00")
static const struct figure figures[] = {
    K80("reduceNeighbored1", "6128", "3072", "25.01", "25.00"),
    K80("reduceNeighbored2", "6128", "3072", "25.01", "25.00"),
    K80("reduceNeighbored3", "7200", "3600", "22.49", "22.48"),
    K80("reduceInterleaved1", "1168", "592", "98.04", "97.71"),
    K80("reduceInterleaved2", "1096", "552", "99.01", "98.84"),
    K80("reduceInterleaved4", "804", "276", "99.34", "98.84"),
    K80("reduceInterleaved8", "658", "138", "99.60", "98.84"),
    K80_LARGE("reduceInterleaved1", "1024", 1 << 20, "76546048", "38797312", "98.04", "97.71"),
    K80_LARGE("reduceInterleaved2", "2048", 1 << 19, "71827456", "36175872", "99.01", "98.84"),
    K80_LARGE("reduceInterleaved4", "4096", 1 << 18, "52690944", "18087936", "99.34", "98.84"),
    K80_LARGE("reduceInterleaved8", "8192", 1 << 17, "43122688", "9043968", "99.60", "98.84"),
    V100("reduceUnrolling8"),
    V100("reduceUnrolling8Loop"),
    SUM_MAT("32x32", "16777216", "100.00", "8388608"),
    SUM_MAT("32x16", "16777216", "100.00", "8388608"),
    SUM_MAT("16x32", "33554432", "50.00", "16777216"),
    SUM_MAT("16x16", "33554432", "50.00", "16777216"),
    {"K80 profiles", "text: bytes that reduceNeighbored2 loads, and their share of lines",
     "reduceNeighbored2", "1024", "16384", 1, "gld_bytes", "131008", 0},
    {"K80 profiles", "text: bytes that reduceNeighbored2 loads, and their share of lines",
     "reduceNeighbored2", "1024", "16384", 1, "gld_efficiency_128B", "16.70", 0},
    {"worked out: K80 profiles", "stores of reduceInterleaved4 by size",
     "reduceInterleaved4", "1024", "16384", 1, "gst_transactions_of_4_sectors", "252", 0},
    {"K80 profiles", "text: stores of reduceInterleaved4 by size",
     "reduceInterleaved4", "1024", "16384", 1, "gst_transactions_of_2_sectors", "4", 0},
    {"worked out: K80 profiles", "stores of reduceInterleaved4 by size",
     "reduceInterleaved4", "1024", "16384", 1, "gst_transactions_of_1_sector", "20", 0},
    {"worked out: K80 profiles", "stores of reduceInterleaved4 by size",
     "reduceInterleaved4", "1024", "16384", 1, "gst_transactions_32B", "1036", 0},
    {"K80 profiles", "tables: warp execution efficiency of the loops",
     "mathKernel1Loop", "1024", "16384", 1, "lane_efficiency", "50.00", 0},
    {"K80 profiles", "tables: warp execution efficiency of the loops",
     "mathKernel2Loop", "1024", "16384", 1, "lane_efficiency", "100.00", 0},
    {"worked out: book", "lane efficiency of 4, 5 and 32 branches",
     "mathKernelWays", "1024", "16384x4", 1, "lane_efficiency", "25.00", 0},
    {"worked out: book", "lane efficiency of 4, 5 and 32 branches",
     "mathKernelWays", "1024", "16384x5", 1, "lane_efficiency", "20.00", 0},
    {"worked out: book", "lane efficiency of 4, 5 and 32 branches",
     "mathKernelWays", "1024", "16384x32", 1, "lane_efficiency", "3.12", 0},
    {"nested notes", "nvprof: child grids, n = 2^20, B = 512",
     "gpuRecursiveReduceNosync", "512", "512", 2048, "child_grids", "16384", 0},
    {"nested notes", "nvprof: child grids, n = 2^20, B = 512",
     "gpuRecursiveReduce2", "512", "1024", 1, "child_grids", "8", 0},
    /* Includes its own 256 threads. */
    {"worked out: nested notes", "threads launched for a root block, B = 512",
     "gpuRecursiveReduce2", "512", "512", 1, "child_threads", "511", 256},
    {"worked out: book", "child grids of 2 blocks, launched once a block or once a grid",
     "nestedHelloWorld", "8", "2x8", 1, "child_grids", "6", 0},
    {"worked out: book", "child grids of 2 blocks, launched once a block or once a grid",
     "nestedHelloWorldNew", "8", "2", 1, "child_grids", "3", 0},
    {"worked out: book", "load lines of a block, B = 512",
     "reduceNeighbored", "512", "512", 1, "gld_transactions_128B", "191", 0},
    {"worked out: book", "load lines of a block, B = 512",
     "reduceNeighboredLess", "512", "512", 1, "gld_transactions_128B", "191", 0},
    {"worked out: book", "load lines of a block, B = 512",
     "reduceInterleaved", "512", "512", 1, "gld_transactions_128B", "41", 0},
    {"worked out: K80 profiles", "load lines of a block, B = 1024",
     "reduceNeighbored", "1024", "1024", 1, "gld_transactions_128B", "383", 0},
    {"worked out: K80 profiles", "load lines of a block, B = 1024",
     "reduceNeighboredLess", "1024", "1024", 1, "gld_transactions_128B", "383", 0},
    {"worked out: K80 profiles", "load lines of a block, B = 1024",
     "reduceInterleaved", "1024", "1024", 1, "gld_transactions_128B", "73", 0},
};
/* clang-format on */

static json_t *count(const char *kernel, const char *block, const char *size)
{
    json_t *report = report_line(0, "counters --kernel '%s' --block '%s' --size '%s' --by-barrier",
                                 kernel, block, size);
    assert_non_null(report);
    return report;
}

TEST(counters_match_the_published_figures)
{
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        const struct figure *figure = &figures[f];
        json_t *report = count(figure->kernel, figure->block, figure->size);
        const json_t *counted = json_object_get(report, figure->counter);
        char text[32];
        if (json_is_real(counted))
            snprintf(text, sizeof text, "%.2f", json_real_value(counted));
        else
            snprintf(text, sizeof text, "%lld",
                     report_number(report, figure->counter) * figure->times + figure->plus);
        if (strcmp(text, figure->published) != 0)
            print_error("document %s, %s: %s, %s\n", figure->document, figure->place,
                        figure->kernel, figure->counter);
        assert_non_null(counted);
        assert_string_equal(text, figure->published);
        figures_asserted(figure->document, figure->place, 1);
        json_decref(report);
    }
}

/* The values that an H200's hardware counters reported for the same launches. */
TEST(counters_match_hardware_counters)
{
    static const struct {
        const char *kernel;
        long long loads, load_sectors, stores, store_sectors;
    } read[] = {
        {"reduceNeighbored1", 6128, 16368, 3072, 8192},
        {"reduceNeighbored2", 1168, 16368, 592, 8192},
        {"reduceInterleaved1", 1168, 4176, 592, 2096},
        {"reduceInterleaved2", 1096, 4136, 552, 2072},
        {"reduceInterleaved4", 804, 3092, 276, 1036},
        {"reduceInterleaved8", 658, 2570, 138, 518},
    };
    for (size_t k = 0; k < sizeof read / sizeof *read; k++) {
        json_t *report = count(read[k].kernel, "1024", "16384");
        assert_int_equal(report_number(report, "gld_requests"), read[k].loads);
        assert_int_equal(report_number(report, "gld_transactions_32B"), read[k].load_sectors);
        assert_int_equal(report_number(report, "gst_requests"), read[k].stores);
        assert_int_equal(report_number(report, "gst_transactions_32B"), read[k].store_sectors);
        json_decref(report);
    }
}

/* Values of `count` intervals between barriers, starting at interval `from`. If `ends`, no further
 * interval follows. */
struct course {
    const char *document, *place;
    const char *kernel, *block, *size, *counter;
    size_t from, count;
    bool ends;
    long long values[12];
};

/* clang-format off */
static const struct course courses[] = {
    {"K80 profiles", "text: loads by stride",
     "reduceNeighbored1", "1024", "16384", "gld_transactions_128B", 0, 11, true,
     {1024, 1024, 1024, 1024, 1024, 512, 256, 128, 64, 32, 16}},
    {"K80 profiles", "text: loads by stride",
     "reduceNeighbored2", "1024", "16384", "gld_transactions_128B", 0, 11, true,
     {1024, 1024, 1024, 1024, 1024, 512, 256, 128, 64, 32, 16}},
    {"K80 profiles", "text: loads by stride",
     "reduceInterleaved1", "1024", "16384", "gld_transactions_128B", 0, 11, true,
     {512, 256, 128, 64, 32, 32, 32, 32, 32, 32, 16}},
    /* No barrier separates the fold's 512 loads from the first stride's 128. */
    {"K80 profiles", "text: loads by stride",
     "reduceInterleaved4", "1024", "16384", "gld_transactions_128B", 0, 11, true,
     {512 + 128, 64, 32, 16, 8, 8, 8, 8, 8, 8, 4}},
    /* No barrier separates the fold's 128 stores from the first stride's 64. All of these have four
     * sectors. */
    {"K80 profiles", "text: stores of reduceInterleaved4 by size", "reduceInterleaved4", "1024", "16384",
     "gst_transactions_128B", 0, 5, false, {128 + 64, 32, 16, 8, 4}},
    {"worked out: warp notes", "active warps of the two shared reductions, by stride",
     "reduceSharedDivergent", "512", "512", "warps", 1, 9, false,
     {16, 16, 16, 16, 16, 8, 4, 2, 1}},
    {"worked out: warp notes", "split warps of the two shared reductions, by stride",
     "reduceSharedDivergent", "512", "512", "split_warps", 1, 9, false,
     {16, 16, 16, 16, 16, 8, 4, 2, 1}},
    {"worked out: warp notes", "active warps of the two shared reductions, by stride",
     "reduceSharedLessDivergent", "512", "512", "warps", 1, 9, false,
     {8, 4, 2, 1, 1, 1, 1, 1, 1}},
    {"worked out: warp notes", "split warps of the two shared reductions, by stride",
     "reduceSharedLessDivergent", "512", "512", "split_warps", 1, 9, false,
     {0, 0, 0, 0, 1, 1, 1, 1, 1}},
    /* At the end one lane stores before the others have exited. */
    {"worked out: K80 profiles", "split warps of reduceInterleaved1, by stride",
     "reduceInterleaved1", "1024", "16384", "split_warps", 0, 11, true,
     {0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16}},
    {"worked out: book", "split warps of mathKernel2, 8 blocks",
     "mathKernel2Loop", "48", "384", "split_warps", 0, 1, true, {4}},
    {"worked out: book", "split warps of mathKernel2, 8 blocks",
     "mathKernel2Loop", "33", "264", "split_warps", 0, 1, true, {7}},
    {"worked out: book", "split warps of mathKernel2, 8 blocks",
     "mathKernel2Loop", "100", "800", "split_warps", 0, 1, true, {21}},
    {"worked out: book", "warps of mathKernel2, 8 blocks", "mathKernel2Loop", "48", "384", "warps", 0, 1, true, {16}},
    {"worked out: book", "warps of mathKernel2, 8 blocks", "mathKernel2Loop", "33", "264", "warps", 0, 1, true, {16}},
    {"worked out: book", "warps of mathKernel2, 8 blocks", "mathKernel2Loop", "100", "800", "warps", 0, 1, true, {32}},
    {"worked out: book", "split warps of mathKernel2, 8 blocks",
     "mathKernel2Loop", "32", "256", "split_warps", 0, 1, true, {0}},
    {"worked out: book", "split warps of mathKernel2, 8 blocks",
     "mathKernel2Loop", "64", "512", "split_warps", 0, 1, true, {0}},
    {"worked out: book", "split warps of mathKernel2, 8 blocks",
     "mathKernel2Loop", "96", "768", "split_warps", 0, 1, true, {0}},
    {"worked out: book", "split warps of mathKernel1, 8 blocks",
     "mathKernel1Loop", "64", "512", "split_warps", 0, 1, true, {16}},
};
/* clang-format on */

TEST(counters_by_interval_match_the_published_figures)
{
    for (size_t k = 0; k < sizeof courses / sizeof *courses; k++) {
        const struct course *course = &courses[k];
        json_t *report = count(course->kernel, course->block, course->size),
               *intervals = json_object_get(report, "intervals");
        if (course->ends)
            assert_int_equal(json_array_size(intervals), course->from + course->count);
        for (size_t i = 0; i < course->count; i++) {
            const json_t *interval = json_array_get(intervals, course->from + i);
            long long counted = report_number(interval, course->counter);
            if (counted != course->values[i])
                print_error("document %s, %s: %s, interval %zu\n", course->document, course->place,
                            course->kernel, course->from + i);
            assert_int_equal(counted, course->values[i]);
        }
        figures_asserted(course->document, course->place, course->count);
        json_decref(report);
    }
}

/* The intervals add up to the total. */
TEST(interval_counts_add_up_to_the_total)
{
    static const char *const counters[] = {"gld_requests", "gst_requests", "gld_transactions_128B",
                                           "gst_transactions_32B"};
    json_t *report = count("reduceCompleteUnrollWarps8", "256", "5000");
    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        long long sum = 0;
        size_t i;
        json_t *interval;
        json_array_foreach(json_object_get(report, "intervals"), i, interval) sum +=
            report_number(interval, counters[c]);
        assert_true(sum > 0);
        assert_int_equal(sum, report_number(report, counters[c]));
    }
    json_decref(report);
}

/* The book, exercises 3 and 6: a loop and the unrolled sum make the same requests, and so do floats
 * and ints. */
TEST(equivalent_kernels_make_equal_requests)
{
    static const struct {
        const char *one, *other, *block, *size;
    } pairs[] = {
        {"reduceUnrolling8", "reduceUnrolling8Loop", "512", "8192"},
        {"reduceInterleaved", "reduceInterleavedFloat", "512", "8192"},
        {"reduceCompleteUnrollWarps8", "reduceCompleteUnrollWarps8Float", "512", "8192"},
    };
    static const char *const of_memory[] = {
        "gld_requests",          "gst_requests",          "gld_bytes", "gst_bytes",
        "gld_transactions_128B", "gst_transactions_128B", "intervals", "lane_efficiency",
        "gld_transactions_32B",  "gst_transactions_32B"};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        json_t *one = count(pairs[p].one, pairs[p].block, pairs[p].size),
               *other = count(pairs[p].other, pairs[p].block, pairs[p].size);
        assert_true(report_number(one, "gld_requests") > 0);
        for (size_t c = 0; c < sizeof of_memory / sizeof *of_memory; c++)
            assert_true(json_equal(json_object_get(one, of_memory[c]),
                                   json_object_get(other, of_memory[c])));
        json_decref(one);
        json_decref(other);
    }
}

/* The K80 profiles: grids of sumMat at 16384 by 16384. The mapping notes: one grid of a line. */
TEST(grids_are_as_published)
{
    static const struct extent shapes[][2] = {{{32, 32, 1}, {512, 512, 1}},
                                              {{32, 16, 1}, {512, 1024, 1}},
                                              {{16, 32, 1}, {1024, 512, 1}},
                                              {{16, 16, 1}, {1024, 1024, 1}}};
    const struct variant *sum = catalogue_find(&simtcheck_catalogue, "sumMat", VARIANT_ORIGINAL);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const struct shape shape = {shapes[k][0], {16384, 16384}, 0, 0, {0, 0}};
        struct invocation invocation;
        sum->invoke(sum, &shape, &invocation);
        assert_memory_equal(&invocation.grid, &shapes[k][1], sizeof invocation.grid);
        figures_asserted("K80 profiles", "tables: grids of sumMat, x and y", 2);
    }
    const struct variant *map =
        catalogue_find(&simtcheck_catalogue, "mathKernel1Loop", VARIANT_ORIGINAL);
    struct invocation invocation;
    map->invoke(map, &(struct shape){{8, 1, 1}, {9, 1}, 0, 0, {0, 0}}, &invocation);
    assert_int_equal(invocation.grid.x, 2);
    figures_asserted("mapping notes", "grids: 9 elements in blocks of 8", 1);
}

/* A compiler may keep a plain value in a register; other lanes then do not see its steps in memory.
 * For 64 elements the tail loads two in each of six steps, and stores one. */
TEST(every_access_of_a_volatile_tail_is_counted)
{
    static const char *const kernels[] = {"reduceUnrollWarps8", "reduceCompleteUnrollWarps8",
                                          "reduceCompleteUnroll",
                                          "reduceCompleteUnrollWarps8Float"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        json_t *report = count(kernels[k], "64", "512");
        assert_int_equal(report_number(report, "gld_requests"), 2 * 8 + 2 * 6 + 1);
        assert_int_equal(report_number(report, "gst_requests"), 2 + 6 + 1);
        json_decref(report);
    }
}

TEST(counters_do_not_depend_on_warp_order)
{
    json_t *report = report_line(
        0, "counters --kernel reduceNeighbored2 --block 1024 --size 16384 --schedule random-5");
    assert_non_null(report);
    assert_int_equal(report_number(report, "gld_requests"), 1168);
    assert_int_equal(report_number(report, "barriers"), 160);
    json_decref(report);
}

/* The kernel waits on the device, which the required profile allows. */
TEST(kernel_with_busy_wait_is_counted)
{
    expect_run(0, "", "counters --kernel gpuRecursiveReduce --block 8 --size 8");
}

TEST(invalid_input_is_rejected)
{
    expect_run(2, "", "counters --kernel reduceNeighbored --block 1,2 --size 8");
    expect_run(2, "", "counters --kernel none --block 1 --size 8");
    expect_run(1, "out-of-bounds-read", "counters --kernel reduceNeighbored --block 4 --size 3");
}

TEST(documented_figures_match)
{
    figures_match_the_page("sim.unit.counters");
}

TEST_MAIN("counters", NULL, NULL)
