/* SPDX-License-Identifier: MIT
 *
 * `check`, `gate` and `mutate` with --minutes, and the line that shows their progress. The clock of
 * `seeded` moves with each look at it, by the seconds in SEEDED_LOOK.
 * Argument: an nvcc, or "clang".
 */
#include "check.h"

#include <sys/stat.h>

static const char *compiler, *option_of_compiler; /* --nvcc PATH or --compiler clang */
static bool by_clang;

static const char code[] = "__global__ void twice(int *x, int n)\n"
                           "{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n)\n"
                           "        x[i] *= 2;\n"
                           "}\n"
                           "__global__ void wrongForOne(int *x, int n)\n"
                           "{\n"
                           "    x[n == 1 ? 1 : threadIdx.x] = 2;\n"
                           "}\n"
                           "__global__ void counts(int *x)\n"
                           "{\n"
                           "    if (atomicAdd(x, 1) < -1000000000)\n"
                           "        x[1] = 0;\n"
                           "}\n";
static const char TWICE[] = "'twice<<<(n + 63) / 64, 64>>>(inout int x[n], n)'";

/* Sets how many seconds each look at the clock takes. */
static void look_takes(const char *seconds)
{
    setenv("SEEDED_LOOK", seconds, 1);
}

/* Runs a command with the file of code and --json. */
static json_t *run(const char *command, const char *launch, const char *options, int status,
                   const char *says)
{
    expect_ended(run_line("seeded %s %s %s %s --json %s %s '%s'", command, in_folder("a.cu"),
                          launch, options, in_folder("r.json"), option_of_compiler, compiler),
                 status, says);
    return json_read(in_folder("r.json"));
}

/* Sums a number over all checks of a launch. */
static long long sum(json_t *results, size_t launch, const char *key)
{
    json_t *checks =
        json_object_get(json_array_get(json_object_get(results, "launches"), launch), "checks");
    long long all = 0;
    json_t *check;
    size_t k;

    json_array_foreach(checks, k, check) all += json_integer_value(json_object_get(check, key));
    return all;
}

static void expect_text(json_t *results, const char *path, const char *text)
{
    const char *got = json_string_value(json_at(results, path));

    if (got == NULL || strcmp(got, text) != 0)
        fail_msg("%s is '%s', and not '%s'", path, got != NULL ? got : "(none)", text);
}

/* What was tried and what was left out are together what a check without a limit tries. */
TEST(bounded_check_says_what_it_left_out)
{
    const char *parts[] = {"run", "races", "determinism"};

    for (size_t k = 0; k < 3; k++) {
        char options[128];
        json_t *whole, *part;
        snprintf(options, sizeof options, "--size 1-9 --only %s --schedules 1", parts[k]);
        look_takes("0");
        whole = run("check", TWICE, options, 0, "twice  PASS  |!left out|!bounded|!PARTIAL");
        look_takes("6");
        strcat(options, " --minutes 1");
        part = run("check", TWICE, options, 0,
                   "twice  PARTIAL  nothing that was tried fails|--minutes 1 left out:");
        expect_text(whole, "launches/0/result", "pass");
        expect_text(part, "launches/0/result", "bounded");
        expect_text(part, "launches/0/checks/0/result", "bounded");
        assert_true(json_is_true(json_at(part, "complete")));
        assert_true(sum(part, 0, "cases") > 0 && sum(part, 0, "untried") > 0);
        assert_int_equal(sum(part, 0, "cases") + sum(part, 0, "untried"), sum(whole, 0, "cases"));
        assert_int_equal(sum(whole, 0, "untried"), 0);
        json_decref(whole);
        json_decref(part);
    }
}

/* Schedules with delays come after all cases of a race check. */
TEST(schedules_are_left_out_last)
{
    json_t *results;

    look_takes("0.2");
    results = run("check", "'counts<<<1, 64>>>(zeros int x[2])'",
                  "--size 1 --only races --model independent --minutes 0.05", 0,
                  "races, model independent|schedules with delays");
    expect_text(results, "launches/0/checks/0/result", "bounded");
    assert_int_equal(sum(results, 0, "untried"), 0);
    json_decref(results);
}

