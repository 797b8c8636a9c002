/* SPDX-License-Identifier: MIT
 *
 * The documents' profiler figures for n = 16384 and B = 1024, to the printed digit, and what an
 * H200's hardware counters gave for the same launches.
 */
#include "check.h"

struct figures {
    const char *kernel;
    long long gld_transactions, gst_transactions;
    const char *gld_efficiency, *gst_efficiency;                    /* per cent, as printed */
    long long gld_requests, gld_sectors, gst_requests, gst_sectors; /* read from the hardware */
};

static const struct figures printed[] = {
    {"reduceNeighbored1", 6128, 3072, "25.01", "25.00", 6128, 16368, 3072, 8192},
    {"reduceNeighbored2", 6128, 3072, "25.01", "25.00", 1168, 16368, 592, 8192},
    {"reduceInterleaved1", 1168, 592, "98.04", "97.71", 1168, 4176, 592, 2096},
    {"reduceInterleaved2", 1096, 552, "99.01", "98.84", 1096, 4136, 552, 2072},
    {"reduceInterleaved4", 804, 276, "99.34", "98.84", 804, 3092, 276, 1036},
    {"reduceInterleaved8", 658, 138, "99.60", "98.84", 658, 2570, 138, 518},
};

static json_t *count(const char *kernel, const char *block, const char *size)
{
    const char *const arguments[] = {SIMTCHECK, "counters", "--kernel", kernel, "--block",
                                     block,     "--size",   size,       NULL};
    json_t *report = program_report(arguments, 0);
    assert_non_null(report);
    return report;
}

static void assert_per_cent(const json_t *report, const char *key, const char *expected)
{
    char text[32];
    snprintf(text, sizeof text, "%.2f", json_real_value(json_object_get(report, key)));
    assert_string_equal(text, expected);
}

static void figures_of_the_documents_come_out(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof printed / sizeof *printed; k++) {
        const struct figures *expected = &printed[k];
        json_t *report = count(expected->kernel, "1024", "16384");
        assert_int_equal(report_number(report, "gld_transactions"), expected->gld_transactions);
        assert_int_equal(report_number(report, "gst_transactions"), expected->gst_transactions);
        assert_per_cent(report, "gld_efficiency", expected->gld_efficiency);
        assert_per_cent(report, "gst_efficiency", expected->gst_efficiency);
        assert_int_equal(report_number(report, "gld_requests"), expected->gld_requests);
        assert_int_equal(report_number(report, "gld_sectors"), expected->gld_sectors);
        assert_int_equal(report_number(report, "gst_requests"), expected->gst_requests);
        assert_int_equal(report_number(report, "gst_sectors"), expected->gst_sectors);
        json_decref(report);
    }
}

/* The figures for n = 2^30 are those of one block times the number of blocks. */
static void figures_for_two_to_the_thirty_scale(void **state)
{
    static const struct {
        const char *kernel, *size; /* of one block */
        long long blocks, gld_transactions, gst_transactions;
    } large[] = {
        {"reduceInterleaved1", "1024", 1 << 20, 76546048, 38797312},
        {"reduceInterleaved2", "2048", 1 << 19, 71827456, 36175872},
        {"reduceInterleaved4", "4096", 1 << 18, 52690944, 18087936},
        {"reduceInterleaved8", "8192", 1 << 17, 43122688, 9043968},
    };
    (void)state;
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        json_t *report = count(large[k].kernel, "1024", large[k].size);
        assert_int_equal(report_number(report, "gld_transactions") * large[k].blocks,
                         large[k].gld_transactions);
        assert_int_equal(report_number(report, "gst_transactions") * large[k].blocks,
                         large[k].gst_transactions);
        json_decref(report);
    }
}

/* Documents 003: 16384 x 16384 by per-block counts, from a matrix of 64 x 64. The document's loads
 * are cached in lines of 128 bytes, and so are its load efficiencies. */
static void figures_of_the_matrix_sums_scale(void **state)
{
    static const struct {
        const char *block, *load_efficiency;
        long long gld_transactions, gst_transactions;
    } shapes[] = {
        {"32x32", "100.00", 16777216, 8388608},
        {"32x16", "100.00", 16777216, 8388608},
        {"16x32", "50.00", 33554432, 16777216},
        {"16x16", "50.00", 33554432, 16777216},
    };
    const long long scale = (16384 / 64) * (16384 / 64);
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        json_t *report = count("sumMat", shapes[k].block, "64x64");
        assert_int_equal(report_number(report, "gld_transactions") * scale,
                         shapes[k].gld_transactions);
        assert_int_equal(report_number(report, "gst_transactions") * scale,
                         shapes[k].gst_transactions);
        assert_per_cent(report, "gld_line_efficiency", shapes[k].load_efficiency);
        assert_per_cent(report, "gst_efficiency", "100.00");
        json_decref(report);
    }
}

