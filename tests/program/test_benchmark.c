/* SPDX-License-Identifier: MIT
 *
 * The benchmark without a GPU. Tests the snapshot of a program that stands in for
 * simtcheck-benchmark, the comparison of two such snapshots, and the output of ci/plot_benchmark.
 */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#define ROW(kernel, kind, block, rate, document)                                                   \
    "{\"kernel\": \"" kernel "\", \"variant\": " kind ", \"elements\": 1024, \"block\": " block    \
    ","                                                                                            \
    " \"bytes_per_second\": " rate "0.0, \"ratio_to_copy\": 0.5, \"ratio_to_cub\": 0.25,"          \
    " \"spread\": {\"bytes_per_second\": [" rate "0.0, " rate "2.0],"                              \
    " \"ratio_to_copy\": [0.4, 0.6], \"ratio_to_cub\": [0.2, 0.3]},"                               \
    " \"samples\": [" rate "0.0, " rate "1.0, " rate "0.0, " rate "1.0, " rate "0.0, " rate "1.0," \
    " " rate "0.0, " rate "1.0, " rate "0.0], \"published\": " document "}"
#define DOCUMENT(rate)                                                                             \
    "{\"gpu\": \"old\", \"first\": \"reduceInterleaved1\", \"bytes_per_second\": " rate "}"
#define BENCHMARK(modern)                                                                          \
    "{\"gpu\": \"none\", \"runs\": 9, \"benchmark\": [" ROW(                                       \
        "copy", "null", "null", "20",                                                              \
        "null") "," ROW("cub::DeviceReduce::Sum", "null", "null", "40",                            \
                        "null") "," ROW("reduceModern", "\"original\"", "512", modern,             \
                                        "null") "," ROW("reduceInterleaved1", "\"original\"",      \
                                                        "512", "10",                               \
                                                        DOCUMENT(                                  \
                                                            "2.0")) "," ROW("reduceInterleaved2",  \
                                                                            "\"corrected\"",       \
                                                                            "512", "15",           \
                                                                            DOCUMENT(              \
                                                                                "5.0")) "], "      \
                                                                                        "\"left_"  \
                                                                                        "out\": [" \
                                                                                        "{\"kerne" \
                                                                                        "l\": "    \
                                                                                        "\"k\", "  \
                                                                                        "\"elemen" \
                                                                                        "ts\": "   \
                                                                                        "1024, "   \
                                                                                        "\"reason" \
                                                                                        "\": "     \
                                                                                        "\"its "   \
                                                                                        "sum is "  \
                                                                                        "1, not "  \
                                                                                        "2\"}]}"

static char program[64], stand_in[64], said[64], taken[64], other[64], picture[64];

static struct ended shell(const char *format, const char *one, const char *two)
{
    char command[512];

    snprintf(command, sizeof command, format, one, two);
    return program_run((const char *const[]){"/bin/sh", "-c", command, NULL});
}

static void shell_passes(const char *format, const char *one, const char *two)
{
    expect_ended(shell(format, one, two), 0, "");
}

/* Copies the program, next to which the stand-in is placed. */
static int set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    snprintf(program, sizeof program, "%s/simtcheck", folder);
    snprintf(stand_in, sizeof stand_in, "%s/simtcheck-benchmark", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    snprintf(taken, sizeof taken, "%s/taken.json", folder);
    snprintf(other, sizeof other, "%s/other.json", folder);
    snprintf(picture, sizeof picture, "%s/picture.svg", folder);
    shell_passes("cp '%s' %s", SIMTCHECK, program);
    return 0;
}

/* Makes a stand-in that prints the text and ends with the status. With a null text it removes the
 * stand-in. */
static void stand(const char *text, const char *status)
{
    char script[256];

    unlink(stand_in);
    if (text == NULL)
        return;
    snprintf(script, sizeof script, "#!/bin/sh\ncat %s\nexit %s\n", said, status);
    text_write(said, text);
    text_write(stand_in, script);
    assert_int_equal(chmod(stand_in, 0700), 0);
}

static struct ended take(const char *path, const char *kernel)
{
    return run_line("%s snapshot --part benchmark --out %s --kernel %s", program, path, kernel);
}

static void take_it(const char *path, const char *kernel)
{
    struct ended ended = take(path, kernel);

    if (ended.status != 0)
        fail_msg("%d: %s", ended.status, ended.output);
    free(ended.output);
}

static json_t *benchmark_in(const char *path)
{
    json_t *document = json_load_file(path, 0, NULL), *benchmark;

    assert_non_null(document);
    benchmark = json_incref(json_object_get(document, "benchmark"));
    json_decref(document);
    return benchmark;
}

TEST(snapshot_has_the_throughput_rows)
{
    static const char *const kernels[] = {"copy", "cub::DeviceReduce::Sum", "reduceModern",
                                          "reduceInterleaved1", "reduceInterleaved2"};
    enum { ROWS = sizeof kernels / sizeof *kernels };
    json_t *rows;
    struct ended ended;

    stand(BENCHMARK("50"), "0");
    take_it(taken, "*");
    rows = benchmark_in(taken);
    assert_int_equal(json_array_size(rows), ROWS);
    for (size_t r = 0; r < ROWS; r++)
        assert_string_equal(report_text(json_array_get(rows, r), "kernel"), kernels[r]);
    json_decref(rows);
    ended = shell("python3 '" VALIDATE_SNAPSHOT "' '" SNAPSHOT_SCHEMA "' %s%s", taken, "");
    if (getenv("CI") == NULL && (ended.status == 77 || ended.status == 127))
        print_message("not validated: no python3-jsonschema here\n");
    else if (ended.status != 0)
        fail_msg("%s", ended.output);
    free(ended.output);
}

