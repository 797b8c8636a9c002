/* SPDX-License-Identifier: MIT
 *
 * `check --reference double`: right kernels are within the bounds of their rounding errors in every
 * order, kernels with a wrong term are not, and what has no bound is rejected. Arguments: "nvcc" or
 * "clang".
 */
#include "launch_rows.h"

static const char *compiler; /* options that select it */

/* ---- Against plain kernels ---- */

static void expect_within(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says,
               "check %s/kernels.cu '%s' --against %s/reference.cu --reference double "
               "%s %s --verbose",
               EXACT_FOLDER, launch, EXACT_FOLDER, compiler, options);
}

TEST(right_kernels_are_within_the_bounds_of_plain_ones)
{
    expect_within(
        0,
        "  PASS  in bounds, initialized, race-free|conforms|"
        "!order-dependent|!fails in",
        "blockSum<<<(n + 255) / 256, 256>>>(in float x[n] = uniform(-1, 1), "
        "out float y[(n + 255) / 256], n, 0);"
        "finalSum<<<1, 4>>>(y, out float total[1], (n + 255) / 256, 0);"
        "warpSum<<<(n + 255) / 256, 256>>>(x, out float w[8 * ((n + 255) / 256)], n, 0);"
        "atomicSum<<<(n + 127) / 128, 64>>>(x, zeros float s[1], zeros double d[1], n, 0)",
        "--size 1,31,1000");
    expect_within(0, "  PASS  in bounds, initialized|conforms|!fails in",
                  "dot<<<1, 64>>>(in float x[n] = uniform(1, 2), in float z[n] = uniform(-1, 1), "
                  "out float t[1], n, 0);"
                  "gemm<<<dim3(3, 3), dim3(8, 8)>>>(in float a[20][n] = uniform(-1, 1),"
                  "                                 in float b[n][24] = uniform(0, 1),"
                  "                                 out float c[20][24], n, 0);"
                  "variance<<<1, 64>>>(x, out float v[3], n, 0);"
                  "scan<<<(n + 255) / 256, 256>>>(x, out float p[n], n, 0);"
                  "softmax<<<(n + 31) / 32, 32>>>(x, out float q[n], n)",
                  "--size 1,31,500 --only run");
    /* all values, with infinities and NaN */
    expect_within(0, "  PASS  in bounds, initialized|conforms",
                  "doubles<<<n / 32 + 1, 32>>>(in double e[n], out double f[32 * (n / 32 + 1)],"
                  "                            out float g[32 * (n / 32 + 1)], n);"
                  "volatileSum<<<1, 64>>>(in float x[n], out float u[1], n, 0)",
                  "--size 1,31,100 --only run");
}

/* Looks at the commands in wrong.xml that run the failures again. */
static void expect_commands(const char *options, size_t expected)
{
    char *text = text_read(in_folder("wrong.xml"));
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, options)) != NULL; at++)
        count++;
    assert_int_equal(count, expected);
    free(text);
}

/* A missing, doubled or swapped term is greater than the bound. */
TEST(wrong_terms_are_found)
{
#define WRONG(count) 1, "error: wrong result| +- |  FAIL  " count
    static const struct launch_row rows[] = {
        {WRONG("1 wrong result\n"),
         "blockSum<<<(n + 255) / 256, 256>>>(in float x[n], out float y[(n + 255) / 256], n, 3)",
         NULL},
        {WRONG("1 wrong result\n"),
         "finalSum<<<1, 4>>>(in float y[(n + 255) / 256], out float t[1], (n + 255) / 256, 5)",
         NULL},
        {WRONG("1 wrong result\n"),
         "warpSum<<<(n + 255) / 256, 256>>>(in float x[n], out float y[8 * ((n + 255) / 256)], n, "
         "7)",
         NULL},
        {WRONG("2 wrong results\n"),
         "atomicSum<<<(n + 127) / 128, 64>>>(in float x[n], zeros float s[1], zeros double d[1], "
         "n, 9)",
         NULL},
        {WRONG("1 wrong result\n"),
         "dot<<<1, 64>>>(in float x[n], in float y[n], out float t[1], n, 11)", NULL},
        {WRONG("1 wrong result\n"), "volatileSum<<<1, 64>>>(in float x[n], out float t[1], n, 19)",
         NULL},
        {WRONG("1 wrong result\n"),
         "scan<<<(n + 255) / 256, 256>>>(in float x[n], out float y[n], n, 20)", NULL},
    };
#undef WRONG
    char options[512];

    snprintf(options, sizeof options,
             "--against %s/reference.cu --reference double %s --size 1500 --only run "
             "--model lockstep --schedule sequential --junit %s",
             EXACT_FOLDER, compiler, in_folder("wrong.xml"));
    expect_launches(EXACT_FOLDER "/kernels.cu", options, GROUP(rows));
    expect_commands("--reference double --case 2:sim:", sizeof rows / sizeof *rows + 1);
    snprintf(options, sizeof options,
             "--size 300 --only run --model lockstep --schedule sequential --junit %s",
             in_folder("wrong.xml"));
    /* 480 sums, of fewer products */
    expect_within(1, "error: wrong result| +- |  FAIL  1 wrong result\n",
                  "gemm<<<dim3(3, 3), dim3(8, 8)>>>(in float a[20][n], in float b[n][24], "
                  "out float c[20][24], n, 16)",
                  options);
    expect_commands("--reference double --case 2:sim:", 1);
}

