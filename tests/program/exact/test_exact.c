/* SPDX-License-Identifier: MIT
 *
 * `check --floats exact`: parallel kernels equal plain ones in every order, one wrong term is found
 * with one set of values, and what cannot be expressed is an error. Arguments: "nvcc" or "clang".
 */
#include "check.h"

#include "case_id.h"

static const char *compiler;

/* ---- Right kernels ---- */

static const char copy[] = "copyOf<<<(n + B - 1) / B, B>>>(in float x[n], scratch float a[n], n);";

static void expect_equal(const char *folder_of, const char *file, const char *reference,
                         const char *launch, const char *options)
{
    expect_run(0,
               "  PASS  in bounds, initialized, race-free, deterministic, as the reference\n|"
               "conforms|race-free\n|"
               "bit-identical",
               "check %s/%s '%s' --against %s/%s --floats exact --compiler %s %s --verbose -- -I%s "
               "-I%s/include",
               folder_of, file, launch, folder_of, reference, compiler, options, EXACT_ROOT,
               EXACT_ROOT);
}

TEST(sums_and_products_in_any_order_are_equal)
{
    expect_equal(EXACT_FOLDER, "kernels.cu", "reference.cu",
                 "blockSum<<<(n + 255) / 256, 256>>>(in float x[n], "
                 "out float y[(n + 255) / 256], n, 0);"
                 "finalSum<<<1, 4>>>(y, out float total[1], (n + 255) / 256, 0);"
                 "warpSum<<<(n + 255) / 256, 256>>>(x, out float w[8 * ((n + 255) / 256)], n, 0);"
                 "atomicSum<<<(n + 127) / 128, 64>>>(x, zeros float s[1], zeros double d[1], n, 0);"
                 "scan<<<(n + 255) / 256, 256>>>(x, out float p[n], n, 0);"
                 "softmax<<<(n + 31) / 32, 32>>>(x, out float q[n], n)",
                 "--size 1,31,1000");
    expect_equal(EXACT_FOLDER, "kernels.cu", "reference.cu",
                 "dot<<<1, 64>>>(in float x[n], in float y[n], out float t[1], n, 0);"
                 "gemm<<<dim3(3, 3), dim3(8, 8)>>>(in float a[20][n], in float b[n][24],"
                 "                                 out float c[20][24], n, 0);"
                 "variance<<<1, 64>>>(x, out float v[3], n, 0);"
                 "volatileSum<<<1, 64>>>(x, out float u[1], n, 0)",
                 "--size 1,31,100");
    expect_equal(EXACT_FOLDER, "kernels.cu", "reference.cu",
                 "doubles<<<n / 32 + 1, 32>>>(in double x[n], out double y[32 * (n / 32 + 1)],"
                 "                            out float z[32 * (n / 32 + 1)], n);"
                 "constants<<<1, 1>>>(out double c[2], out float d[3], n + 1)",
                 "--size 0,1,31,100");
}

TEST(examples_are_equal)
{
    char launch[2048];

    snprintf(launch, sizeof launch,
             "%s reduceInterleavedCorrected<float><<<(n + B - 1) / B, B>>>"
             "(a, out float ya[(n + B - 1) / B], n);"
             "copyOf<<<(n + B - 1) / B, B>>>(x, scratch float b[n], n);"
             "recursiveReduceCorrected<<<1, 1>>>(b, out float yb[1], n);"
             "reduceSharedDivergentCorrected<<<(n + B - 1) / B, B>>>"
             "(x, out float yc[(n + B - 1) / B], n);"
             "reduceSharedLessDivergentCorrected<<<(n + B - 1) / B, B>>>"
             "(x, out float yd[(n + B - 1) / B], n);"
             "stencil<<<(n + 127) / 128, 128>>>(x, out float ye[n], n)",
             copy);
    expect_equal(EXACT_FOLDER, "examples.cu", "examples_reference.cu", launch,
                 "--size 1,31,1000 --block 32,96");
    snprintf(launch, sizeof launch,
             "%s reduceCompleteUnrollWarps8Corrected<float, barrierTailCorrected>"
             "<<<(n + 8 * B - 1) / (8 * B), B>>>(a, out float ya[(n + 8 * B - 1) / (8 * B)], n);"
             "copyOf<<<(n + B - 1) / B, B>>>(x, scratch float b[n], n);"
             "reduceCompleteUnrollWarps8Corrected<float, syncwarpTailCorrected>"
             "<<<(n + 8 * B - 1) / (8 * B), B>>>(b, out float yb[(n + 8 * B - 1) / (8 * B)], n);"
             "sumMatrixCorrected<float><<<dim3(n / 32 + 1, 2), dim3(32, 4)>>>"
             "(x, x, out float c[n], n, 1)",
             copy);
    expect_equal(EXACT_FOLDER, "examples.cu", "examples_reference.cu", launch,
                 "--size 1,31,2100 --block 32,96");
    snprintf(launch, sizeof launch,
             "%s reduceCompleteUnrollWarps8Float<<<n / (8 * B), B>>>(a, out float y[n / (8 * B)], "
             "n);"
             "reduceSharedDivergent<<<n / B, B>>>(x, out float z[n / B]);"
             "reduceSharedLessDivergent<<<n / B, B>>>(x, out float w[n / B])",
             copy);
    expect_run(
        0, "  PASS  in bounds, initialized, as the reference\n",
        "check %s/examples.cu '%s' --against %s/examples_reference.cu --floats exact "
        "--compiler %s --only run --model lockstep --size 2048 --block 64,256 -- -I%s -I%s/include",
        EXACT_FOLDER, launch, EXACT_FOLDER, compiler, EXACT_ROOT, EXACT_ROOT);
}

