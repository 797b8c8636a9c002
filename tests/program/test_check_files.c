/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check`, `gate` and `mutate` with --json, --junit and --sarif: the three files say the
 * same as the exit status, for kernels that pass and fail. validate_findings.py compares the files.
 * Argument: an nvcc, or "clang".
 */
#include "check.h"

#include <signal.h>
#include <unistd.h>

static const char *compiler, *option_of_compiler; /* --nvcc PATH or --compiler clang */
static bool by_clang;
static char files[512]; /* the three options */

static const char AXPY[] =
    "axpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])";

/* Removes the files of the run before. */
static void remove_files(void)
{
    static const char *const names[] = {"r.json", "r.xml", "r.sarif"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        unlink(in_folder(names[k]));
}

/* Checks the files. Returns the JSON, which the caller drops. */
static json_t *results(int status)
{
    const char *const arguments[] = {
        "/usr/bin/env",      "python3",          VALIDATE_FINDINGS,    CHECK_SCHEMA,
        in_folder("r.json"), in_folder("r.xml"), in_folder("r.sarif"), NULL};
    json_t *json;

    expect_ended(program_run(arguments), 0, "");
    json = json_read(in_folder("r.json"));
    assert_int_equal(json_integer_value(json_at(json, "status")), status);
    return json;
}

/* Runs a command with a file, a launch and the three options. */
static json_t *run(const char *command, const char *file, const char *launch, const char *sizes,
                   int status)
{
    remove_files();
    expect_ended(run_line("%s %s '%s' --size %s %s '%s' %s", command, file, launch, sizes,
                          option_of_compiler, compiler, files),
                 status, "");
    return results(status);
}

static void expect_member(json_t *value, const char *path, const char *text)
{
    const char *got = json_string_value(json_at(value, path));

    if (got == NULL || strstr(got, text) == NULL)
        fail_msg("%s is '%s', without '%s'", path, got != NULL ? got : "(none)", text);
}

/* Returns the first evidence of a check of that kind, or null. */
static json_t *finding_of(json_t *json, const char *kind)
{
    json_t *finding, *evidence;
    size_t k, e;
    char part[64];

    snprintf(part, sizeof part, ": %s", kind);
    json_array_foreach(json_at(json, "launches/0/findings"), k, finding) json_array_foreach(
        json_at(finding, "evidence"), e,
        evidence) if (strstr(report_text(evidence, "check"), part) != NULL) return evidence;
    return NULL;
}

TEST(each_check_of_a_right_kernel_passes)
{
    json_t *json = run("check", CHECK_FILE, AXPY, "0,33", 0);

    expect_member(json, "launches/0/launch", "axpy<<<");
    expect_member(json, "launches/0/result", "pass");
    assert_int_equal(json_array_size(json_at(json, "launches/0/checks")), 4);
    expect_member(json, "launches/0/checks/0/compiler", by_clang ? "clang" : "nvcc");
    assert_int_equal(json_integer_value(json_at(json, "launches/0/checks/0/reached/lines")), 5);
    json_decref(json);
}

/* The command of a finding runs the same case. */
TEST(fault_has_a_line_and_a_command)
{
    json_t *json =
               run("check", CHECK_FILE,
                   "axpyPastTheEnd<<<1, 32>>>(n, 2.0f, in float x[n], inout float y[n])", "9", 1),
           *finding = finding_of(json, "run");
    const char *command;

    expect_member(finding, "rule", "out-of-bounds-read");
    expect_member(finding, "file", "check.cu");
    assert_int_equal(report_number(finding, "line"), 28);
    expect_member(finding, "counterexample/id", "axpyPastTheEnd");
    command = report_text(finding, "command");
    assert_non_null(strstr(command, " check '"));
    expect_ended(run_line("%s %s", strstr(command, "check '"), files), 1,
                 "error: out-of-bounds read\n");
    json_decref(json);
    json = results(1);
    expect_member(json, "launches/0/findings/0/rule", "out-of-bounds-read");
    json_decref(json);
}

TEST(race_has_two_places)
{
    json_t *json = run("check", CHECK_FILE, "addsAndStores<<<1, 64>>>(zeros int out[1])", "1", 1),
           *finding = finding_of(json, "races");

    expect_member(finding, "rule", "race");
    expect_member(finding, "file", "check.cu");
    expect_member(finding, "related/0/file", "check.cu");
    assert_true(report_number(finding, "line") > 129);
    assert_true(json_integer_value(json_at(finding, "related/0/line")) > 129);
    expect_member(finding, "case", ":addsAndStores:");
    json_decref(json);
}

/* An allowed race passes, and SARIF shows it as suppressed. */
TEST(allowed_race_is_suppressed)
{
    json_t *json, *sarif;

    text_write(in_folder("same.cu"), "__global__ void same(int *flag)\n{\n    *flag = 7;\n}\n");
    remove_files();
    expect_ended(run_line("check %s 'same<<<1, 64>>>(zeros int flag[1])' --size 1 --allow "
                          "same-value:flag %s '%s' %s",
                          in_folder("same.cu"), option_of_compiler, compiler, files),
                 0, "");
    json = results(0);
    expect_member(json, "launches/0/allowed/0", "same-value:flag");
    expect_member(finding_of(json, "races"), "allowed_by", "same-value:flag");
    sarif = json_read(in_folder("r.sarif"));
    expect_member(sarif, "runs/0/results/0/suppressions/0/kind", "external");
    json_decref(sarif);
    json_decref(json);
}

TEST(order_dependence_is_at_the_kernel)
{
    json_t *json = run("check", CHECK_FILE,
                       "addsInAnyOrder<<<1, 64>>>(in float in[n], zeros float out[1], n)", "33", 1);

    assert_int_equal(report_number(finding_of(json, "determinism"), "line"), 73);
    json_decref(json);
}

/* The name of a file may need escapes in XML and in a URI. */
TEST(names_are_escaped)
{
    const char *path = in_folder("a<& \x01.cu");
    json_t *json;
    char *text;

    text_write(path, "__global__ void same(int *flag)\n{\n    *flag = 7;\n}\n");
    remove_files();
    expect_ended(run_line("check '%s' 'same<<<1, 64>>>(zeros int flag[1])' --size 1 %s '%s' %s",
                          path, option_of_compiler, compiler, files),
                 1, "");
    json = results(1);
    expect_member(json, "launches/0/files/0", "a<& \\x01.cu");
    text = text_read(in_folder("r.xml"));
    assert_non_null(strstr(text, "a&#60;&#38; \\x01.cu"));
    free(text);
    text = text_read(in_folder("r.sarif"));
    assert_non_null(strstr(text, "a%3C%26%20"));
    free(text);
    json_decref(json);
}

TEST(error_is_no_result)
{
    json_t *json = run("check", CHECK_FILE, "axpy<<<1, 32>>>(n, 2.0f)", "9", 2);

    expect_member(json, "messages/0", "takes 4 arguments");
    expect_member(json, "launches/0/result", "incomplete");
    json_decref(json);
    json = run("check", CHECK_FILE,
               "axpy<<<n / 100, 32>>>(n, 2.0f, in float x[n], inout float y[n])", "9", 2);
    expect_member(json, "launches/0/result", "incomplete");
    json_decref(json);
}

/* Writes a result file of an earlier run, runs a command, and returns whether the file still says
 * that the run passed. */
static bool stays(const char *path, const char *command)
{
    static const char old[] = "{\"old\": true}\n";
    char line[64] = "";
    FILE *from;

    text_write(path, old);
    expect_run(2, "", "%s", command);
    from = fopen(path, "r");
    assert_non_null(from);
    (void)!fgets(line, sizeof line, from);
    fclose(from);
    return strcmp(line, old) == 0;
}

/* Nobody takes the files of an earlier run for those of this one. */
TEST(usage_error_leaves_no_earlier_results)
{
    static const char *const wrong[] = {
        "check " CHECK_FILE " 'k<<<1, 1>>>()' --expect /nowhere --%s %s",
        "check " CHECK_FILE " 'k<<<1, 1>>>()' --bogus --%s=%s",
        "check " CHECK_FILE " 'k<<<1, 1>>>()' --size x --%s %s -- -O0",
        "gate --%s %s",
        "mutate " CHECK_FILE " --%s %s",
    };
    static const char *const formats[] = {"json", "junit", "sarif"};
    char command[1024], *path = strdup(in_folder("earlier"));

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            snprintf(command, sizeof command, wrong[k], formats[f], path);
            if (stays(path, command))
                fail_msg("%s: the results of an earlier run stay", command);
        }
    snprintf(command, sizeof command, "run --expect /nowhere --json %s", path);
    assert_false(stays(path, command));
    snprintf(command, sizeof command, "compare %s %s --json %s", path, path, path);
    assert_true(stays(path, command)); /* an input */
    snprintf(command, sizeof command, "check %s -- --json %s", path, path);
    assert_true(stays(path, command)); /* flags of a compiler */
    free(path);
}

/* A message has the source line, of which no file and no terminal gets the odd bytes. */
TEST(source_lines_may_have_odd_bytes)
{
    const char *path =
        text_write(in_folder("odd.cu"), "__global__ void odd(int *s)\n{\n"
                                        "    s[0] = threadIdx.x; /* \xe9 \f \033[31m */\n}\n");

    json_decref(run("check", path, "odd<<<1, 64>>>(out int s[1])", "1", 1));
    expect_run(1, "/* \xe9    [31m */|!\033", "check %s 'odd<<<1, 64>>>(out int s[1])' %s '%s'",
               path, option_of_compiler, compiler);
    expect_run(1, "\033[1;31merror: \033[0m|\033[1;31mFAIL\033[0m",
               "check %s 'odd<<<1, 64>>>(out int s[1])' %s '%s' --color always", path,
               option_of_compiler, compiler);
}

/* Compilers write some bytes of a path in another way. */
TEST(paths_may_have_odd_bytes)
{
    const char *path = text_write(in_folder("\xc3\xb6\t\\x.cu"),
                                  "__global__ void odd(int *s)\n{\n    s[0] = 1;\n}\n");
    json_t *json = run("check", path, "odd<<<1, 64>>>(out int s[1])", "1 --allow same-value:s", 0);

    expect_member(json, "launches/0/findings/0/file", "\xc3\xb6\t\\x.cu");
    json_decref(json);
    expect_run(0, "", "check '%s' 'odd<<<1, 64>>>(out int s[1])' %s '%s' --allow 'same-value:%s:3'",
               path, option_of_compiler, compiler, path + (strrchr(folder, '/') + 1 - folder));
}

/* The verdict of the kernel was printed. That of the command is another one. */
TEST(lost_results_are_no_pass)
{
    expect_run(3, "axpy  PASS  |check  PARTIAL\n|cannot write '/dev/full'",
               "check %s '%s' --size 0,33 %s %s --json /dev/full", CHECK_FILE, AXPY,
               option_of_compiler, compiler);
}

/* The files that can be written have the exit status. */
TEST(lost_output_is_in_the_other_files)
{
    static const char *const lost[] = {">&-", ">/dev/full", "--coverage /dev/full"};
    char command[2048];
    json_t *json;

    for (size_t k = 0; k < sizeof lost / sizeof *lost; k++) {
        remove_files();
        snprintf(command, sizeof command, "exec \"%s\" check '%s' '%s' --size 0,33 %s '%s' %s %s",
                 SIMTCHECK, CHECK_FILE, AXPY, option_of_compiler, compiler, files, lost[k]);
        expect_ended(program_run((const char *[]){"/bin/sh", "-c", command, NULL}), 3,
                     "cannot write");
        json_decref(results(3));
    }
    expect_run(3, "cannot write", "check %s '%s' --size 0,33 %s '%s' --junit /dev/full --json %s",
               CHECK_FILE, AXPY, option_of_compiler, compiler, in_folder("r.json"));
    json = json_read(in_folder("r.json"));
    assert_int_equal(json_integer_value(json_at(json, "status")), 3);
    json_decref(json);
}

TEST(results_replace_no_input)
{
    static const char kernel[] = "__global__ void kept() {}\n";
    static const char *const formats[] = {"json", "junit", "sarif", "coverage"};
    const char *path = text_write(in_folder("kept.cu"), kernel);
    char *text;

    assert_int_equal(link(path, in_folder("link.cu")), 0);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        expect_run(2, "is an input file", "check %s 'kept<<<1, 1>>>()' --%s %s", path, formats[k],
                   in_folder("link.cu"));
        expect_run(2, "is an input file", "check %s 'axpy<<<1, 1>>>()' --oracle %s --%s=%s",
                   CHECK_FILE, path, formats[k], path);
    }
    text = text_read(path);
    assert_string_equal(text, kernel);
    free(text);
}

/* The first part has ended when the signal comes, as its check is in the file. */
TEST(interrupted_check_keeps_what_it_found)
{
    const char *const arguments[] = {SIMTCHECK,
                                     "check",
                                     CHECK_FILE,
                                     AXPY,
                                     "--size",
                                     "0,33",
                                     option_of_compiler,
                                     compiler,
                                     "--json",
                                     in_folder("r.json"),
                                     "--junit",
                                     in_folder("r.xml"),
                                     "--sarif",
                                     in_folder("r.sarif"),
                                     NULL};
    json_t *json;

    remove_files();
    expect_ended(program_interrupt(arguments, in_folder("r.json"), "\"verdict\"", SIGINT), 3,
                 "interrupted");
    json = results(3);
    expect_member(json, "launches/0/result", "incomplete");
    expect_member(json, "launches/0/checks/0/result", "pass");
    assert_int_equal(json_array_size(json_at(json, "launches/0/checks")), 1);
    json_decref(json);
}

TEST(each_mutant_is_a_check)
{
    json_t *json = run("mutate", MUTATE_FILE, "sum<<<1, 64>>>(in int in[n], out int out[1], n)",
                       "1,33,64", 1),
           *check;
    size_t k, survivors = 0;
    char path[64];

    json_array_foreach(json_at(json, "launches/0/checks"), k, check)
    {
        expect_member(check, "kind", "mutant");
        if (strcmp(report_text(check, "verdict"), "survived") != 0)
            continue;
        survivors++;
        snprintf(path, sizeof path, "launches/0/findings/%lld/rule",
                 json_integer_value(json_at(check, "findings/0")) - 1);
        expect_member(json, path, "surviving-mutant");
        expect_member(check, "result", "fail");
    }
    assert_true(survivors > 0);
    json_decref(json);
}

/* An edit that only costs more fails in the check of the costs. */
TEST(gate_includes_the_costs)
{
    static const char launch[] = "twice<<<(n + 31) / 32, 32>>>(in int x[n], out int y[n], n)";
    json_t *json;
    char command[512];

    if (by_clang)
        skip(); /* The gate needs nvcc and ptxas. */
    assert_int_equal(chdir(folder), 0);
    text_write("twice.cu", "__global__ void twice(const int *x, int *y, int n)\n{\n"
                           "    int i = blockIdx.x * 32 + threadIdx.x;\n    if (i < n)\n"
                           "        y[i] = 2 * x[i];\n}\n");
    snprintf(command, sizeof command,
             "git init -q . && git add twice.cu && git -c user.name=test -c user.email=test commit "
             "-qm twice && sed -i 's/y.i. = 2/*(volatile int *)\\&y[i] = 0, y[i] = 2/' twice.cu");
    assert_int_equal(system(command), 0);
    remove_files();
    expect_ended(
        run_line("gate HEAD twice.cu '%s' --size 1,33 --nvcc %s %s", launch, compiler, files), 1,
        "  FAIL");
    json = results(1);
    expect_member(finding_of(json, "costs"), "rule", "cost");
    expect_member(finding_of(json, "costs"), "file", "twice.cu");
    assert_null(finding_of(json, "run"));
    expect_member(json, "launches/0/allowed/0", "instructions:2%");
    json_decref(json);
    assert_int_equal(system("git checkout -q twice.cu && sed -i 's/i < n/i <= n/' twice.cu"), 0);
    expect_run(1, "twice  FAIL  1 out-of-bounds read\n|not counted|!higher cost|!--allow permits",
               "gate HEAD twice.cu '%s' --size 1,33 --nvcc %s", launch, compiler);
    /* One line is wrong with the compiler flags of its own. */
    assert_int_equal(system("sed -i 's/i <= n/i < n + MORE/' twice.cu"), 0);
    snprintf(command, sizeof command, "twice.cu: %s --size 33 -- -DMORE=0\ntwice.cu: %s\n", launch,
             launch);
    text_write("twice.launches", command);
    expect_run(1,
               "twice.launches:1, |\n2 launches: 1 PASS, 1 FAIL\n|twice  FAIL|twice.launches:2, ",
               "gate HEAD twice.launches --size 65 --nvcc %s -DMORE=1", compiler);
}

static int set_up(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (folder_make(state) != 0)
        return -1;
    snprintf(files, sizeof files, "--json %s --junit %s --sarif %s", in_folder("r.json"),
             in_folder("r.xml"), in_folder("r.sarif"));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    compiler = argv[1];
    by_clang = strcmp(compiler, "clang") == 0;
    option_of_compiler = by_clang ? "--compiler" : "--nvcc";
    return tests_run("check_files", set_up, folder_remove);
}
