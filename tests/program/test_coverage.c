/* SPDX-License-Identifier: MIT
 *
 * Coverage of lines and branches in verdicts, and --coverage, for each available compiler of PTX.
 * Argument: an nvcc. Without one, only clang is tested.
 */
#include "check.h"

#include "clang.h"

#include <unistd.h>

static char by_nvcc[4096];
static const char *compilers[] = {"--compiler clang", by_nvcc};
static size_t compiler_count = 1;

/* Returns the number of the line of the kernels that contains the text. */
static int line_of(const char *text)
{
    FILE *source = fopen(COVERAGE_FILE, "r");
    char line[256];
    int number = 1;

    assert_non_null(source);
    while (fgets(line, sizeof line, source) != NULL && strstr(line, text) == NULL)
        number++;
    assert_false(feof(source));
    fclose(source);
    return number;
}

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    assert_non_null(file);
    if (getdelim(&text, &size, '\0', file) < 0)
        fail_msg("%s is empty", path);
    fclose(file);
    return text;
}

/* Checks the kernel, and writes its tracefile to `file` in the folder. */
static struct ended check(const char *kernel, const char *compiler, const char *file, int jobs)
{
    return run_line("check %s '%s<<<(n+63)/64, 64>>>(n, in int x[n], inout int y[n])' --size 1-200 "
                    "--engine sim --only run %s --jobs %d --verbose --coverage %s",
                    COVERAGE_FILE, kernel, compiler, jobs, in_folder(file));
}

/* The coverage that the verdict reports for a kernel. */
struct reached {
    unsigned int lines_reached, lines, branches_reached, branches;
    char missing[256];
};

static struct reached reached(const char *kernel, const char *compiler)
{
    struct ended ended = check(kernel, compiler, "info", 1);
    const char *at = strstr(ended.output, "\n    reached ");
    struct reached of = {.missing = ""};

    assert_int_equal(ended.status, 0);
    assert_non_null(at);
    assert_true(sscanf(at, " reached %u of %u lines, %u of %u branches; not: %255[^\n]",
                       &of.lines_reached, &of.lines, &of.branches_reached, &of.branches,
                       of.missing) >= 4);
    free(ended.output);
    return of;
}

TEST(complete_coverage_is_reported)
{
    for (size_t c = 0; c < compiler_count; c++) {
        struct reached of = reached("everything", compilers[c]);
        assert_true(of.lines >= 4);
        assert_int_equal(of.lines_reached, of.lines);
        assert_int_equal(of.branches, 2);
        assert_int_equal(of.branches_reached, 2);
        assert_string_equal(of.missing, "");
    }
}

TEST(uncovered_line_is_reported)
{
    int never = line_of("/* never reached */");

    for (size_t c = 0; c < compiler_count; c++) {
        struct reached of = reached("part", compilers[c]);
        char line[64], function[64], branch[64], data[64], *file;
        snprintf(line, sizeof line, "coverage.cu:%d", never);
        snprintf(function, sizeof function, "coverage.cu:%d", line_of("/* never called */"));
        snprintf(branch, sizeof branch, "coverage.cu:%d to %d", line_of("/* never true */"), never);
        snprintf(data, sizeof data, "\nDA:%d,0\n", never);
        assert_non_null(strstr(of.missing, line));
        assert_non_null(strstr(of.missing, function));
        assert_non_null(strstr(of.missing, branch));
        assert_true(of.lines_reached >= 6 && of.lines_reached < of.lines);
        assert_int_equal(of.branches, 4);
        assert_int_equal(of.branches_reached, 3);
        file = file_text(in_folder("info"));
        assert_non_null(strstr(file, data));
        assert_non_null(strstr(file, "FNDA:0,_Z3addPii"));
        assert_non_null(strstr(file, "FNDA:1,_Z4partiPKiPi"));
        free(file);
    }
}

