/* SPDX-License-Identifier: MIT
 *
 * Rows of the catalogue on one engine. Arguments: ENGINE MODE ROW ..., where a row is ID.VARIANT.
 *
 *   quick   Blocks around powers of two, under all models and schedules. Another engine must agree.
 *   sweep   Every block size and shape, under one model and schedule each.
 *   large   A million elements and an odd tail, on a simulator.
 *
 * SIMTCHECK_SEED is the seed of sizes and values. It is a number (default 1), or `random` to draw
 * and print one.
 */
#include "check.h"
#include "rows.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ROWS = 64, SKIPPED = 77 };

static const char *engine, *mode;
static const struct variant *rows[MAX_ROWS];
static size_t row_count;
static char seed[24];
static bool on_gpu;
static json_t *report; /* the report of these rows */

static bool in_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static const char *form_of(const struct variant *row)
{
    return variant_kind_name(row->kind);
}

/* ---- The run ---- */

/* Returns true if the build cannot run the row. GPU code built with CUDA 11 or SIMTCHECK_CDP1 waits
 * on the device; any other has tail launches. The simulator has no tail launches in PTX of CUDA 11.
 */
static bool has_missing_requirement(const struct variant *row)
{
    if (on_gpu)
        return row->need == (CUDA_MAJOR < 12 || CUDA_CDP1 ? NEEDS_TAIL_LAUNCH : NEEDS_DEVICE_WAIT);
    return row->need == NEEDS_TAIL_LAUNCH && PTX_MAJOR < 12;
}

/* Runs these rows on the engine `on`, with further options that end with null. The caller drops the
 * JSON. */
static json_t *run_rows(const char *on, const char *const more[], int *status)
{
    const char *arguments[2 * MAX_ROWS + 24] = {simtcheck_program(), "run", "--engine", on,
                                                "--deadline",        "3",   "--seed",   seed,
                                                "--variant",         NULL};
    size_t count = 9;
    bool both = false;

    for (size_t k = 1; k < row_count; k++)
        both = both || rows[k]->kind != rows[0]->kind;
    arguments[count++] = both ? "all" : form_of(rows[0]);
    for (size_t k = 0; k < row_count; k++) {
        if (k > 0 && strcmp(rows[k]->id, rows[k - 1]->id) == 0)
            continue; /* both variants of a kernel are adjacent */
        arguments[count++] = "--kernel";
        arguments[count++] = rows[k]->id;
    }
    for (size_t k = 0; more[k] != NULL; k++)
        arguments[count++] = more[k];
    arguments[count] = NULL;
    return program_report_any(arguments, status);
}

/* Sets the options for both shapes of `large`. */
static void large_options(const char *options[8])
{
    enum { MILLION = 1 << 20, TAIL = 123 };
    static char blocks[48], sizes[48];
    struct shape shape, odd;

    assert_true(row_large_shape(rows[0], MILLION, 0, &shape));
    if (!row_large_shape(rows[0], MILLION, TAIL, &odd))
        odd = shape;
    snprintf(blocks, sizeof blocks, "%ux%u,%ux%u", shape.block.x, shape.block.y, odd.block.x,
             odd.block.y);
    snprintf(sizes, sizeof sizes, "%" PRIu64 "x%" PRIu64 ",%" PRIu64 "x%" PRIu64, shape.size[0],
             shape.size[1], odd.size[0], odd.size[1]);
    memcpy(options,
           (const char *[]){"--block", blocks, "--size", sizes, "--model", "independent",
                            "--schedule", "sequential"},
           8 * sizeof *options);
}

/* Runs all rows once, because each run costs a context on a GPU. Returns 77 if the engine is
 * missing, or the toolkit lacks what every row needs. Otherwise returns the exit status of the run.
 */
