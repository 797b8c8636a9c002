/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check --compiler`: what clang's headers declare behaves as CUDA defines it, and
 * simtcheck picks the right compiler. Argument: an nvcc, which must agree. Without one, only clang
 * is tested.
 */
#include "check.h"

#include "clang.h"

static const char *nvcc; /* null: none */

/* Checks kernels of functions.cu with clang and with nvcc. The results must be the same. */
static void check(const char *launch, int status, const char *says)
{
    expect_run(status, says, "check %s '%s' --size 64 --only run --compiler clang", FUNCTIONS,
               launch);
    if (nvcc != NULL)
        expect_run(status, says, "check %s '%s' --size 64 --only run --nvcc %s -- -arch=compute_80",
                   FUNCTIONS, launch, nvcc);
}

TEST(functions_match_the_cuda_specification)
{
    check("bits<<<1, 64>>>(in unsigned x[64], out int a[64]);"
          "floats<<<1, 64>>>(2.5f, 0.333333f, 0.1, out int b[64]);"
          "vectors<<<1, 64>>>(1.5f, out int c[64]);"
          "spaces<<<1, 64>>>(in int y[64], out int d[64]);"
          "halves<<<1, 64>>>(1.0f, out int e[64]);"
          "simd<<<1, 64>>>(in unsigned z[64], out int f[64]);"
          "loads<<<1, 64>>>(in uchar from[1024], scratch uchar to[1024], out int g[64])",
          0, "PASS  in bounds, initialized\n");
    check("atomics<<<1, 64>>>(out int a[64]); atomics_block<<<1, 64>>>(out int b[64]);"
          "atomics_system<<<1, 64>>>(out int c[64]);"
          "lanes<<<1, 64>>>(out int d[64]); groups<<<1, 64>>>(out int e[64]);"
          "pitched<<<1, 64>>>({zeros char volume[384], ulong 64, ulong 60, ulong 2},"
          "{ulong 4, ulong 2, ulong 3}, {ulong 1, ulong 0, ulong 2}, out int f[64])",
          0, "PASS  in bounds, initialized\n");
    check("pitched<<<1, 64>>>({zeros char volume[383], ulong 64, ulong 60, ulong 2},"
          "{ulong 4, ulong 2, ulong 3}, {ulong 60, ulong 0, ulong 2},"
          "out int a[64])",
          1, "at volume[383], outside its 383 elements");
}

TEST(failed_assertion_is_a_fault)
{
    check("fails<<<1, 64>>>(in int x[64], out int a[64])", 1, "in[threadIdx.x] == 12345");
}

/* Expects a text in the command of the first finding's evidence of that number. */
static void expect_command(json_t *json, unsigned int number, const char *says)
{
    char path[64];
    const char *command;

    snprintf(path, sizeof path, "launches/0/findings/0/evidence/%u/command", number);
    command = json_string_value(json_at(json, path));
    if (command == NULL || strstr(command, says) == NULL)
        fail_msg("the command '%s' lacks '%s'", command != NULL ? command : "(none)", says);
}

TEST(each_compiler_is_checked)
{
    static const char wrong[] = "fails<<<1, 64>>>(in int x[64], out int a[64])";
    json_t *json;

    if (nvcc == NULL)
        skip();
    expect_run(0, "vectors  PASS  in bounds, initialized\n|, nvcc | and clang ",
               "check %s 'vectors<<<1, 64>>>(1.5f, out int c[64])' --size 1 --only run --compiler "
               "clang --compiler nvcc --nvcc %s",
               FUNCTIONS, nvcc);
    expect_run(1, ": error: trap\n|, nvcc | and clang |!only in the code of",
               "check %s '%s' --size 1 --only run --compiler clang --compiler nvcc --nvcc %s",
               FUNCTIONS, wrong, nvcc);
    json = report_line(
        1, "check %s '%s' --size 1 --only run --compiler clang --compiler nvcc --nvcc %s",
        FUNCTIONS, wrong, nvcc);
    expect_command(json, 0, "--compiler nvcc");
    expect_command(json, 1, "--compiler clang");
    json_decref(json);
}

TEST(case_is_replayed_with_its_compiler)
{
    static const char wrong[] = "fails<<<1, 64>>>(in int x[64], out int a[64])";
    struct ended ended =
        run_line("check %s '%s' --size 1 --only run --compiler clang", FUNCTIONS, wrong);
    char *case_id = strstr(ended.output, "--case ");
    json_t *json =
        report_line(1, "check %s '%s' --size 1 --only run --compiler clang", FUNCTIONS, wrong);

    expect_command(json, 0, " --compiler clang");
    json_decref(json);
    assert_non_null(case_id);
    case_id += strlen("--case ");
    case_id[strcspn(case_id, " \n")] = '\0';
    expect_run(1, "12345", "check %s '%s' --case %s --compiler clang", FUNCTIONS, wrong, case_id);
    expect_run(2, "give --compiler once",
               "check %s '%s' --case %s --compiler clang --compiler nvcc", FUNCTIONS, wrong,
               case_id);
    free(ended.output);
}

/* An nvcc that does not work is not missing. */
TEST(compiler_that_does_not_work_is_an_error)
{
    char *path = strdup(getenv("PATH")), with[4096];

    script_make("nvcc", "exit 1\n");
    snprintf(with, sizeof with, "%s:%s", folder, path);
    setenv("PATH", with, 1);
    expect_run(2, "nvcc is not nvcc: --version prints ''|repair or remove it",
               "check %s 'vectors<<<1, 64>>>(1.5f, out int c[64])' --size 1 --only run", FUNCTIONS);
    expect_run(0, "PASS  in bounds, initialized\n|, clang |!nvcc",
               "check %s 'vectors<<<1, 64>>>(1.5f, out int c[64])' --size 1 --only run "
               "--compiler clang",
               FUNCTIONS);
    setenv("SIMTCHECK_CLANG", in_folder("no_clang"), 1);
    expect_run(2, "no_clang is not a clang++",
               "check %s 'vectors<<<1, 64>>>(1.5f, out int c[64])' --compiler clang", FUNCTIONS);
    unsetenv("SIMTCHECK_CLANG");
    setenv("PATH", path, 1);
    free(path);
}

TEST(contradictory_options_are_rejected)
{
    static const char launch[] = "vectors<<<1, 64>>>(1.5f, out int c[64])";

    expect_run(2, "--nvcc does not apply to --compiler clang",
               "check %s '%s' --compiler clang --nvcc nvcc", FUNCTIONS, launch);
    expect_run(2, "--compiler", "check %s '%s' --compiler gcc", FUNCTIONS, launch);
}

int main(int argc, char **argv)
{
    struct compiler clang;
    char error[256];

    nvcc = argc > 1 ? argv[1] : NULL;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (!clang_open(NULL, &clang, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 77;
    }
    return tests_run("check_clang", folder_make, folder_remove);
}
