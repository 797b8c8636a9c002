/* SPDX-License-Identifier: MIT
 *
 * `check` and `bisect` without a toolkit. A stand-in for nvcc returns handwritten PTX. The test has
 * its own copy of simtcheck, with a worker of the simulator.
 */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

/* y[i] = a * x[i] + y[i] for i < n, or for i <= n. */
static const char ptx[] =
    ".version 9.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry axpy(.param .u32 pn, .param .f32 pa, .param .u64 px, .param .u64 py)\n{\n"
    "    .reg .b32 i, b, t, n; .reg .f32 a, x, y; .reg .b64 px_, py_, o; .reg .pred p;\n"
    "    ld.param.u32 n, [pn]; ld.param.f32 a, [pa]; ld.param.u64 px_, [px];\n"
    "    ld.param.u64 py_, [py]; cvta.to.global.u64 px_, px_; cvta.to.global.u64 py_, py_;\n"
    "    mov.u32 i, %ctaid.x; mov.u32 b, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 i, i, b, t;\n"
    "    setp.COMPARE.u32 p, i, n; @p bra end;\n"
    "    mul.wide.u32 o, i, 4; add.u64 px_, px_, o; add.u64 py_, py_, o;\n"
    "    ld.global.f32 x, [px_]; ld.global.f32 y, [py_]; fma.rn.f32 y, a, x, y;\n"
    "    st.global.f32 [py_], y;\nend:\n    ret;\n}\n"
    ".visible .global .align 8 .u64 simt_entry_launch0_0 = axpy;\n";

/* Makes an nvcc whose axpy skips the element if the comparison holds: "ge" is right, "gt" is wrong.
 */
static const char *nvcc_that(const char *compares)
{
    char text[4096];

    snprintf(text, sizeof text,
             "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; fi\n"
             "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && ptx=$2; shift; done\n"
             "sed 's/COMPARE/%s/' > \"$ptx\" <<'PTX'\n%sPTX\n",
             compares, ptx);
    return script_make("nvcc", text);
}

static int set_up(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    return folder_make(state);
}

static const char launch[] = "axpy<<<(n + 31) / 32, 32>>>(n, 2, in float x[n], inout float y[n])";

/* Runs the command and returns its output, which must contain `says`. The caller frees it. */
static char *run(const char *const arguments[], int status, const char *says)
{
    struct ended ended = program_run(arguments);

    if (ended.status != status || strstr(ended.output, says) == NULL)
        fail_msg("exit status %d, and not %d and '%s': %s", ended.status, status, says,
                 ended.output);
    return ended.output;
}

TEST(correct_kernel_passes)
{
    const char *source = script_make("axpy.cu", "");
    char path[128];

    snprintf(path, sizeof path, "%s", source);
    expect_run(0, "deterministic",
               "%s check %s '%s' --size 0,1,33 --nvcc '%s' -- -DX -arch=compute_90",
               SIMTCHECK_SAMPLE, path, launch, nvcc_that("ge"));
}

TEST(wrong_kernel_fails_and_replays)
{
    char path[128], *said, *case_id;

    snprintf(path, sizeof path, "%s", script_make("axpy.cu", ""));
    said = run((const char *const[]){SIMTCHECK_SAMPLE, "check", path, launch, "--size", "33",
                                     "--nvcc", nvcc_that("gt"), NULL},
               1, "outside its 33 elements");
    assert_null(strstr(said, "deterministic"));
    case_id = strstr(said, "--case ");
    assert_non_null(case_id);
    case_id += strlen("--case ");
    case_id[strcspn(case_id, " \n")] = '\0';
    expect_run(1, "outside its 33 elements", "%s check %s '%s' --case '%s' --nvcc '%s'",
               SIMTCHECK_SAMPLE, path, launch, case_id, nvcc_that("gt"));
    expect_run(0, "PASS  in bounds, initialized\n", "%s check %s '%s' --case '%s' --nvcc '%s'",
               SIMTCHECK_SAMPLE, path, launch, case_id, nvcc_that("ge"));
    expect_run(2, "", "%s check %s '%s' --case 2:sim:k --nvcc '%s'", SIMTCHECK_SAMPLE, path, launch,
               nvcc_that("ge"));
    free(said);
}

