/* SPDX-License-Identifier: MIT
 *
 * `simtcheck soak`, with the simulator in place of a GPU, and the meaning of its results.
 */
#include "check.h"

#include "soak.h"

#include <stdlib.h>
#include <string.h>

static char *json_path;

static int set_up(void **state)
{
    setenv("SIMTCHECK_SOAK_DEVICE", "sim", 1);
    setenv("SIMTCHECK_SOAK_STEP", "300", 1);
    return folder_make(state) == 0 && asprintf(&json_path, "%s/soak.json", folder) > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    remove(json_path);
    free(json_path);
    return folder_remove(state);
}

TEST(right_results_on_every_sm_pass)
{
    json_t *json;

    expect_run(
        0, "of 74 instructions on 4 of 4 SMs; 606208 results compared|0 instructions wrong|PASS",
        "soak --quick --json %s", json_path);
    json = json_read(json_path);
    assert_string_equal(json_string_value(json_at(json, "mode")), "quick");
    assert_int_equal(json_integer_value(json_at(json, "status")), 0);
    assert_int_equal(json_array_size(json_at(json, "gpus/0/covered")), 4);
    assert_int_equal(json_integer_value(json_at(json, "gpus/0/covered/3/tuples")), 151552);
    json_decref(json);
}

/* The lowest bit of each result of tuple 7 is wrong on one SM. */
TEST(wrong_result_is_named_with_its_sm)
{
    json_t *json;

    setenv("SIMTCHECK_SOAK_WRONG", "2:add.u16", 1);
    expect_run(1,
               "WRONG: GPU 0 (SIM-0), SM 2: add.u16, 2 times|first: u16:8000000000000000 u16:0|"
               "word 0: expected 0000000000000000, computed 0000000000000001|FAIL|!SM 1",
               "soak --quick --json %s", json_path);
    json = json_read(json_path);
    assert_int_equal(json_integer_value(json_at(json, "status")), 1);
    assert_int_equal(json_array_size(json_at(json, "gpus/0/wrong")), 1);
    assert_int_equal(json_integer_value(json_at(json, "gpus/0/wrong/0/sm")), 2);
    json_decref(json);
    setenv("SIMTCHECK_SOAK_WRONG", "0:mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", 1);
    expect_run(1, "SM 0: mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16, 4 times|first: lane 7:",
               "soak --quick");
    setenv("SIMTCHECK_SOAK_WRONG", "0:no.such", 1);
    expect_run(3, "SIMTCHECK_SOAK_WRONG names no instruction that would run", "soak --quick");
    unsetenv("SIMTCHECK_SOAK_WRONG");
}

/* The wrong SM is one of those whose results are expected from all SMs. It has one vote of three.
 */
TEST(wrong_approximation_is_that_of_its_sm)
{
    setenv("SIMTCHECK_SOAK_STEP", "300+6", 1);
    setenv("SIMTCHECK_SOAK_WRONG", "0:sin.approx.f32", 1);
    expect_run(1, "1 instructions wrong|SM 0: sin.approx.f32, 2 times|!SM 1", "soak --quick");
    setenv("SIMTCHECK_SOAK_STEP", "300", 1);
    setenv("SIMTCHECK_SOAK_DEVICE", "sim:10.0", 1);
    setenv("SIMTCHECK_SOAK_WRONG", "0:mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", 1);
    expect_run(1, "1 instructions wrong|SM 0: mma.sync.aligned.m8n8k4.row.row.f16|!SM 1",
               "soak --quick");
    setenv("SIMTCHECK_SOAK_DEVICE", "sim", 1);
    unsetenv("SIMTCHECK_SOAK_WRONG");
}

TEST(pass_says_what_it_does_not_include)
{
    json_t *json;

    setenv("SIMTCHECK_SOAK_DEVICE", "sim:10.0", 1);
    expect_run(0,
               "skipped: wgmma instructions: only compute capability 9.0 has them|"
               "not included: wgmma instructions, other instructions",
               "soak --quick --json %s", json_path);
    setenv("SIMTCHECK_SOAK_DEVICE", "sim", 1);
    json = json_read(json_path);
    assert_int_equal(json_array_size(json_at(json, "gpus/0/skipped")), 2);
    assert_non_null(
        strstr(json_string_value(json_at(json, "gpus/0/skipped/0/instructions/0")), "wgmma"));
    json_decref(json);
}

/* ---- Failures of a GPU ---- */