TEST(branch_covered_in_one_direction_is_reported)
{
    char lead[64];

    snprintf(lead, sizeof lead, "coverage.cu:%d to ", line_of("/* always true */"));
    for (size_t c = 0; c < compiler_count; c++) {
        struct reached of = reached("one_way", compilers[c]);
        assert_int_equal(of.lines_reached, of.lines);
        assert_int_equal(of.branches, 4);
        assert_int_equal(of.branches_reached, 3);
        assert_memory_equal(of.missing, lead, strlen(lead));
    }
}

/* Code from the compilers' headers does not count as part of the kernel. */
TEST(headers_are_excluded)
{
    for (size_t c = 0; c < compiler_count; c++) {
        char *file, *first;
        free(check("everything", compilers[c], "info", 1).output);
        file = file_text(in_folder("info"));
        first = strstr(file, "SF:");
        assert_non_null(first);
        assert_null(strstr(first + 1, "SF:"));
        assert_non_null(strstr(first, "/coverage.cu\n"));
        free(file);
    }
}

static void assert_same_file(void)
{
    char *one = file_text(in_folder("one")), *two = file_text(in_folder("two"));

    assert_string_equal(one, two);
    free(one);
    free(two);
}

/* The result does not depend on how cases are distributed, even if the run ends early and workers
 * are ahead of it. */
TEST(coverage_does_not_depend_on_the_number_of_workers)
{
    expect_ended(check("part", compilers[0], "one", 1), 0, "");
    expect_ended(check("part", compilers[0], "two", 2), 0, "");
    assert_same_file();
    for (int jobs = 1; jobs <= 2; jobs++)
        expect_run(1, "reached ",
                   "seeded run --engine sim --kernel seededStrayRead --kernel seededOffByOne "
                   "--max-failures 2 --jobs %d --verbose --coverage %s",
                   jobs, in_folder(jobs == 1 ? "one" : "two"));
    assert_same_file();
}

/* The JSON results contain what the verdict says. */
TEST(results_include_coverage)
{
    json_t *report = report_line(1, "seeded run --engine sim --kernel seededOffByOne --block 8 "
                                    "--size 8");
    json_t *of = json_object_get(json_array_get(json_object_get(report, "results"), 0), "reached");
    json_int_t lines = json_integer_value(json_object_get(of, "lines"));
    json_int_t reached_lines = json_integer_value(json_object_get(of, "lines_reached"));

    assert_true(reached_lines > 0 && reached_lines <= lines);
    assert_int_equal(json_integer_value(json_object_get(of, "branches")) -
                         json_integer_value(json_object_get(of, "branches_reached")) + lines -
                         reached_lines,
                     json_array_size(json_object_get(of, "not_reached")));
    json_decref(report);
}

/* lcov reads the same numbers from the file as the verdict has, and genhtml shows them. */
TEST(coverage_matches_lcov)
{
    static const char options[] = "--rc lcov_branch_coverage=1 --rc branch_coverage=1";
    struct reached of;
    char says[128];

    if (access("/usr/bin/lcov", X_OK) != 0)
        skip();
    for (size_t c = 0; c < compiler_count; c++) {
        of = reached("part", compilers[c]);
        snprintf(says, sizeof says, "(%u of %u lines)|(1 of 2 functions)|(%u of %u branches)",
                 of.lines_reached, of.lines, of.branches_reached, of.branches);
        expect_run(0, says, "/usr/bin/lcov %s --summary %s", options, in_folder("info"));
        expect_run(0, "", "/usr/bin/genhtml %s --branch-coverage --output-directory %s %s", options,
                   in_folder("page"), in_folder("info"));
    }
}

int main(int argc, char **argv)
{
    struct compiler clang;
    char error[256];

    if (!clang_open(NULL, &clang, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 77;
    }
    if (argc > 1)
        snprintf(by_nvcc, sizeof by_nvcc, "--compiler nvcc --nvcc %s", argv[1]);
    compiler_count += argc > 1;
    return tests_run("coverage", folder_make, folder_remove);
}