/* Nothing looked at is no pass. */
TEST(check_without_time_is_no_pass)
{
    json_t *results;

    look_takes("61"); /* nothing is compiled */
    results = run("check", TWICE, "--size 1-9 --minutes 1", 77,
                  "all checks|everything|nothing was checked in the time of --minutes 1");
    expect_text(results, "launches/0/result", "skipped");
    json_decref(results);
    look_takes("20");
    results =
        run("check", TWICE, "--size 1-9 --minutes 1", 77, "54 of 54 cases|nothing was checked");
    expect_text(results, "launches/0/result", "skipped");
    json_decref(results);
}

/* Nor is it an error of the reference. */
TEST(reference_without_time_is_left_out)
{
    look_takes("16");
    expect_run(77, "reference code, |54 of 54 cases|twice  SKIPPED|!fails in every",
               "seeded check %s %s --against %s --size 1-9 --only run --minutes 1 %s '%s'",
               in_folder("a.cu"), TWICE, in_folder("a.cu"), option_of_compiler, compiler);
}

/* With a limit, small cases come first, and a failure among them counts. */
TEST(small_cases_come_first)
{
    static const char launch[] = "'wrongForOne<<<1, n>>>(inout int x[n], n)'";

    look_takes("10");
    json_decref(
        run("check", launch, "--size 64,32,1 --only run --minutes 1", 1,
            "error: out-of-bounds write|left out|wrongForOne  FAIL  1 out-of-bounds write\n|"
            "!conforms, bounded|!PASS|!PARTIAL"));
    look_takes("0");
    json_decref(run("check", launch, "--size 64,32 --only run --minutes 1", 0, "!left out"));
}

TEST(each_launch_gets_its_share)
{
    json_t *results;

    text_write(in_folder("a.launches"), "twice<<<1, 64>>>(inout int x[n], n)\n"
                                        "twice<<<1, 64>>>(inout int x[n, n], n)\n"
                                        "twice<<<1, 65>>>(inout int x[n], n)\n"
                                        "twice<<<1, 66>>>(inout int x[n], n)\n");
    look_takes("1");
    results = run("check", in_folder("a.launches"), "--size 1-20 --minutes 1", 2,
                  "a.launches:2: column ");
    for (size_t k = 0; k < 4; k++) {
        char path[32];
        snprintf(path, sizeof path, "launches/%zu/result", k);
        expect_text(results, path, k == 1 ? "incomplete" : "bounded");
    }
    json_decref(results);
    text_write(in_folder("a.launches"), "twice<<<1, 64>>>(inout int x[n], n) --minutes 1\n");
    json_decref(run("check", in_folder("a.launches"), "", 2,
                    "--minutes and the options of the output are for all launches"));
}

TEST(mutants_are_left_out)
{
    json_t *results;

    look_takes("1");
    results = run("mutate", TWICE, "--size 1,31 --jobs 1 --minutes 0.2", by_clang ? 1 : 1,
                  "mutants were not tried: the time of --minutes is over");
    assert_true(sum(results, 0, "untried") > 0);
    json_decref(results);
    look_takes("61");
    results = run("mutate", TWICE, "--size 1,31 --jobs 1 --minutes 1", 77, "no mutant was tried");
    expect_text(results, "launches/0/result", "skipped");
    json_decref(results);
}

TEST(gate_is_bounded)
{
    if (by_clang)
        skip();
    expect_run(0, "",
               "/bin/sh -c 'cd %s && git init -q . && git add a.cu && git -c user.name=x -c "
               "user.email=x@y commit -qm x && cd - > /dev/null'",
               in_folder(""));
    look_takes("2");
    expect_run(0, "reference code, nvcc|twice  PARTIAL  nothing that was tried fails",
               "seeded gate HEAD %s %s --size 1-20 --minutes 1 --nvcc %s", in_folder("a.cu"), TWICE,
               compiler);
}

