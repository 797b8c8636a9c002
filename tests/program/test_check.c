/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check`: kernels of a user's file, by one launch line each.
 *
 * Arguments:
 * 1. the engine: cuda to include a GPU
 * 2. an nvcc, or "clang"
 * 3. I/N, for the Ith of N parts of the checks; each check waits for that compiler
 */
#include "check.h"

#include <sys/personality.h>

static const char *compiler, *option_of_compiler; /* --nvcc PATH or --compiler clang */
static bool by_clang;
static bool on_gpu;
static struct test_part part;
static unsigned int turn;

/* Runs `check`. Fails unless the output contains `says`. `option` is one more option, or null. */
static void check_with(const char *option, const char *launch, const char *sizes, int status,
                       const char *says)
{
    const char *const arguments[] = {SIMTCHECK, "check", CHECK_FILE,         launch,
                                     "--size",  sizes,   option_of_compiler, compiler,
                                     option,    NULL};
    struct ended ended;

    if (!test_part_has(part, turn++))
        return;
    ended = program_run(arguments);
    if (on_gpu && status == 0 && strstr(ended.output, ", simulator and GPU, ") == NULL)
        fail_msg("%s: no GPU: %s", launch, ended.output);
    expect_ended(ended, status, says);
}

static void check(const char *launch, const char *sizes, int status, const char *says)
{
    check_with(NULL, launch, sizes, status, says);
}

/* Fails unless the value at a path of the JSON contains `says`. */
static void check_json(const char *option, const char *launch, const char *sizes, int status,
                       const char *path, const char *says)
{
    json_t *report;
    char *value;

    if (!test_part_has(part, turn++))
        return;
    report = report_line(status, "check %s '%s' --size %s %s '%s' %s", CHECK_FILE, launch, sizes,
                         option_of_compiler, compiler, option);
    assert_non_null(report);
    value = json_dumps(json_at(report, path), JSON_ENCODE_ANY);
    if (value == NULL || strstr(value, says) == NULL)
        fail_msg("%s is '%s', without '%s'", path, value != NULL ? value : "(none)", says);
    free(value);
    json_decref(report);
}

TEST(correct_kernels_pass)
{
    check("axpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])", "0,1,31,1000",
          0, "deterministic");
    check("sum<int, 128><<<(n + 127) / 128, 128>>>(in int in[n], out int out[(n + 127) / 128], n)",
          "1,127,300", 0, "deterministic");
    check_with("--verbose", "axpy<<<1, 32>>>(n, 2.0f, in float x[n], inout float y[n])", "31", 0,
               " 1 (2) -      race-free"); /* one run covers every schedule */
    check_with("--verbose", "countsEven<<<1, 64>>>(in int in[64], zeros int count[1])", "1", 0,
               "same   race-free"); /* searched: atomic accesses leave orders open */
    check("sum<double, 32><<<(n + 31) / 32, 32>>>(in double in[n], out double out[(n + 31) / 32], "
          "n)",
          "1,33", 0, "race-free");
    check("types<<<1, 64>>>(in half a[n], in uchar4 b[n], out double c[n], out long long d[n], "
          "true, 0.5, n)",
          "1,33,64", 0, "race-free");
}

/* The blocks of this grid wait for each other. */
TEST(blocks_can_wait_for_each_other)
{
    if (on_gpu)
        skip();
    check("cooperative sumOfBlocks<<<n, 64>>>(in int in[n], out int out[n], 1)", "1,2,9", 0,
          "deterministic");
    check("waitsForAll<<<17, 32>>>(zeros int flags[17], out int out[17])", "1", 0, "race-free");
    check("sumOfBlocks<<<n, 64>>>(in int in[n], out int out[n], 0)", "9", 1,
          "nothing orders the two blocks");
    check("sumOfBlocks<<<n, 64>>>(in int in[n], out int out[n], 1)", "9", 1,
          "or 'cooperative' before the kernel");
    check("cooperative sumOfBlocks<<<4225, 64>>>(in int in[4225], out int out[4225], 1)", "1", 1,
          "too many blocks in cooperative launch: 4225, of which at most 4224 fit");
    check("cooperative sumOfBlocks<<<4, 64, 0, s>>>(in int in[4], out int out[4], 1); cooperative "
          "sumOfBlocks<<<7, 64, 0, t>>>(in int a[7], out int b[7], 1)",
          "1", 0, "deterministic");
}

/* Runs many schedules, because the blocks that yield are random. Memory always has the same layout,
 * so a write past a queue hits unmapped memory. */
TEST(blocks_alternate_at_barriers)
{
    const char *const arguments[] = {SIMTCHECK,
                                     "check",
                                     CHECK_FILE,
                                     "twoStages<<<4, 64>>>(in int in[1024], out int out[1024], 8)",
                                     "--schedules",
                                     "100",
                                     "--size",
                                     "1",
                                     "--engine",
                                     "sim",
                                     option_of_compiler,
                                     compiler,
                                     NULL};
    struct ended ended;

    if (on_gpu || !test_part_has(part, turn++))
        return;
    personality(ADDR_NO_RANDOMIZE);
    ended = program_run(arguments);
    if (ended.status != 0 || strstr(ended.output, "deterministic") == NULL ||
        strstr(ended.output, " lost") != NULL)
        fail_msg("exit status %d: %s", ended.status, ended.output);
    free(ended.output);
}

TEST(grid_barriers_order_all_threads)
{
    check("hands<<<1, 256>>>(out int out[256], 300, 0)", "1", 0, "race-free");
    if (!on_gpu)
        check("hands<<<1, 256>>>(out int out[256], 3, 1)", "1", 1, "data race");
}

TEST(unsupported_kernel_is_named)
{
    check("isOfBlackwell<<<1, 64>>>(out float out[64])", "1", 2, "`tcgen05.fence");
}