/* Float atomics depend on the order, except in exact arithmetic. */
TEST(atomic_sums_depend_on_the_order_of_real_floats_only)
{
    static const char launch[] =
        "atomicSum<<<(n + 127) / 128, 64>>>(in float x[n], zeros float s[1], zeros double d[1],"
        "                                   n, 0)";

    expect_run(1, "error: order-dependent result",
               "check %s/kernels.cu '%s' --size 300 --compiler %s", EXACT_FOLDER, launch, compiler);
    expect_run(0,
               "atomicSum  PASS  in bounds, initialized, race-free, deterministic\n|"
               "no GPU takes part|!order-dependent",
               "check %s/kernels.cu '%s' --size 300 --compiler %s --floats exact --verbose",
               EXACT_FOLDER, launch, compiler);
}

/* ---- Wrong terms ---- */

/* The first and the last bug of each kernel. */
static const struct seeded {
    const char *kernel, *launch;
    int first, last;
} seeded[] = {
    {"blockSum", "<<<(n + 255) / 256, 256>>>(in float x[n], out float y[(n + 255) / 256], n, %d)",
     1, 4},
    {"finalSum", "<<<1, 4>>>(in float y[(n + 255) / 256], out float t[1], (n + 255) / 256, %d)", 5,
     6},
    {"warpSum",
     "<<<(n + 255) / 256, 256>>>(in float x[n], out float y[8 * ((n + 255) / 256)], n, %d)", 7, 8},
    {"atomicSum",
     "<<<(n + 127) / 128, 64>>>(in float x[n], zeros float s[1], zeros double d[1], n, %d)", 9, 10},
    {"dot", "<<<1, 64>>>(in float x[n], in float y[n], out float t[1], n, %d)", 11, 11},
    {"gemm",
     "<<<dim3(3, 3), dim3(8, 8)>>>(in float a[20][n], in float b[n][24], out float c[20][24], n, "
     "%d)",
     12, 16},
    {"variance", "<<<1, 64>>>(in float x[n], out float v[3], n, %d)", 17, 18},
    {"volatileSum", "<<<1, 64>>>(in float x[n], out float t[1], n, %d)", 19, 19},
    {"scan", "<<<(n + 255) / 256, 256>>>(in float x[n], out float y[n], n, %d)", 20, 20},
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* Checks a kernel with one bug in one case, which has one set of values. */
static void expect_found(const struct seeded *from, int bug)
{
    char launch[512], case_id[128];
    int length = snprintf(case_id, sizeof case_id,
                          "2:sim:%s:corrected:lockstep:sequential:1:1500:hash-1", from->kernel);

    snprintf(case_id + length, sizeof case_id - (size_t)length, ":%08x",
             case_id_checksum(case_id, (size_t)length));
    snprintf(launch, sizeof launch, from->launch, bug);
    expect_run(1, "expected",
               "check %s/kernels.cu '%s%s' --against %s/reference.cu --floats exact "
               "--compiler %s --case %s",
               EXACT_FOLDER, from->kernel, launch, EXACT_FOLDER, compiler, case_id);
}
#pragma GCC diagnostic pop

TEST(each_wrong_term_is_found_with_one_set_of_values)
{
    for (size_t k = 0; k < sizeof seeded / sizeof *seeded; k++)
        for (int bug = seeded[k].first; bug <= seeded[k].last; bug++)
            expect_found(&seeded[k], bug);
}

/* ---- Refusals ---- */

TEST(what_cannot_be_expressed_is_refused)
{
    static const char *const says[] = {
        "inexpressible  PASS  in bounds, initialized\n",
        "a conversion of a float to an integer, which --floats exact cannot express|kernels.cu:",
        "rounding a float, which --floats exact cannot express, at ",
        "the bits of a float",
        "a computation with infinity or a float near it, which --floats exact cannot express, at ",
    };

    for (int what = 0; what <= 4; what++)
        expect_run(what > 0 ? 3 : 0, says[what],
                   "check %s/kernels.cu 'inexpressible<<<1, 1>>>(in float x[n], out float y[1], "
                   "%d)' --floats exact --compiler %s --only run --size 1",
                   EXACT_FOLDER, what, compiler);
}

TEST(options_that_do_not_fit_are_rejected)
{
    static const char launch[] = "volatileSum<<<1, 64>>>(in float x[n], out float t[1], n, 0)";
    static const char *const options[][2] = {
        {"--tolerance ulp:4", "leave out --tolerance"},
        {"--oracle x.c", "--against"},
        {"--engine cuda", "simulator only"},
    };

    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        expect_run(2, options[k][1], "check %s/kernels.cu '%s' --floats exact %s", EXACT_FOLDER,
                   launch, options[k][0]);
    expect_run(2, "needs a launch", "gate HEAD --floats exact");
}

TEST(replay_repeats_the_option)
{
    json_t *report = report_line(
        1,
        "check %s/kernels.cu 'volatileSum<<<1, 64>>>(in float x[n], out float t[1], n, 19)' "
        "--against %s/reference.cu --floats exact --compiler %s --only run --size 40",
        EXACT_FOLDER, EXACT_FOLDER, compiler);
    const char *command = report_text(json_at(report, "launches/0/findings/0"), "command");

    assert_non_null(strstr(command, " --floats exact --case 2:sim:volatileSum:"));
    json_decref(report);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    compiler = argv[1];
    return tests_run("exact", folder_make, folder_remove);
}