/* A check that the usual time ends has not done its work. It says what is missing, also in JSON. */
TEST(usual_time_ends_a_launch)
{
    json_t *results;

    look_takes("20");
    results = run(
        "check", TWICE, "", 3,
        "after 10 minutes, this was left out:\n|    twice: run on sim|: races, model independent|"
        "twice  PARTIAL  not all was checked\n|note: not all was checked in 10 minutes: ");
    expect_text(results, "launches/0/result", "incomplete");
    json_decref(results);
    look_takes("0");
}

TEST(time_must_be_possible)
{
    expect_run(2, "'0' is not a time in minutes|check  ERROR\n", "seeded check %s %s --minutes 0",
               in_folder("a.cu"), TWICE);
    expect_run(2, "--minutes is given twice", "seeded check %s %s --minutes 1 --minutes 2",
               in_folder("a.cu"), TWICE);
}

/* A compiler may take long, so the terminal shows it at once. */
TEST(terminal_shows_what_is_done)
{
    char path[64], launches[64];
    const char *const arguments[] = {SIMTCHECK,          "check",  path, launches, "--size", "1-9",
                                     option_of_compiler, compiler, NULL};
    struct ended plain;

    snprintf(path, sizeof path, "%s", in_folder("a.cu"));
    snprintf(launches, sizeof launches, "%s",
             text_write(in_folder("b.launches"), "twice<<<n, 64>>>(inout int x[n], n)\n"
                                                 "twice<<<n, 65>>>(inout int x[n], n)\n"));
    expect_ended(program_on_terminal(arguments), 0,
                 by_clang ? "launch 1 of 2, compiling|with clang, |of 54 cases, "
                          : "launch 1 of 2, compiling|with nvcc, |of 54 cases, ");
    plain = program_run(arguments);
    assert_null(strchr(plain.output, '\r'));
    expect_ended(plain, 0, "!of 54 cases, ");
    setenv("SIMTCHECK_PROGRESS", "1e-6", 1);
    expect_ended(program_run(arguments), 0, "simtcheck: launch 2 of 2, |of 54 cases, ");
    setenv("SIMTCHECK_PROGRESS", "0", 1);
}

/* A worker that starts removes the contents of the user's file. */
TEST(change_of_ptx_during_the_check_has_no_effect)
{
    static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                              ".visible .entry store(.param .u64 px)\n{\n"
                              "    .reg .b32 i; .reg .b64 x, o;\n"
                              "    ld.param.u64 x, [px]; mov.u32 i, %tid.x;\n"
                              "    mul.wide.u32 o, i, 4; add.u64 x, x, o;\n"
                              "    st.global.u32 [x], i;\n    ret;\n}\n";
    char program[64], worker[80], text[512], path[64];

    look_takes("0");
    snprintf(program, sizeof program, "%s", in_folder("seeded"));
    snprintf(worker, sizeof worker, "%s-worker-sim", program);
    snprintf(path, sizeof path, "%s", text_write(in_folder("store.ptx"), ptx));
    snprintf(text, sizeof text, "#!/bin/sh\n: > %s\nexec %s-worker-sim \"$@\"\n", path, SEEDED);
    text_write(worker, text);
    assert_int_equal(chmod(worker, 0755), 0);
    expect_run(0, "", "/bin/cp %s %s", SEEDED, program);
    expect_run(0, "store  PASS  in bounds, initialized, race-free, deterministic\n",
               "%s check %s 'store<<<1, n>>>(out int x[n])' --size 4", program, path);
    text_write(path, ptx);
    expect_run(1, "store.ptx:9", "%s check %s 'store<<<1, n>>>(out int x[n - 1])' --size 4",
               program, path);
}

static int set_up(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (folder_make(state) != 0)
        return -1;
    text_write(in_folder("a.cu"), code);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    compiler = argv[1];
    by_clang = strcmp(compiler, "clang") == 0;
    option_of_compiler = by_clang ? "--compiler" : "--nvcc";
    return tests_run("minutes", set_up, folder_remove);
}