TEST(structs_have_the_c_layout)
{
    check("scaled<<<(n + 63) / 64, 64>>>({int n, float 0.5f, double 1.25, short 1}, in float x[n], "
          "out float y[n], n)",
          "33,100", 0, "deterministic");
    check("scaled<<<(n + 63) / 64, 64>>>({int n, float 0.5f, double 1.25, short 2}, in float x[n], "
          "out float y[n], n)",
          "33", 1, "does not write y[1]");
    check("scaled<<<(n + 63) / 64, 64>>>({int n + 1, float 0.5f, double 1.25, short 1}, in float "
          "x[n - 1], out float y[n], n)",
          "33", 1, "outside its 32 elements");
    check(
        "scaledColumns<<<(n + 63) / 64, 64>>>({int n, in float x[n], double 0.5, out float y[n]})",
        "1,100", 0, "deterministic");
    check("scaledColumns<<<1, 64>>>({int n, in float x[n - 1], double 0.5, out float y[n]})", "33",
          1, "at x[32], outside its 32 elements");
    check("scaled<<<1, 64>>>({int n, float 0.5f}, in float x[n], out float y[n], n)", "33", 2,
          "argument 1 of scaled has 24 bytes, but the launch passes a struct of another size");
}

/* Index arrays: values in range, each value once, or row offsets. */
TEST(index_arrays_hold_valid_indices)
{
    check("scatter<<<(n + 63) / 64, 64>>>(in int to[n] = permutation, out int out[n], n)",
          "1,33,200", 0, "deterministic");
    check("scatter<<<(n + 63) / 64, 64>>>(in int to[n] = uniform(0, n), zeros int out[n], n)",
          "200", 1, "data race");
    check("scatter<<<(n + 63) / 64, 64>>>(in int to[n] = uniform(0, n + 1), zeros int out[n], n)",
          "33", 1, "error: out-of-bounds write\n");
    check(
        "rows<<<(n + 63) / 64, 64>>>(in int first[n + 1] = offsets(5 * n), in int column[5 * n] = "
        "uniform(0, n), in float value[5 * n], in float x[n], out float y[n], n)",
        "1,33,100", 0, "deterministic");
}