static int run_once(void)
{
    const char *more[] = {
        "--level", in_mode("sweep") ? "2" : "1", NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    int status;

    if (in_mode("large"))
        large_options(more);
    report = run_rows(engine, more, &status);
    if (report != NULL)
        print_message("%s: %lld cases, seed %s. SIMTCHECK_SEED=%s repeats them\n", engine,
                      report_number(report, "cases"), seed, seed);
    return status;
}

/* ---- Expected results ---- */

/* Returns true if the toolkit lacks what the row needs. The row must then be skipped with the
 * reason, and must never pass. */
static bool is_unavailable(const struct variant *row)
{
    const json_t *result = report_find(report, row->id, form_of(row));

    if (!has_missing_requirement(row))
        return false;
    assert_string_equal(report_text(result, "verdict"), "skipped");
    assert_string_not_equal(report_text(result, "note"), "");
    print_message("%s %s on %s: unavailable: %s\n", row->id, form_of(row), engine,
                  report_text(result, "note"));
    return true;
}

/* Inside its domain the original variant must equal the oracle, except where its known defect
 * covers the independent model. Each condition must be necessary. A GPU may hide order dependences.
 */
static void original_variant_is_right(json_t *result)
{
    json_t *boundary;
    bool has_defect = json_is_string(json_object_get(result, "known_defect")),
         may_hide = on_gpu && has_defect;
    size_t k;

    if (!may_hide)
        assert_string_equal(report_text(result, "verdict"),
                            has_defect ? "known-defect" : "conforms-in-domain");
    assert_int_equal(report_number(result, "mismatches"), 0);
    assert_true(report_number(result, "inside") >= 5);
    json_array_foreach(json_object_get(result, "boundaries"), k, boundary)
    {
        assert_true(report_number(boundary, "cases") > 0);
        if (!may_hide && !(on_gpu && json_is_true(json_object_get(boundary, "may_pass"))))
            assert_true(json_is_object(json_object_get(boundary, "counterexample")));
    }
    if (!on_gpu)
        assert_string_equal(report_text(result, "note"), "");
}

static void corrected_variant_is_right(const json_t *result)
{
    assert_string_equal(report_text(result, "verdict"), "conforms");
    assert_true(report_number(result, "cases") >= 200);
    assert_int_equal(report_number(result, "inside"), report_number(result, "cases"));
}

static void every_row_gives_the_right_result(void **state)
{
    (void)state;
    for (size_t k = 0; k < row_count; k++) {
        json_t *result = report_find(report, rows[k]->id, form_of(rows[k]));
        if (is_unavailable(rows[k]))
            continue;
        assert_non_null(result);
        if (rows[k]->kind == VARIANT_ORIGINAL)
            original_variant_is_right(result);
        else
            corrected_variant_is_right(result);
    }
}

/* ---- Sweeps ---- */

/* Returns the number of blocks of 1 to 1024 threads with up to `dimensions` dimensions, at most 64
 * deep. */
static long long blocks_of(uint32_t dimensions)
{
    long long count = 0;

    for (uint32_t x = 1; x <= (dimensions > 0 ? 1024 : 1); x++)
        for (uint32_t y = 1; y <= (dimensions > 1 ? 1024 / x : 1); y++)
            for (uint32_t z = 1; z <= (dimensions > 2 ? 1024 / (x * y) : 1); z++)
                count += z <= 64;
    return count;
}

/* Records what was tried in a file next to this program. show_sweeps.sh prints it after all tests.
 */
static void note_sweep(const struct variant *row, long long tried, long long all)
{
    char program[PATH_MAX - 128], path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    FILE *note;

    assert_true(length > 0);
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    snprintf(path, sizeof path, "%s/sweeps", program);
    assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/sweeps/%s.%s.%s", program, engine, row->id, form_of(row));
    note = fopen(path, "w");
    assert_non_null(note);
    fprintf(note, "%-39s %-9s %-5s %5lld of %5lld block %s, seed %s\n", row->id, form_of(row),
            engine, tried, all, row->block_dimensions > 1 ? "shapes" : "sizes", seed);
    assert_int_equal(fclose(note), 0);
}

static void every_block_size_runs(void **state)
{
    (void)state;
    for (size_t k = 0; k < row_count; k++) {
        const json_t *result = report_find(report, rows[k]->id, form_of(rows[k]));
        long long all = blocks_of(rows[k]->block_dimensions);
        if (is_unavailable(rows[k]))
            continue;
        print_message("%s %s on %s: %lld of %lld block %s, %lld cases, seed %s\n", rows[k]->id,
                      form_of(rows[k]), engine, report_number(result, "blocks"), all,
                      rows[k]->block_dimensions > 1 ? "shapes" : "sizes",
                      report_number(result, "cases"), seed);
        note_sweep(rows[k], report_number(result, "blocks"), all);
        assert_int_equal(report_number(result, "blocks"), all);
        assert_int_equal(report_number(result, "all_blocks"), all);
        assert_true(report_number(result, "cases") >= all);
    }
}

/* ---- A million elements ---- */

static void million_elements_give_the_right_result(void **state)
{
    const json_t *result = report_find(report, rows[0]->id, form_of(rows[0]));
    (void)state;

    if (is_unavailable(rows[0]))
        return;
    assert_true(report_number(result, "inside") > 0);
    assert_int_equal(report_number(result, "mismatches"), 0);
}

/* ---- Other engines ---- */

/* Both engines must try the same cases outside the domain. Where these fail for certain, both must
 * have a counterexample. */
static void assert_boundaries_agree(const json_t *a, const json_t *b)
{
    json_t *here = json_object_get(a, "boundaries"), *there = json_object_get(b, "boundaries");

    assert_int_equal(json_array_size(here), json_array_size(there));
    for (size_t k = 0; k < json_array_size(here); k++) {
        const json_t *mine = json_array_get(here, k), *other = json_array_get(there, k);
        const json_t *counterexample = json_object_get(mine, "counterexample"),
                     *other_counterexample = json_object_get(other, "counterexample");
        assert_int_equal(report_number(mine, "cases"), report_number(other, "cases"));
        if (!json_is_object(counterexample) || json_is_true(json_object_get(mine, "may_pass")))
            continue; /* hidden by the GPU; the verdict judges that */
        assert_string_equal(report_text(counterexample, "block"),
                            report_text(other_counterexample, "block"));
        assert_string_equal(report_text(counterexample, "size"),
                            report_text(other_counterexample, "size"));
        assert_string_equal(report_text(counterexample, "values"),
                            report_text(other_counterexample, "values"));
    }
}

static void reports_agree(const struct variant *row, const json_t *there)
{
    static const char *const counts[] = {"cases", "inside", "mismatches"};
    const json_t *a = report_find(report, row->id, form_of(row)),
                 *b = report_find(there, row->id, form_of(row));

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(report_number(a, counts[i]), report_number(b, counts[i]));
    if (!json_is_string(json_object_get(a, "known_defect"))) {
        assert_boundaries_agree(a, b);
        assert_string_equal(report_text(a, "verdict"), report_text(b, "verdict"));
    }
}

/* The simulator runs the same shapes with the same values, and gives the same verdicts. */
static void simulator_gives_the_same_results(void **state)
{
    const char *const more[] = {"--model", "independent", "--schedule", "sequential", NULL};
    json_t *there;
    int status;
    (void)state;

    there = run_rows("sim", more, &status);
    assert_int_equal(status, 0);
    for (size_t k = 0; k < row_count; k++)
        if (!has_missing_requirement(rows[k]))
            reports_agree(rows[k], there);
    json_decref(there);
}

/* A test of the driver's compiler must not run anything else. */
static void driver_compiles_the_kernels(void **state)
{
    struct ended ended;
    (void)state;

    setenv("CUDA_DISABLE_PTX_JIT", "1", 1);
    ended = run_line("run --engine '%s' --variant corrected --kernel '%s' --block 4 --size 4",
                     engine, rows[0]->id);
    unsetenv("CUDA_DISABLE_PTX_JIT");
    assert_int_not_equal(ended.status, 0);
    assert_null(strstr(ended.output, " conforms"));
    free(ended.output);
}

/* ---- The program ---- */

static bool read_arguments(int argc, char **argv)
{
    static const char *const modes[] = {"quick", "sweep", "large"};
    bool known = false;

    for (size_t k = 0; argc > 2 && k < sizeof modes / sizeof *modes; k++)
        known = known || strcmp(argv[2], modes[k]) == 0;
    if (argc < 4 || argc - 3 > MAX_ROWS || !known) {
        fprintf(stderr, "usage: %s ENGINE quick|sweep|large ID.FORM ...\n", argv[0]);
        return false;
    }
    engine = argv[1];
    mode = argv[2];
    for (int k = 3; k < argc; k++) {
        rows[row_count++] = row_named(argv[k]);
        if (rows[row_count - 1] == NULL) {
            fprintf(stderr, "%s: the catalogue has no row '%s'\n", argv[0], argv[k]);
            return false;
        }
    }
    on_gpu = strncmp(engine, "cuda", 4) == 0;
    return true;
}

/* Returns true if no row ran because each lacks something of the toolkit, or the engine is missing.
 */
static bool is_skipped(int status)
{
    if (status != SKIPPED)
        return false;
    for (size_t k = 0; report != NULL && k < row_count; k++)
        print_message("%s\n",
                      report_text(report_find(report, rows[k]->id, form_of(rows[k])), "note"));
    return true;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest quick_tests[] = {cmocka_unit_test(every_row_gives_the_right_result),
                                             cmocka_unit_test(simulator_gives_the_same_results)},
                            driver_tests[] = {cmocka_unit_test(driver_compiles_the_kernels)},
                            sweep_tests[] = {cmocka_unit_test(every_row_gives_the_right_result),
                                             cmocka_unit_test(every_block_size_runs)},
                            large_tests[] = {
                                cmocka_unit_test(million_elements_give_the_right_result)};
    uint64_t number;
    int status, failed;

    if (!read_arguments(argc, argv) || !seed_read(&number))
        return 2;
    snprintf(seed, sizeof seed, "%" PRIu64, number);
    status = run_once();
    if (is_skipped(status))
        return SKIPPED;
    if (report == NULL || status > 1) { /* such as a missing required engine */
        fprintf(stderr, "the run ended with %d and no result\n", status);
        return 1;
    }
    failed = in_mode("sweep")   ? cmocka_run_group_tests_name("sweep", sweep_tests, NULL, NULL)
             : in_mode("large") ? cmocka_run_group_tests_name("large", large_tests, NULL, NULL)
             : on_gpu           ? cmocka_run_group_tests_name("quick", quick_tests, NULL, NULL)
                                : _cmocka_run_group_tests("quick", quick_tests, 1, NULL, NULL);
    if (on_gpu && getenv("SIMTCHECK_PROGRAM") != NULL)
        failed += cmocka_run_group_tests_name("driver", driver_tests, NULL, NULL);
    json_decref(report);
    return failed;
}