/* ---- The same kernel ---- */

static void expect_same(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says, "check %s/kernels.cu '%s' --reference double %s %s --verbose",
               BOUNDED_FOLDER, launch, compiler, options);
}

TEST(kernels_are_within_their_own_bounds)
{
    char options[128];

    expect_same(
        0,
        "swaps  PASS  in bounds, initialized, race-free|conforms|"
        "!order-dependent|!determinism",
        "swaps<<<n / 32 + 1, 32>>>(in float x[n], zeros float sum[1], out float most[1], n)",
        "--size 1,40");
    expect_same(0, "functions  PASS  in bounds, initialized|conforms",
                "functions<<<1, 64>>>(in float x[n], out float y[12 * n], n)",
                "--size 1,60 --only run");
    expect_same(0, "cancels  PASS  in bounds, initialized|conforms",
                "cancels<<<1, 64>>>(in float x[n], out float y[n], n)", "--size 60 --only run");
    snprintf(options, sizeof options, "--size 60 --only run --tolerance ulp:4 --junit %s",
             in_folder("wrong.xml"));
    expect_same(1, "error: wrong result|cancels  FAIL  1 wrong result\n",
                "cancels<<<1, 64>>>(in float x[n], out float y[n], n)", options);
    expect_commands("--tolerance ulp:4 --reference double --case 2:sim:", 1);
}

/* clang calls expf(), and nvcc computes it with operations on bits. So clang compiles the reference
 * of both. */
TEST(functions_have_bounds)
{
    static const char launch[] = "softmax<<<n / 32 + 1, 32>>>(in float x[n], out float y[n], n)";
    bool is_clang = strstr(compiler, "clang") != NULL;

    expect_same(is_clang ? 0 : 2,
                is_clang ? "softmax  PASS  in bounds, initialized|conforms|!every case"
                         : "the bits of a float|every case",
                launch, "--size 40 --only run");
    if (!is_clang && system("clang++ --version >/dev/null 2>&1") == 0)
        expect_run(0, "softmax  PASS  in bounds, initialized|!every case",
                   "check %s/kernels.cu '%s' --reference double --size 40 --only run "
                   "--compiler nvcc",
                   BOUNDED_FOLDER, launch);
}

/* ---- Refusals ---- */

TEST(what_cannot_be_expressed_is_refused)
{
    static const char *const says[] = {
        "inexpressible  PASS  in bounds, initialized|conforms|!fails in",
        "a comparison of floats that an error may change, which --reference double cannot express",
        "the bits of a float|every case",
        "a rounding of a float that an error may change|kernels.cu:",
        "floats other than f32 and f64|every case",
        "the value of y[0] may overflow, or divide by a number near 0",
        "the value of z[0] is the bits of a float",
        "an atomic operation on floats other than a sum|every case",
    };

    for (int what = 0; what <= 7; what++) {
        char launch[256];
        snprintf(launch, sizeof launch,
                 "inexpressible<<<1, 1>>>(in float x[n] = uniform(1, 2), out float y[1], "
                 "out int z[1], %d)",
                 what);
        expect_same(strstr(says[what], "every case") != NULL ? 2 : 0, says[what], launch,
                    "--size 1 --only run");
    }
}

TEST(options_that_do_not_fit_are_rejected)
{
    static const char *const options[][2] = {
        {"--oracle x.c", "--oracle is none"},
        {"--floats exact", "leave out --reference double"},
    };

    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        expect_same(2, options[k][1], "cancels<<<1, 64>>>(in float x[n], out float y[n], n)",
                    options[k][0]);
    expect_same(2, "'y' is 'unordered'",
                "cancels<<<1, 64>>>(in float x[n], out float y[n] unordered, n)", "");
    expect_run(2, "needs a launch", "gate HEAD --reference double");
    expect_run(2, "triple",
               "check %s/kernels.cu 'cancels<<<1, 64>>>(in float x[n], "
               "out float y[n], n)' --reference triple",
               BOUNDED_FOLDER);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    compiler = strcmp(argv[1], "nvcc") == 0 ? "--nvcc nvcc" : "--compiler clang";
    return tests_run("bounded", folder_make, folder_remove);
}