TEST(launch_that_does_not_match_is_rejected)
{
    static const struct {
        const char *launch, *says;
    } bad[] = {
        {"axpy<<<1, 32>>(n)", "column 8 of the launch"},
        {"axpy<<<1, 32>>>(n)", "axpy takes 4 arguments, but the launch passes 1"},
        {"axpy<<<1, 32>>>(in int n[1], 2, in float x[n], in float y[n])", "argument 1 of axpy"},
        {"axpy<<<1, 32>>>(n, {float 1, int 2}, in float x[n], in float y[n])",
         "a struct of another size"},
    };
    char path[128];

    snprintf(path, sizeof path, "%s", script_make("axpy.cu", ""));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        expect_run(2, bad[k].says, "%s check %s '%s' --size 1 --nvcc '%s'", SIMTCHECK_SAMPLE, path,
                   bad[k].launch, nvcc_that("ge"));
    expect_run(2, "cannot read '/nowhere/k.cu'", "%s check /nowhere/k.cu '%s' --size 1 --nvcc '%s'",
               SIMTCHECK_SAMPLE, launch, nvcc_that("ge"));
    expect_run(2, "is not nvcc", "%s check %s '%s' --size 1 --nvcc /bin/echo", SIMTCHECK_SAMPLE,
               path, launch);
    expect_run(2, "axpy is never launched", "%s check %s '%s' --size 0 --nvcc '%s'",
               SIMTCHECK_SAMPLE, path, launch, nvcc_that("ge"));
    expect_run(2, "a launch is missing", "%s check %s", SIMTCHECK_SAMPLE, path);
}

/* A single part and a single engine run alone. The output names nothing that was neither tested nor
 * available. */
TEST(single_part_runs_alone)
{
    static const struct {
        const char *option, *value, *option2, *value2;
        int status;
        const char *says, *says_not;
    } parts[] = {
        {"--only", "run", "--engine", "sim", 0, "PASS  in bounds, initialized\n", "race-free"},
        {"--only", "races", "--engine", "sim", 0, "PASS  race-free\n", "initialized"},
        {"--only", "determinism", "--engine", "sim", 0, "PASS  deterministic\n", "race-free"},
        {"--only", "races", "--only", "determinism", 0, "PASS  race-free, deterministic\n",
         "initialized"},
        {"--only", "races", "--engine", "cuda", 2, "--only races needs the simulator", "race-"},
        {"--only", "bytes", "--engine", "sim", 2, "run, races or determinism", "in bounds"},
        {"--only", "run", "--engine", "cuda", 77, "engine cuda is not available", "in bounds"},
        {"--only", "run", "--engine", "cuda-stress", 2, "choose sim or cuda", "race-"},
    };
    static const char *const kinds[] = {"run", "races", "determinism"};
    char path[128], *said;

    snprintf(path, sizeof path, "%s", script_make("axpy.cu", ""));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        said = run((const char *const[]){SIMTCHECK_SAMPLE, "check", path, launch, "--size", "33",
                                         "--nvcc", nvcc_that("ge"), parts[k].option, parts[k].value,
                                         parts[k].option2, parts[k].value2, NULL},
                   parts[k].status, parts[k].says);
        assert_null(strstr(said, parts[k].says_not));
        free(said);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        expect_run(2, "axpy is never launched", "%s check %s '%s' --size 0 --nvcc '%s' --only '%s'",
                   SIMTCHECK_SAMPLE, path, launch, nvcc_that("ge"), kinds[k]);
}

/* A program, and a case whose assembler stage needs a GPU. */
#if HAVE_TOOLS
TEST(bisect_without_a_wrong_stage_reports_no_cause)
{
    const char *ptxas =
        script_make("ptxas", "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; fi\nexit 1\n");

    expect_run(77, "none compiled wrong", "%s bisect 'p: input_b32 0; not_b32 0;' --ptxas '%s'",
               SIMTCHECK_SAMPLE, ptxas);
    expect_run(2, "knot_b32", "%s bisect 'p: input_b32 0; knot_b32 0;' --ptxas '%s'",
               SIMTCHECK_SAMPLE, ptxas);
    free(run(
        (const char *const[]){SIMTCHECK_SAMPLE, "bisect", "2:sim:nobody", "--ptxas", ptxas, NULL},
        2, ""));
}
#endif

TEST_MAIN("check, by a sample", set_up, folder_remove)
