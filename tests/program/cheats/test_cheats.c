/* SPDX-License-Identifier: MIT
 *
 * `check` refuses every kernel that has a planted defect, and accepts the right ones. cheats.cu has
 * kernels that are right for some inputs only, worklists.cu those whose outputs have no order.
 * FOLDER is their folder.
 *
 * test_cheats nvcc|clang
 */
#include "check.h"

#include <unistd.h>

static int set_up(void **state)
{
    int status = folder_make(state);

    if (access("/dev/shm", W_OK) == 0) /* the reference's outputs are 50,000 small files */
        setenv("TMPDIR", "/dev/shm", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    return status;
}

static const char *compiler;

/* Checks every launch of a file, and expects the result of each. Returns their number. */
static size_t check_all(const char *name, const char *launches, const char *right,
                        const char *options, int status, const char *result)
{
    json_t *report = report_line(status,
                                 "check " FOLDER "/%s.cu " FOLDER "/%s.launches --against " FOLDER
                                 "/%s.cu --compiler %s%s",
                                 name, launches, right, compiler, options);
    json_t *each;
    size_t k, count;

    assert_non_null(report);
    count = json_array_size(json_object_get(report, "launches"));
    json_array_foreach(json_object_get(report, "launches"), k, each)
    {
        if (strcmp(report_text(each, "result"), result) != 0)
            fail_msg("%s: %s", report_text(each, "launch"), report_text(each, "result"));
    }
    json_decref(report);
    return count;
}

/* The part `run` compares outputs. */
TEST(cheats_are_refused)
{
    assert_int_equal(check_all("cheats", "cheats", "cheats_right", " --only run", 1, "fail"), 31);
}

TEST(right_kernels_are_accepted)
{
    assert_int_equal(check_all("cheats_right", "cheats_right", "cheats_right", "", 0, "pass"), 5);
}

/* Elements may come in any order, but none may be lost, doubled or torn. */
TEST(worklists_are_accepted)
{
    assert_int_equal(check_all("worklists", "worklists", "worklists", " --size 1,33,70", 0, "pass"),
                     20);
}

TEST(planted_worklists_are_refused)
{
    assert_int_equal(
        check_all("worklists_planted", "worklists", "worklists", " --size 1,33,70", 1, "fail"), 20);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    compiler = argv[1];
    return tests_run("cheats", set_up, folder_remove);
}
