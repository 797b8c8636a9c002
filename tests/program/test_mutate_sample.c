/* SPDX-License-Identifier: MIT
 *
 * `mutate` without a toolkit. A stand-in for nvcc writes PTX for each copy of one kernel, by the
 * copy's comparison. The test has its own copy of simtcheck, with workers of the simulator.
 */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

/* Runs of the compiler: one for the launch's bindings, one for the kernel itself and its coverage,
 * and two for batches. One more repeats a batch without what the compiler rejects by name. Two of
 * them run again as an assembler, and four are asked for their folders of system headers. */
enum { FEW_RUNS = 11 };

static char kernel[64], nvcc[64], report[64];

static const char source[] = "#include <cstdio>\n"
                             "extern \"C\" __global__ void scale(int n, float a, float *y)\n"
                             "{\n"
                             "    int i = index();\n"
                             "    if (i < n)\n"
                             "        y[i] = a * y[i];\n"
                             "}\n";

/* Writes code for each copy: the branch that skips the element, by the copy's comparison. It
 * rejects `%` by name. If the file "silent" exists, it rejects `/` without a location. To this
 * compiler all other operators than `*` equal `*`. */
static const char script[] =
    "#!/bin/sh\n"
    "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; fi\n"
    "while [ $# -gt 0 ]; do\n"
    "  [ \"$1\" = -o ] && ptx=$2; case $1 in *.cu) cu=$1;; esac; shift; done\n"
    "echo run >> FOLDER/runs\n"
    "awk '/^namespace/ { tag = $2 } /a % y/ { print tag \"/scale.cu(6): error: no\"; bad = 1 }\n"
    "     END { exit bad }' \"$cu\" || exit 1\n"
    "[ -e FOLDER/silent ] && grep -q 'a / y' \"$cu\" && { echo 'something is wrong'; exit 1; }\n"
    "{ printf '.version 9.0\\n.target sm_80\\n.address_size 64\\n'\n"
    "  awk '/^namespace/ { tag = $2; file++\n"
    "         files = files \".file \" file \" \\\"/tmp/\" tag \"/scale.cu\\\"\\n\" }\n"
    "    /if \\(/ { op = \"\"\n"
    "      if ($0 ~ /i < n/) op = \"ge\"; if ($0 ~ /i <= n/) op = \"gt\"\n"
    "      if ($0 ~ /i > n/) op = \"le\"; if ($0 ~ /i >= n/) op = \"lt\"\n"
    "      if ($0 ~ /i == n/) op = \"ne\"; if ($0 ~ /i != n/) op = \"eq\" }\n"
    "    /y\\[/ { at = $0 ~ /\\(i\\) [+-] 1/ ? 4 : 0 }\n"
    "    match($0, /simt_entry_[a-z0-9_]+/) { s = \"_Z6\" tag \"scale\"\n"
    "      entry = substr($0, RSTART, RLENGTH)\n"
    "      print \".visible .entry \" s \"(.param .u32 pn, .param .f32 pa, .param .u64 py)\\n{\"\n"
    "      print \".reg .b32 i, n; .reg .f32 a, y; .reg .b64 p, o; .reg .pred q;\"\n"
    "      if (file != \"\") print \".loc \" file \" 5 1\"\n"
    "      print \"ld.param.u32 n, [pn]; ld.param.f32 a, [pa]; ld.param.u64 p, [py];\"\n"
    "      print \"cvta.to.global.u64 p, p; mov.u32 i, %tid.x;\"\n"
    "      if (op != \"\") print \"setp.\" op \".s32 q, i, n; @q bra end;\"\n"
    "      else if ($0 !~ /true/ && text ~ /false/) print \"bra end;\"\n"
    "      print \"mul.wide.u32 o, i, 4; add.u64 p, p, o; ld.global.f32 y, [p+\" at \"];\"\n"
    "      print \"mul.f32 y, a, y; st.global.f32 [p], y;\\nend:\\n    ret;\\n}\"\n"
    "      print \".visible .global .align 8 .u64 \" entry \" = \" s \";\" }\n"
    "    { text = $0 ~ /if \\(/ ? $0 : text }\n"
    "    END { printf \"%s\", files }' \"$cu\"\n"
    "} > \"$ptx\"\n";