TEST(each_defect_is_reported_with_its_line)
{
    check("axpyPastTheEnd<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])",
          "31,1000", 1,
          "program/check.cu:28: error: out-of-bounds read\n|thread 31 of block 0 reads 4 bytes at "
          "x[31], outside its 31 elements");
    check("writesAllButOne<<<1, 64>>>(n, out int out[n])", "33", 1,
          "program/check.cu:31: error: unwritten output\n|does not write out[5]");
    check("mirror<<<1, n, 4 * n>>>(in int in[n], out int out[n])", "64", 1, "program/check.cu:60");
    check("mirror<<<1, n, 4 * n>>>(in int in[n], out int out[n])", "64", 1, "data race");
    check("mirror<<<1, n, 4 * n>>>(in int in[n], out int out[n])", "64", 1,
          "program/check.cu:60: error: data race on element |\n   59 |     "
          "copy[threadIdx.x] = in[threadIdx.x];\n|\nmirror  FAIL  1 data race\n");
    check(
        "addsAndStores<<<1, 64>>>(inout int out[1])", "1", 1,
        "program/check.cu:135: error: data race on out[0]\n|\naddsAndStores  FAIL  1 data race\n");
    check("addsAndStores<<<1, 64>>>(inout int out[1])", "1", 1,
          "   note: it explains this order-dependent result: out[0] is |, sequential, and ");
    check("barrierForSome<<<1, n>>>(n, out int out[n])", "64", 1,
          "note: warps of a block wait at different barriers");
    check_with("--strict-barriers", "barrierForSome<<<1, n>>>(n, out int out[n])", "64", 1,
               ": error: divergent barrier\n");
    check("addsInAnyOrder<<<(n + 63) / 64, 64>>>(in float in[n], zeros float out[1], n)", "200", 1,
          "program/check.cu:73: error: order-dependent result\n|     out[0] is | under schedule "
          "sequential\n");
    check("sumOfLanes<<<1, n>>>(in int in[n], out int out[1])", "20", 1,
          "the value stored in out[0] depends on a shuffle from a lane that does not participate");
    check("sumOfLanes<<<1, n>>>(in int in[n], out int out[1])", "32", 0, "deterministic");
    if (!on_gpu) { /* it may wait forever */
        check("twoVotes<<<1, n>>>(in int in[n], out int out[n])", "32", 1,
              "and lane 16 at __all_sync() with the mask 0xffffffff on line 262");
        check("countsOrAsks<<<1, 64>>>(out int out[64])", "1", 1,
              "waits at a barrier while other warps of its block wait at ");
    }
    check("copiesAhead<<<1, 32>>>(in int in[64], out int out[32], 0)", "1", 0, "deterministic");
    check("copiesAhead<<<1, 32>>>(in int in[64], out int out[32], 1)", "1", 1,
          ": error: order-dependent result\n|     out[0] is | under schedule sequential\n");
    check("sumsOfHalf<<<1, 32>>>(in int in[32], out int out[1], 1)", "1", 0, "deterministic");
    check("sumsOfHalf<<<1, 32>>>(in int in[32], out int out[2], 2)", "1", 1,
          "the value stored in out[1] depends on a shuffle from a lane that does not participate");
    check("countsUnderALock<<<4, 256>>>(zeros int lock[1], zeros int out[1])", "1", 1, "data race");
    check("strayAtZero<<<1, n>>>(in int in[n], out int out[n], n)", "64", 1,
          "replay with --case 2:sim:strayAtZero:corrected:lockstep:sequential:1:64:zeros:");
}

/* Runs `check` without --size. Fails unless the output contains `says`. */
static void check_default_sizes(const char *launch, const char *says)
{
    const char *const arguments[] = {SIMTCHECK, "check", CHECK_FILE,         launch,
                                     "--only",  "run",   option_of_compiler, compiler,
                                     NULL};

    if (test_part_has(part, turn++))
        expect_ended(program_run(arguments), 1, says);
}

/* By default a launch with nx and ny gets matrices of several rows, and of several blocks a row. */
TEST(default_sizes_are_matrices)
{
    check_default_sizes(
        "negatesOneRow<<<(nx + 31) / 32, 32>>>(in int in[nx * ny], out int out[nx * ny], nx, ny)",
        "does not write out[");
    check_default_sizes("negatesOneBlock<<<dim3((nx + 255) / 256, ny), 256>>>(in int in[nx * ny], "
                        "out int out[nx * ny], nx)",
                        "does not write out[256]");
}

