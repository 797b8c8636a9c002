/* SPDX-License-Identifier: MIT
 *
 * `simtcheck bisect` with compilers that fail on purpose. Arguments: an nvcc, and "cuda" to test
 * what the GPU runs.
 */
#include "check.h"

#include "case_id.h"
#include "catalogue.h"
#include "engines.h"
#include "supervisor.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *nvcc;
static bool on_gpu;

static int set_up(void **state)
{
    return folder_make(state);
}

/* Returns the case of 1024 elements with values from a hash, in blocks of 64. */
static const char *case_id_of(const char *id, enum variant_kind kind)
{
    static char case_id[CASE_ID_SIZE];
    const struct test_case test = {.variant = catalogue_find(&simtcheck_catalogue, id, kind),
                                   .shape = {{64, 1, 1}, {1024, 1}, 0, 0, {0, 0}},
                                   .values = {VALUES_HASH, 5},
                                   .model = MODEL_INDEPENDENT};

    assert_non_null(test.variant);
    case_id_format(&test, &engine_kinds[ENGINE_SIM], case_id);
    return case_id;
}

/* Runs `bisect` on the case. Fails unless the output contains `says`. */
static void bisect(const char *case_id, const char *option, const char *path, int status,
                   const char *says)
{
    expect_run(status, says, "bisect '%s' %s %s", case_id, option, path);
}

TEST(bisect_reports_no_cause_if_every_stage_is_right)
{
    bisect(case_id_of("reduceNeighbored", VARIANT_CORRECTED), "", "", on_gpu ? 0 : 77,
           "right in every stage that ran");
}

TEST(race_is_not_reported_as_miscompilation)
{
    bisect(case_id_of("reduceInterleaved2", VARIANT_ORIGINAL), "", "", 1,
           "cause: the source: it races");
}

/* The front end turns additions into subtractions. */
TEST(wrong_front_end_is_reported)
{
    char text[512];

    snprintf(
        text, sizeof text,
        "%s \"$@\" || exit\ncase \"$*\" in *-o*) for last; do :; done\n"
        "while [ \"$1\" != -o ]; do shift; done\n"
        "sed -i 's/add.s32 \\(.*r[0-9]*, %%r[0-9]*, %%r[0-9]*;\\)/sub.s32 \\1/' \"$2\";; esac\n",
        nvcc);
    bisect(case_id_of("reduceNeighbored", VARIANT_CORRECTED), "--nvcc", script_make("nvcc", text),
           1, "cause: the front end");
}

TEST(wrong_optimizer_is_reported)
{
    if (!on_gpu)
        return;
    bisect(case_id_of("reduceNeighbored", VARIANT_CORRECTED), "--ptxas",
           script_make("ptxas",
                       "case \"$*\" in *-O3*) cp \"$3\" \"$5.ptx\"\n"
                       "sed -i 's/add.s32 \\(.*r[0-9]*, %r[0-9]*, %r[0-9]*;\\)/sub.s32 \\1/' "
                       "\"$5.ptx\"\nexec ptxas $1 $2 \"$5.ptx\" -o \"$5\";; esac\n"
                       "exec ptxas \"$@\"\n"),
           1, "cause: the assembler's optimiser");
}

/* A toolkit newer than the driver. */
TEST(ptx_newer_than_the_driver_is_reported)
{
    const struct supervisor_options options = {
        .engine = &engine_kinds[ENGINE_CUDA], .jobs = 1, .limits = {.deadline_seconds = 20}};
    const struct test_case test = {
        .variant = catalogue_find(&simtcheck_catalogue, "reduceNeighbored", VARIANT_CORRECTED),
        .shape = {{64, 1, 1}, {64, 1}, 0, 0, {0, 0}}};
    struct supervisor *supervisor;
    struct outcome outcome = {.kind = OUTCOME_PASS};
    enum engine_status status;
    char path[64], reason[512];

    if (!on_gpu)
        return;
    snprintf(path, sizeof path, "%s/new.ptx", folder);
    text_write(path,
               ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n");
    assert_int_equal(supervisor_open(&options, &supervisor, reason, sizeof reason), ENGINE_OK);
    supervisor_use(supervisor, path, "");
    status = supervisor_run_array(supervisor, &test, 1, &outcome);
    snprintf(reason, sizeof reason, "%s", supervisor_reason(supervisor));
    supervisor_close(supervisor);
    print_message("%s%s\n", status != ENGINE_OK ? reason : "", outcome.fault.text);
    assert_int_equal(status, ENGINE_ERROR);
    assert_non_null(strstr(reason, "the driver is older than the toolkit"));
}

TEST(bisect_accepts_programs)
{
    bisect("p: input_b32 0; not_b32 0;", "", "", on_gpu ? 0 : 77, "compiler");
    bisect("p: input_b32 0; knot_b32 0;", "", "", 2, "knot_b32");
    bisect("2:sim:reduceNeighbored", "", "", 2, "");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s NVCC [cuda]\n", argv[0]);
        return 2;
    }
    nvcc = argv[1];
    on_gpu = argc > 2;
    if (on_gpu && !engine_is_available("cuda"))
        return 77;
    if (!on_gpu)
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
    unsetenv("SIMTCHECK_REQUIRE");
    return tests_run("bisect", set_up, folder_remove);
}