TEST(each_unit_has_a_process_and_results)
{
    setenv("CUDA_VISIBLE_DEVICES", "SIM-a,SIM-b", 1);
    expect_run(0, "GPU 0: the simulator, SIM-a|GPU 1: the simulator, SIM-b|PASS", "soak --quick");
    unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(failure_in_a_round_is_one_of_the_gpu)
{
    json_t *json;

    setenv("SIMTCHECK_SOAK_WRONG", "error", 1);
    expect_run(1,
               "FAILED: GPU 0 (SIM-0): a kernel failed: planted, in module 1 of|"
               "(arithmetic instructions: add.u16)|FAIL: a GPU failed",
               "soak --quick --json %s", json_path);
    unsetenv("SIMTCHECK_SOAK_WRONG");
    json = json_read(json_path);
    assert_true(json_is_true(json_at(json, "gpus/0/failed")));
    assert_int_equal(json_integer_value(json_at(json, "status")), 1);
    json_decref(json);
}

TEST(gpu_that_hangs_is_named)
{
    setenv("SIMTCHECK_SOAK_WRONG", "hang", 1);
    setenv("SIMTCHECK_SOAK_PATIENCE", "5", 1);
    expect_run(1, "FAILED: GPU 0 (SIM-0): the GPU does not answer|FAIL: a GPU failed",
               "soak --quick");
    unsetenv("SIMTCHECK_SOAK_PATIENCE");
    unsetenv("SIMTCHECK_SOAK_WRONG");
}

/* An illegal instruction is a failure of the GPU. Too little memory is not. */
TEST(errors_of_the_driver_are_told_apart)
{
    setenv("LD_LIBRARY_PATH", FAKE_GPU, 1);
    unsetenv("SIMTCHECK_SOAK_DEVICE");
    setenv("FAKE_GPU_ERROR", "715", 1);
    expect_run(
        1,
        "GPU 0: Fake MIG 1g, MIG-00000000-0000-0000-0000-000000000061|"
        "FAILED: GPU 1 (MIG-00000000-0000-0000-0000-000000000062): a kernel failed: as asked "
        "for (CUDA error 715), in module 1 of",
        "soak --quick");
    setenv("FAKE_GPU_ERROR", "2", 1);
    expect_run(3, "not checked to the end: a kernel failed: as asked for (CUDA error 2)|!FAIL",
               "soak --quick");
    setenv("CUDA_VISIBLE_DEVICES", "MIG-b", 1);
    expect_run(3, "GPU 0: Fake MIG 1g, MIG-00000000-0000-0000-0000-000000000062|!GPU 1",
               "soak --quick");
    setenv("SIMTCHECK_SOAK_DEVICE", "sim", 1);
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(signal_ends_the_run_with_its_results)
{
    json_t *json;

    expect_run(3, "interrupted by a signal|NOT CHECKED",
               "/usr/bin/timeout --preserve-status --signal TERM 4 %s soak --json %s",
               simtcheck_program(), json_path);
    json = json_read(json_path);
    assert_int_equal(json_integer_value(json_at(json, "status")), 3);
    json_decref(json);
}

TEST(without_gpu_nothing_is_checked)
{
    unsetenv("SIMTCHECK_SOAK_DEVICE");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    expect_run(3, "NOT CHECKED|!PASS", "soak --quick");
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("SIMTCHECK_SOAK_DEVICE", "sim", 1);
    expect_run(2, "--minutes", "soak --minutes no");
}

/* ---- What results mean ---- */

static struct soak_sm_record sms[] = {{0, 10, 100}, {2, 10, 100}};
static struct soak_wrong_record wrong[] = {{2, "add.u16", 1, "", 0, "", ""}};

static int status_of(struct soak_gpu_record one, struct soak_gpu_record other)
{
    struct soak_gpu_record both[] = {one, other};
    const struct soak_record record = {.gpus = {both, 2}};

    return soak_status(&record);
}

TEST(a_pass_needs_every_instruction_on_every_sm)
{
    const struct soak_gpu_record good = {
        .sms = 2, .instructions = 10, .rounds = 1, .covered = {sms, 2}};
    struct soak_gpu_record bad = good;

    assert_int_equal(status_of(good, good), 0);
    bad.sms = 3;
    assert_int_equal(status_of(good, bad), 3);
    bad.sms = 2;
    bad.instructions = 11;
    assert_int_equal(status_of(bad, good), 3);
    bad.instructions = 10;
    bad.error = "no memory";
    assert_int_equal(status_of(good, bad), 3);
    bad.failed = true;
    assert_int_equal(status_of(good, bad), 1);
    bad.failed = false;
    bad.wrong = (struct list){wrong, 1};
    assert_int_equal(status_of(bad, good), 1);
    assert_int_equal(soak_status(&(struct soak_record){.error = "no GPU"}), 3);
    assert_int_equal(soak_status(&(struct soak_record){.error = NULL}), 3);
    assert_int_equal(status_of(good, (struct soak_gpu_record){.sms = 0}), 3);
}

TEST_MAIN("soak", set_up, tear_down)
