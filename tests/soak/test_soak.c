/* SPDX-License-Identifier: MIT
 *
 * `simtcheck soak`, with the simulator in place of a GPU, and the meaning of its results.
 */
#include "check.h"

#include "soak.h"

#include <stdlib.h>

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
    unsetenv("SIMTCHECK_SOAK_WRONG");
}

TEST(without_gpu_nothing_is_checked)
{
    unsetenv("SIMTCHECK_SOAK_DEVICE");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    expect_run(3, "NOT CHECKED|!PASS", "soak --quick");
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
    bad.wrong = (struct list){wrong, 1};
    assert_int_equal(status_of(bad, good), 1);
    assert_int_equal(soak_status(&(struct soak_record){.error = "no GPU"}), 3);
    assert_int_equal(soak_status(&(struct soak_record){.error = NULL}), 3);
    assert_int_equal(status_of(good, (struct soak_gpu_record){.sms = 0}), 3);
}

TEST_MAIN("soak", set_up, tear_down)