static void write_text(const char *path, const char *text)
{
    FILE *to = fopen(path, "w");

    assert_non_null(to);
    for (const char *at = text; *at != '\0'; at++)
        if (strncmp(at, "FOLDER", 6) == 0) {
            fputs(folder, to);
            at += 5;
        } else {
            fputc(*at, to);
        }
    assert_int_equal(fclose(to), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    snprintf(kernel, sizeof kernel, "%s/scale.cu", folder);
    snprintf(nvcc, sizeof nvcc, "%s/nvcc", folder);
    snprintf(report, sizeof report, "%s/report.json", folder);
    write_text(kernel, source);
    write_text(nvcc, script);
    return 0;
}

/* Returns how often the compiler has run since the last call. */
static size_t count_runs(void)
{
    char path[64], line[16];
    size_t runs = 0;
    FILE *from;

    snprintf(path, sizeof path, "%s/runs", folder);
    from = fopen(path, "r");
    while (from != NULL && fgets(line, sizeof line, from) != NULL)
        runs++;
    if (from != NULL)
        fclose(from);
    unlink(path);
    return runs;
}

/* Runs `mutate` and returns its output. The caller frees it. */
static char *mutate(const char *launch, const char *sizes, int status)
{
    struct ended ended =
        run_line("%s mutate '%s' '%s' --size '%s' --nvcc '%s' --ptxas '%s' --out %s --jobs 2",
                 SIMTCHECK_SAMPLE, kernel, launch, sizes, nvcc, nvcc, report);

    if (ended.status != status)
        fail_msg("exit status %d, and not %d: %s", ended.status, status, ended.output);
    return ended.output;
}

static void expect(const char *said, const char *text)
{
    if (strstr(said, text) == NULL)
        fail_msg("'%s' is not in: %s", text, said);
}

static void expect_not(const char *said, const char *text)
{
    if (strstr(said, text) != NULL)
        fail_msg("'%s' is in: %s", text, said);
}

/* Returns the verdict of a mutant in the report, found by its line after the change. The caller
 * frees it. */
static char *verdict_of(const char *after)
{
    json_t *document = json_load_file(report, 0, NULL), *mutants, *mutant;
    const char *key;
    char *verdict = NULL;

    mutants =
        json_object_get(json_object_get(json_object_get(document, "sources"), kernel), "mutants");
    json_object_foreach(mutants, key, mutant) if (verdict == NULL &&
                                                  strcmp(report_text(mutant, "after"), after) == 0)
        verdict = strdup(report_text(mutant, "verdict"));
    json_decref(document);
    return verdict;
}

static void expect_verdict(const char *after, const char *expected)
{
    char *verdict = verdict_of(after);

    if (verdict == NULL || strcmp(verdict, expected) != 0)
        fail_msg("%s: %s, and not %s", after, verdict != NULL ? verdict : "not there", expected);
    free(verdict);
}

TEST(mutants_are_killed_rejected_and_reported)
{
    char *said, silent[64];

    snprintf(silent, sizeof silent, "%s/silent", folder);
    write_text(silent, "");
    said = mutate("scale<<<1, 64>>>(n, 2.0f, inout float y[n])", "31", 1);
    unlink(silent);

    expect_verdict("if (i <= n)", "killed");
    expect_verdict("if (i > n)", "killed");
    expect_verdict("if (i != n)", "killed");
    expect_verdict("if (true)", "killed");
    expect_verdict("if (false)", "differs");
    expect_verdict("y[i] = a / y[i];", "not compiled");
    expect_verdict("y[i] = a % y[i];", "not compiled");
    expect_verdict("y[i] = a + y[i];", "equivalent");
    expect_verdict("y[i] = a * y[(i) + 1];", "killed");
    expect(said, "scale.cu:5: guard, 'i < n' -> 'false', in scale");
    expect(said, "Not detected by 'check', because only the results differ");
    expect(said, "Survivors:");
    expect(said, "scale: launch, '64' -> '(64) + 1'"); /* the extra thread has no element */
    expect_not(said, "'1' -> '(1) + 1'");              /* both blocks do the same: a race */
    expect(said, "mutation score: 13 of 15 (2 equivalent by proof, 0 argued, 2 did not compile)");
    free(said);
}

TEST(second_run_resumes_the_first)
{
    static const char launch[] = "scale<<<1, 64>>>(n, 2.0f, inout float y[n])";
    char *first, *second, changed[sizeof source + 16];

    unlink(report);
    count_runs();
    first = mutate(launch, "31", 1);
    assert_in_range(count_runs(), 1, FEW_RUNS);
    second = mutate(launch, "31", 1);
    assert_in_range(count_runs(), 1, 4); /* bindings and coverage, and their system headers */
    expect_not(second, "all its mutants run again");
    assert_string_equal(strstr(first, "\nNot detected"), strstr(second, "\nNot detected"));
    snprintf(changed, sizeof changed, "// changed\n%s", source);
    write_text(kernel, changed);
    free(first);
    free(second);
    second = mutate(launch, "31", 1);
    expect(second, "all its mutants run again");
    assert_true(count_runs() > 4);
    write_text(kernel, source);
    free(second);
}

TEST(invalid_mutate_arguments_are_rejected)
{
    const char *other[] = {SIMTCHECK_SAMPLE,
                           "mutate",
                           kernel,
                           "scale<<<1, 1>>>(n, 1, out float y[n])",
                           "--out",
                           kernel,
                           "--nvcc",
                           nvcc,
                           NULL};
    struct ended ended = run_line("%s mutate '%s'", SIMTCHECK_SAMPLE, kernel);
    expect(ended.output, "mutate needs a launch after");
    expect_ended(ended, 2, "");
    ended = program_run(other);
    expect(ended.output, "is an input file: write the results to another");
    expect_ended(ended, 2, "");
    write_text(report, source);
    other[5] = report;
    ended = program_run(other);
    expect(ended.output, "is not a report of mutants");
    free(ended.output);
    unlink(report);
    free(mutate("scale<<<1, 32>>(n)", "31", 2));
    free(mutate("scale<<<1, 32>>>(n)", "31", 2));
    ended.output = mutate("scale<<<1, 64>>>(n + 1, 2.0f, inout float y[n])", "31", 2);
    expect(ended.output, "fails without any change");
    expect_ended(ended, 2, "");
}

TEST_MAIN("mutate, by a sample", set_up, folder_remove)
