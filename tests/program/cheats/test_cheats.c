/* SPDX-License-Identifier: MIT
 *
 * `check` without options for its cases refuses every kernel of cheats.cu, and accepts right
 * kernels. FOLDER is the folder of both.
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

/* Checks every launch of a file, and expects the result of each. Returns their number. */
static size_t check_all(const char *name, const char *parts, int status, const char *result)
{
    json_t *report = report_line(status,
                                 "check " FOLDER "/%s.cu " FOLDER "/%s.launches --against " FOLDER
                                 "/cheats_right.cu --compiler clang%s",
                                 name, name, parts);
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
    assert_int_equal(check_all("cheats", " --only run", 1, "fail"), 31);
}

TEST(right_kernels_are_accepted)
{
    assert_int_equal(check_all("cheats_right", "", 0, "pass"), 5);
}

TEST_MAIN("cheats", set_up, folder_remove)