/* A launch sees what the previous one wrote, and nothing from other cases. */
TEST(consecutive_launches_pass)
{
    check("partSums<<<(n + 63) / 64, 64>>>(in int in[n], scratch int part[n], n);"
          "addParts<<<1, 1>>>(part, (n + 63) / 64, out int sum[1])",
          "0,1,33,200", 0, "deterministic");
    check("addParts<<<1, 1>>>(scratch int part[n], (n + 63) / 64, out int sum[1]);"
          "partSums<<<(n + 63) / 64, 64>>>(in int in[n], part, n)",
          "33", 1, "depends on part[0], which was never written");
    check("partSums<<<(n + 63) / 64, 64>>>(in int in[n], scratch int part[n], n);"
          "mirror<<<1, n, 4 * n>>>(in, out int sum[n])",
          "64", 1, "data race");
    check("counted<<<(n + 63) / 64, 64>>>(in int in[n], n); counted<<<1, 1>>>(in, n);"
          "tellCalls<<<1, 1>>>(out int out[1])",
          "1,33", 0, "deterministic");
}

/* A launch can set and check variables of the code by name. */
TEST(device_variables_have_the_requested_values)
{
    check("in int limits[2] = sorted(0, 100); out int total[1];"
          "counted<<<(n + 63) / 64, 64>>>(in int in[n] = uniform(0, 100), n)",
          "33", 1, "reads total, which was never written");
    check("in int limits[2] = sorted(0, 100); inout int total[1] = uniform(5, 9); inout int "
          "ns::calls[2]; counted<<<(n + 63) / 64, 64>>>(in int in[n] = uniform(0, 100), n)",
          "1,33,200", 0, "deterministic");
    check("in int limits[2] = sorted(-1, 0); zeros int total[1];"
          "countedBadly<<<(n + 63) / 64, 64>>>(in int in[n] = uniform(0, 100), n)",
          "200", 1, "data race on total\n");
    check(
        "in int limits[3]; counted<<<(n + 63) / 64, 64>>>(in int in[n], n)", "33", 2,
        "the launch gives limits 3 elements of 4 bytes, but the variable of the code has 8 bytes");
    check("in int limits[n]; counted<<<(n + 63) / 64, 64>>>(in int in[n], n)", "33", 1,
          "no variable limits of 132 bytes");
    check("in int limit[2]; counted<<<(n + 63) / 64, 64>>>(in int in[n], n)", "33", 2, "limit");
}

/* A race of equal writes is reported as such, and may be allowed. */
TEST(same_value_writes_can_be_allowed)
{
    static const char same[] = "marks<<<2, 64>>>(in int in[n], zeros int out[1], n, 7)",
                      other[] = "marks<<<2, 64>>>(in int in[n], zeros int out[1], n, 0)";

    check(
        same, "100", 1,
        " writes 7 over 0\n| writes 7 over 7\n|   note: --allow same-value:out accepts such races");
    check_with("--allow=same-value:out", same, "100", 0,
               "note: 1 data race accepted: --allow same-value:out");
    check_json("--allow=same-value:out", same, "100", 0,
               "launches/0/findings/0/evidence/0/race/same_value", "true");
    check_json("--allow=same-value:out", same, "100", 0, "launches/0/checks",
               "\"same-value race\"");
    check_with("--allow=same-value:out", other, "100", 1, "data race|!accepts such races");
}

/* A case is replayed with the same options. */
TEST(barrier_rules_can_be_stricter_or_looser)
{
    static const char early[] = "returnsEarly<<<1, 64>>>(out int out[n], n)",
                      apart[] = "warpsApart<<<1, 64>>>(out int out[64])";

    if (on_gpu)
        skip();
    check(early, "40", 0,
          "deterministic|note: lanes of a warp end at | while others of it wait at the barrier at |"
          "check.cu:419: PTX permits");
    check(early, "32", 0, "deterministic|!lanes of a warp end");
    check_with("--strict-barriers", early, "64", 0, "deterministic");
    check_with("--strict-barriers", early, "40", 1, "has returned before a barrier");
    check_json("--strict-barriers", early, "40", 1, "launches/0/findings/0/command",
               " --strict-barriers");
    check(apart, "1", 0,
          "deterministic|note: warps of a block wait at different barriers, at |"
          "check.cu:429 and at |check.cu:427: PTX permits");
    check_with("--strict-barriers", apart, "1", 1, "other warps of its block");
    check_with("--allow=warp-barriers:check.cu:427", apart, "1", 0,
               "deterministic|!different barriers");
}

