/* SPDX-License-Identifier: MIT
 *
 * `simtcheck litmus`, with scripts that stand in for the worker on a GPU and for ptxas.
 */
#include "check.h"

#include <sys/stat.h>

static struct twin twin;
static char ptxas[64];

/* Its ptxas copies the PTX, so that the worker finds the name of the test in every image. */
static const char fake_ptxas[] =
    "#!/bin/bash\n"
    "[ \"$1\" != --version ] || exec echo 'Cuda compilation tools, release 13.0, V13.0.88'\n"
    "cp \"$3\" \"$5\"\n";

/* Answers each request by the name of its test: SB has each outcome of two reads, as often as there
 * are launches. */
static const char fake_worker[] =
    "#!/bin/bash\n"
    "[ $# -gt 0 ] || exec echo 'sm_90 stand-in'\n"
    "number=0\n"
    "while read -r image rest; do\n"
    "    read -r slashes name < \"$image\"\n"
    "    case $image-$name in\n"
    "    *MP/weak/gpu) [[ $image == *O3* ]] && echo \"$number error bad image\" ||\n"
    "        echo \"$number 9 1 1\" ;;\n"
    "    *MP/weak/block) exit 5 ;;\n"
    "    *MP/weak/warp) echo \"$number 9 one\" ;;\n"
    "    *ptx-SB/weak/gpu) echo \"$number $3 0 0\"; echo \"$number 7 1 0\" ;;\n"
    "    *O3*SB+fence.sc/*) echo \"$number $3 0 0\"; echo \"$number 7 1 0\" ;;\n"
    "    *) echo \"$number 7 1 0\" ;;\n"
    "    esac\n"
    "    number=$((number + 1))\n"
    "done < \"$1\" > \"$2\"\n";

static void write_script(const char *path, const char *text)
{
    text_write(path, text);
    assert_int_equal(chmod(path, 0755), 0);
}

static int set_up(void **state)
{
    char worker[128];

    (void)state;
    if (!twin_make(&twin, (const char *const[]){NULL}))
        return -1;
    snprintf(worker, sizeof worker, "%s-worker-litmus", twin.program);
    snprintf(ptxas, sizeof ptxas, "%s/ptxas", twin.folder);
    write_script(worker, fake_worker);
    write_script(ptxas, fake_ptxas);
    return 0;
}

static int tear_down(void **state)
{
    char path[128];

    (void)state;
    remove(ptxas);
    snprintf(path, sizeof path, "%s-worker-litmus", twin.program);
    remove(path);
    return twin_remove(&twin) ? 0 : -1;
}

static void expect_litmus(int status, const char *says, const char *words)
{
    expect_run(status, says, "%s litmus --ptxas %s %s", twin.program, ptxas, words);
}

TEST(outcomes_of_a_gpu_are_compared_with_the_model)
{
    expect_litmus(0,
                  "SB/weak/gpu                                  allowed              "
                  "16            0            0\n|1 tests; 1 had an outcome that sequential "
                  "consistency forbids; 0 had one that the model forbids|!FORBIDDEN",
                  "SB/weak/gpu");
    expect_litmus(0, " allowed               3            0            0\n",
                  "--launches 3 SB/weak/gpu");
    expect_litmus(1,
                  "FORBIDDEN: SB+fence.sc/weak/gpu/gpu: P0:r0=0 P1:r0=0, 16 times, compiled by "
                  "ptxas -O3 (P0: block 0 of "
                  "cluster 0, warp 0; P1: block 1 of cluster 1, warp 0)|!compiled by the driver|"
                  "1 had one that the model forbids",
                  "SB+fence.sc/weak/gpu/gpu SB/weak/gpu");
}

TEST(a_test_that_did_not_run_is_no_pass)
{
    expect_litmus(3, "compiled by ptxas -O3: bad image|not run\n|1 did not run", "MP/weak/gpu");
    expect_litmus(3, "ended with status 5|not run", "SB/weak/gpu MP/weak/block");
    expect_litmus(3, "no results, or malformed ones", "MP/weak/warp");
}

TEST(a_test_that_fits_no_gpu_is_skipped)
{
    static const char *const rows[][3] = {
        {"x = 0;", "P0@gpu 0 | P1@gpu 1", "threads on several GPUs are not run"},
        {"x = 0; shared y = 0; z aliases y;", "P0@cta 0 | P1@cta 1",
         "aliases of shared variables are not run"},
    };
    char path[64], text[256], words[128], reason[128];

    snprintf(path, sizeof path, "%s/own.litmus", twin.folder);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(text, sizeof text, "PTX own\n{ %s }\n %s ;\n st.weak x, 1 | ;\nexists (x == 1)\n",
                 rows[k][0], rows[k][1]);
        text_write(path, text);
        snprintf(reason, sizeof reason, "skipped: %s", rows[k][2]);
        expect_litmus(3, reason, path);
        snprintf(words, sizeof words, "%s SB/weak/gpu", path);
        expect_litmus(0, reason, words);
        snprintf(words, sizeof words, "--ptx %s", path);
        expect_litmus(2, rows[k][2], words);
    }
    remove(path);
}

TEST(without_a_gpu_nothing_passes)
{
    expect_litmus(0, "!not run|P0:r0=0 P1:r0=0 |weak, the condition holds", "--model SB/weak/gpu");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    expect_run(77, "the litmus tests did not run: |--model prints what the model allows|!1 tests",
               "litmus SB/weak/gpu --ptxas /nowhere");
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    expect_run(3, "the litmus tests did not run: ", "litmus SB/weak/gpu --ptxas /nowhere");
    unsetenv("SIMTCHECK_REQUIRE");
}

TEST(bad_usage_is_rejected)
{
    expect_litmus(2, "--list, --ptx and --model exclude each other", "--list --ptx SB");
    expect_litmus(2, "'SX' is neither a file nor a litmus test", "--model SX");
    expect_litmus(2, "cannot read '/nowhere.litmus': No such file", "--model /nowhere.litmus");
}

TEST(a_file_with_another_verdict_fails)
{
    char path[64];

    snprintf(path, sizeof path, "%s/own.litmus", twin.folder);
    text_write(path, "PTX own\n{ x = 0; }\n P0 ;\n st.weak x, 1 ;\nexists (x == 1)\nforbidden\n");
    expect_run(1, "WRONG: the file has another verdict|1 have another verdict", "litmus --model %s",
               path);
    remove(path);
}

TEST_MAIN("litmus_command", set_up, tear_down)