/* Even and odd threads in two branches use half of the lanes; whole warps in two branches, all. And
 * every store of the loop is there. */
static void lanes_of_the_math_kernels(void **state)
{
    static const struct {
        const char *kernel, *lane_efficiency;
        long long requests;
    } loops[] = {{"mathKernel1Loop", "50.00", 512 * 2 * 10},
                 {"mathKernel2Loop", "100.00", 512 * 10}};
    (void)state;
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        json_t *report = count(loops[k].kernel, "1024", "16384");
        assert_per_cent(report, "lane_efficiency", loops[k].lane_efficiency);
        assert_int_equal(report_number(report, "gst_requests"), loops[k].requests);
        assert_int_equal(report_number(report, "gld_requests"), 0);
        json_decref(report);
    }
}

/* A compiler may keep a plain value in a register, and then its steps are not in memory for other
 * lanes to see. Of 64 elements the tail loads two in each of six steps, and stores one. */
static void a_volatile_tail_makes_every_access(void **state)
{
    static const char *const kernels[] = {"reduceUnrollWarps8", "reduceCompleteUnrollWarps8",
                                          "reduceCompleteUnroll",
                                          "reduceCompleteUnrollWarps8Float"};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        json_t *report = count(kernels[k], "64", "512");
        assert_int_equal(report_number(report, "gld_requests"), 2 * 8 + 2 * 6 + 1);
        assert_int_equal(report_number(report, "gst_requests"), 2 + 6 + 1);
        json_decref(report);
    }
}

static void counts_do_not_depend_on_the_order_of_warps(void **state)
{
    const char *const arguments[] = {SIMTCHECK,    "counters", "--kernel", "reduceNeighbored2",
                                     "--block",    "1024",     "--size",   "16384",
                                     "--schedule", "random:5", NULL};
    json_t *report = program_report(arguments, 0);
    (void)state;
    assert_non_null(report);
    assert_int_equal(report_number(report, "gld_requests"), 1168);
    assert_int_equal(report_number(report, "barriers"), 160);
    json_decref(report);
}

/* It waits on the device, as the profile that it needs lets it. */
static void a_kernel_that_waits_is_counted(void **state)
{
    const char *const arguments[] = {SIMTCHECK, "counters", "--kernel", "gpuRecursiveReduce",
                                     "--block", "8",        "--size",   "8",
                                     NULL};
    struct ended ended = program_run(arguments);
    (void)state;
    if (ended.status != 0)
        print_error("%s", ended.output);
    assert_int_equal(ended.status, 0);
    free(ended.output);
}

static void bad_input_is_refused(void **state)
{
    const char *const two[] = {SIMTCHECK,          "counters", "--kernel",
                               "reduceNeighbored", "--block",  "1,2",
                               "--size",           "8",        NULL};
    const char *const unknown[] = {SIMTCHECK, "counters", "--kernel", "none", "--block",
                                   "1",       "--size",   "8",        NULL};
    const char *const fault[] = {
        SIMTCHECK, "counters", "--kernel", "reduceNeighbored", "--block", "4", "--size", "3", NULL};
    struct ended ended = program_run(two);
    (void)state;
    assert_int_equal(ended.status, 2);
    free(ended.output);
    ended = program_run(unknown);
    assert_int_equal(ended.status, 2);
    free(ended.output);
    ended = program_run(fault);
    assert_int_equal(ended.status, 1);
    assert_non_null(strstr(ended.output, "stray-read"));
    free(ended.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_the_documents_come_out),
        cmocka_unit_test(figures_for_two_to_the_thirty_scale),
        cmocka_unit_test(figures_of_the_matrix_sums_scale),
        cmocka_unit_test(lanes_of_the_math_kernels),
        cmocka_unit_test(a_volatile_tail_makes_every_access),
        cmocka_unit_test(counts_do_not_depend_on_the_order_of_warps),
        cmocka_unit_test(a_kernel_that_waits_is_counted),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