TEST(dependence_on_the_active_mask_is_detected)
{
    if (on_gpu)
        skip();
    check("storesWhoIsActive<<<1, 64>>>(out unsigned int out[64])", "1", 1,
          "   note: CUDA does not define which lanes __activemask() returns at "
          "|program/check.cu:436\n");
}

/* A case ID names one case. Further options for nvcc follow "--". */
TEST(one_case_can_be_run_again)
{
    const char *const fails[] = {SIMTCHECK,
                                 "check",
                                 CHECK_FILE,
                                 "axpyPastTheEnd<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], "
                                 "inout float y[n])",
                                 "--size",
                                 "31",
                                 option_of_compiler,
                                 compiler,
                                 "--",
                                 "-DSCALE=3",
                                 NULL};
    const char *again[11];
    struct ended ended;
    char *case_id;

    if (!test_part_has(part, turn++))
        return;
    ended = program_run(fails);
    case_id = strstr(ended.output, "--case ");
    assert_non_null(case_id);
    case_id += strlen("--case ");
    case_id[strcspn(case_id, " \n")] = '\0';
    memcpy(again, fails, sizeof again);
    again[4] = "--case";
    again[5] = case_id;
    {
        struct ended second = program_run(again);
        expect_ended(second, 1, "reads 4 bytes at x[31]");
    }
    free(ended.output);
}

/* Makes a copy of the program whose GPU is the simulator. The file `starts` counts its starts.
 * `values` is a sed script that edits the cases on their way to the worker. Returns the copy's
 * path. */
static const char *play_gpu(const char *values)
{
    char text[1024];

    expect_run(0, "", "/bin/cp %s %s.data %s", SIMTCHECK, SIMTCHECK, folder);
    expect_run(0, "", "/bin/ln -s %s-worker-sim %s", SIMTCHECK, folder);
    snprintf(text, sizeof text,
             "echo start >>%s/starts\n"
             "sed -u -e 's/launch-cuda/launch/' -e '%s' |\n"
             "    '" SIMTCHECK "-worker-sim' \"$@\"\n",
             folder, values);
    script_make("simtcheck-worker-cuda", text);
    return in_folder("simtcheck");
}

static void check_on_played_gpu(const char *values, int status, const char *says)
{
    char *starts;

    if (on_gpu || by_clang || !test_part_has(part, turn++)) /* no GPU runs clang's code */
        return;
    assert_int_equal(folder_make(NULL), 0);
    expect_run(status, says, "%s check %s '%s' --size 33 %s %s --verbose", play_gpu(values),
               CHECK_FILE, "sum<int, 64><<<1, 64>>>(in int in[n], out int out[1], n)",
               option_of_compiler, compiler);
    starts = text_read(in_folder("starts"));
    assert_string_equal(starts, "start\n");
    free(starts);
    folder_remove(NULL);
}

/* A result of the GPU with other bits is reported, for any set of values. */
TEST(check_starts_the_gpu_once)
{
    check_on_played_gpu(
        "", 0,
        "in 1 case, with up to 6 sets of values, under every schedule tried, and on the GPU");
    check_on_played_gpu("s/^\\(1\\t1\\t1\\t1\\t33\\t1\\t[01]\\t0\\t\\)2\\t/\\10\\t/", 1,
                        "     the outputs of the engines cuda and sim differ\n|replay with --case "
                        "2:cuda:sumint64:corrected:lockstep:sequential:1:33:ones:");
}

/* A driver cannot load code that needs the device runtime. */
TEST(nested_launches_do_not_run_on_a_gpu)
{
    const char *played, *file;

    if (on_gpu || by_clang || !test_part_has(part, turn++)) /* clang has no nested launches */
        return;
    assert_int_equal(folder_make(NULL), 0);
    played = play_gpu("");
    file = text_write(in_folder("nested.cu"),
                      "__global__ void child(int *x) { x[threadIdx.x] = 1; }\n"
                      "__global__ void parent(int *x)\n{\n    child<<<1, 32>>>(x);\n}\n");
    expect_run(0, "parent  PASS  in bounds, initialized\n|, simulator, |!simulator and GPU",
               "%s check %s 'parent<<<1, 1>>>(out int x[32])' --size 1 --only run %s %s", played,
               file, option_of_compiler, compiler);
    expect_run(0,
               "engine cuda: skipped: |nested.cu:4 calls the device runtime, as for a nested "
               "launch, which simtcheck does not link|sim  |conforms|!cuda  ",
               "%s check %s 'parent<<<1, 1>>>(out int x[32])' --size 1 --only run --verbose %s %s",
               played, file, option_of_compiler, compiler);
    expect_run(77, "engine cuda is not available: |calls the device runtime",
               "%s check %s 'parent<<<1, 1>>>(out int x[32])' --size 1 --engine cuda %s %s", played,
               file, option_of_compiler, compiler);
    folder_remove(NULL);
}