/* The snapshot also has the programs that kernels are compared with. */
TEST(snapshot_has_only_selected_kernels_and_baselines)
{
    json_t *rows;

    stand(BENCHMARK("50"), "0");
    take_it(taken, "reduceModern");
    rows = benchmark_in(taken);
    assert_int_equal(json_array_size(rows), 3);
    assert_string_equal(report_text(json_array_get(rows, 2), "kernel"), "reduceModern");
    json_decref(rows);
}

/* Each output of the program leads to the expected message of a snapshot that requested it. */
TEST(failed_measurements_are_reported)
{
    static const struct {
        const char *text, *status, *says;
        int exit_status;
    } cases[] = {
        {NULL, "0", "simtcheck-benchmark is missing", 77},
        {"no driver\nmore", "77", "exit status 77: no driver\n", 77},
        {"out of memory\n", "3", "exit status 3: out of memory\n", 3},
        {"{\"benchmark\": [", "0", "is not JSON: line 1", 3},
        {"", "0", "is not JSON", 3},
        {"{\"other\": []}", "0", "is malformed: gpu is missing", 3},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ended ended;
        json_t *benchmark;
        stand(cases[k].text, cases[k].status);
        ended = take(taken, "*");
        expect_ended(ended, cases[k].exit_status, cases[k].says);
        benchmark = benchmark_in(taken);
        assert_true(json_is_null(benchmark));
        json_decref(benchmark);
    }
}

TEST(benchmark_without_gpu_is_skipped)
{
    stand(BENCHMARK("50"), "0");
    expect_run(77, "the part benchmark needs a GPU",
               "%s snapshot --part benchmark --out %s --engine sim", program, taken);
}

TEST(slower_kernel_is_a_regression)
{
    struct ended ended;

    stand(BENCHMARK("50"), "0");
    take_it(taken, "*");
    stand(BENCHMARK("40"), "0");
    take_it(other, "*");
    ended = run_line("compare %s %s", taken, other);
    if (ended.status != 1 ||
        strstr(ended.output, "REGRESSION benchmark reduceModern 1024: 20 % slower") == NULL ||
        strstr(ended.output, "\n1 REGRESSION, 0 MISSING, 0 FIX, 0 NEW") == NULL)
        fail_msg("%d: %s", ended.status, ended.output);
    free(ended.output);
    expect_run(0, "FIX        benchmark reduceModern 1024: 25 % faster", "compare %s %s", other,
               taken);
}

/* One launch takes a few microseconds more in one process than in another. At these rates, 4096
 * bytes take 8.2, 13.7 and 20.5 microseconds. */
TEST(longer_launch_overhead_is_not_a_regression)
{
    static const struct {
        const char *benchmark;
        int status;
        const char *says;
    } cases[] = {{BENCHMARK("30000000"), 0, "0 REGRESSION, 0 MISSING, 0 FIX"},
                 {BENCHMARK("20000000"), 1, "reduceModern 1024: 60 % slower"}};

    stand(BENCHMARK("50000000"), "0");
    take_it(taken, "*");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        stand(cases[k].benchmark, "0");
        take_it(other, "*");
        expect_run(cases[k].status, cases[k].says, "compare %s %s", taken, other);
    }
}

/* ---- ci/plot_benchmark ---- */

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;

    while ((text = strstr(text, of)) != NULL) {
        count++;
        text += strlen(of);
    }
    return count;
}

TEST(table_has_the_published_ratios)
{
    struct ended ended;

    text_write(said, BENCHMARK("50"));
    ended = shell("'" PLOT_BENCHMARK "' %s%s", said, "");
    assert_int_equal(occurrences(ended.output, "0.500 (0.400 to 0.600)   0.250 (0.200 to 0.300)"),
                     5);
    assert_true(strstr(ended.output, "reduceModern") < strstr(ended.output, "cub::"));
    expect_ended(
        ended, 0,
        "    2.50     1.50 times reduceInterleaved1|left out: k, 2^10 ints: its sum is 1, not 2");
}

TEST(plot_has_a_bar_for_each_kernel)
{
    struct ended ended;

    text_write(said, BENCHMARK("50"));
    shell_passes("'" PLOT_BENCHMARK "' %s %s", said, picture);
    shell_passes("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' %s%s",
                 picture, "");
    ended = shell("cat %s%s", picture, "");
    assert_int_equal(occurrences(ended.output, "<rect class=\"bar\""), 2);
    assert_int_equal(occurrences(ended.output, "<rect class=\"modern\""), 1);
    assert_int_equal(occurrences(ended.output, "<rect class=\"beside\""), 2);
    assert_int_equal(occurrences(ended.output, "<circle class=\"published\""), 1);
    assert_int_equal(occurrences(ended.output, "prefers-color-scheme: dark"), 1);
    free(ended.output);
}

TEST(file_without_benchmark_is_rejected)
{
    static const char *const texts[] = {"",
                                        "{\"benchmark\": [",
                                        "{}",
                                        "{\"benchmark\": []}",
                                        "{\"benchmark\": null}",
                                        "{\"benchmark\": [{\"kernel\": \"k\"}]}",
                                        "[1]"};

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct ended ended;
        text_write(said, texts[k]);
        ended = shell("'" PLOT_BENCHMARK "' %s %s", said, picture);
        if (ended.status != 2 || strstr(ended.output, said) == NULL ||
            strstr(ended.output, "Traceback") != NULL)
            fail_msg("%zu: %d: %s", k, ended.status, ended.output);
        free(ended.output);
    }
}

TEST_MAIN("benchmark", set_up, folder_remove)
