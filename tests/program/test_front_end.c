/* SPDX-License-Identifier: MIT
 *
 * Random programs, compiled to PTX by an nvcc, must do what they mean. Arguments: the nvcc, and how
 * many programs. The installed assembler may get them wrong; this test does not check that.
 */
#include "check.h"

static const char *nvcc;
static int count;

TEST(front_end_ptx_matches_the_programs)
{
    char json[] = "/tmp/simtcheck-front-end-XXXXXX";
    int file = mkstemp(json), stages = 0;
    struct ended ended =
        run_line("compilers --nvcc '%s' --count %d --seed 7 --json %s", nvcc, count, json);
    json_t *report = json_load_file(json, 0, NULL), *stage;
    size_t k;

    assert_true(file >= 0);
    remove(json);
    print_message("%s", ended.output);
    assert_true(ended.status == 0 || ended.status == 1);
    free(ended.output);
    json_array_foreach(json_object_get(report, "stages"), k, stage)
    {
        if (strncmp(report_text(stage, "stage"), "ptxas", 5) == 0 ||
            strncmp(report_text(stage, "stage"), "the driver", 10) == 0)
            continue;
        if (strncmp(report_text(stage, "stage"), "PTX of nvcc", 11) == 0)
            assert_int_equal(report_number(stage, "programs"), report_number(report, "programs"));
        else /* all but the CUDA C++ idioms */
            assert_int_equal(report_number(stage, "programs"), count + 80);
        assert_true(report_number(stage, "kernels") > 40 ||
                    strncmp(report_text(stage, "stage"), "PTX of nvcc", 11) != 0);
        assert_string_equal(report_text(stage, "kernels_skipped"), "");
        assert_int_equal(json_array_size(json_object_get(stage, "kernels_wrong")), 0);
        assert_int_equal(report_number(stage, "wrong"), 0);
        stages++;
    }
    assert_int_equal(report_number(report, "programs"), count + 80 + 131); /* and the idioms */
    assert_int_equal(stages, 2); /* the programs' own PTX, and nvcc's */
    json_decref(report);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s NVCC PROGRAMS\n", argv[0]);
        return 2;
    }
    nvcc = argv[1];
    count = atoi(argv[2]);
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* no GPU is needed */
    unsetenv("SIMTCHECK_REQUIRE");
    return tests_run("front end", NULL, NULL);
}