TEST(invalid_launches_are_reported)
{
    check("axpy<<<1, 32>>(n, 2.0f, in float x[n], inout float y[n])", "1", 2, "column 8 of the");
    check("axpy<<<1, 32>>>(n, 2.0f, in float x[n])", "1", 2,
          "axpy takes 4 arguments, but the launch passes 3");
    check("axpy<<<1, 32>>>(in int n[n], 2.0f, in float x[n], inout float y[n])", "1", 2,
          "argument 1 of axpy has 4 bytes, but the launch passes an array");
    check("axpy<<<1, 32>>>(n, 2.0f, in double x[n], inout float y[n])", "1", 2,
          "argument 3 of axpy does not point to elements of 8 bytes, as the launch's array x has");
    check("axpy<<<1, 32>>>(n, 2.0f, in float x[n], n)", "1", 2,
          "argument 4 of axpy is a pointer, but the launch passes a number");
    check("axpy<<<1, 32>>>(n, 2.0f, in float4 x[n], inout float4 y[n])", "1", 0, "deterministic");
    check("nowhere<<<1, 32>>>()", "1", 2, "nowhere");
    check("sum<int><<<1, 32>>>(in int in[n], out int out[1], n)", "1", 2,
          by_clang ? "clang" : "nvcc");
}

/* An int of 5,000,000,000 would be cut to another number. -1 and 4294967295 are meant. */
TEST(numbers_that_do_not_fit_are_reported)
{
    static const char says[] = ", which does not fit in the 4 bytes of its type";

    check("axpy<<<1, 32>>>(n + 1099511627776, 2.0f, in float x[n], inout float y[n])", "31", 2,
          says);
    check("scaled<<<1, 64>>>({int n * n * n, float 0.5f, double 1.25, short 1}, in float x[n], "
          "out float y[n], n)",
          "1000000", 2, says);
    check("axpy<<<n - 40, 32>>>(n, 2.0f, in float x[n], inout float y[n])", "31", 2,
          "no size makes a valid launch: the grid is -9: it must be from 0 to ");
    check("axpy<<<n - 40, 32>>>(n, 2.0f, in float x[n], inout float y[n])", "31,41", 1,
          "error: launch error\n");
    check("marks<<<2, 64>>>(in int in[n], zeros int out[1], n, -1 - 1 + 2 + 4294967295)", "100", 1,
          "data race");
}

/* Code of the host does not run. */
TEST(kernel_that_needs_the_host_is_rejected)
{
    static const char *const texts[] = {
        "__global__ void k(int *y) { y[0] = f(); }\n",
        "__global__ void k(int *y) { y[0] = system(\"touch ran\"); }\n",
        "__device__ int v = f(); __global__ void k(int *y) { y[0] = v; }\n"};
    char text[256];

    assert_int_equal(folder_make(NULL), 0);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (!test_part_has(part, turn++))
            continue;
        snprintf(text, sizeof text, "#include <cstdlib>\nint f() { return 7; }\n%s", texts[k]);
        expect_run(2, "k.cu|error: |!PASS", "check %s 'k<<<1, 1>>>(out int y[1])' --size 1 %s %s",
                   text_write(in_folder("k.cu"), text), option_of_compiler, compiler);
    }
    folder_remove(NULL);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s ENGINE NVCC|clang I/N\n", argv[0]);
        return 2;
    }
    part = test_part_read(argv[3]);
    on_gpu = strcmp(argv[1], "cuda") == 0;
    compiler = argv[2];
    by_clang = strcmp(compiler, "clang") == 0;
    option_of_compiler = by_clang ? "--compiler" : "--nvcc";
    if (on_gpu && !engine_is_available("cuda"))
        return 77;
    if (!on_gpu)
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
    unsetenv("SIMTCHECK_REQUIRE");
    return tests_run("check", NULL, NULL);
}
