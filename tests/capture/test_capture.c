/* SPDX-License-Identifier: MIT
 *
 * `capture` with a driver that stands in for a GPU.
 */
#include "capture_file.h"
#include "check.h"
#include "machine_code.h"

#include <signal.h>
#include <sys/stat.h>

static char error[CAPTURE_ERROR];

/* Runs the program in that mode. `options` are those of capture. Returns the folder of the capture.
 */
static const char *run(const char *mode, const char *options, int status, const char *says)
{
    static int count;
    char name[32];
    const char *path;

    snprintf(name, sizeof name, "capture-%d", ++count);
    path = in_folder(name);
    expect_run(status, says, "capture --out %s %s -- " PROGRAM " %s", path, options, mode);
    return path;
}

/* Reads the launch with that index. Fails if the capture does not have `launches`. */
static struct captured_launch read_launch(const char *path, size_t launches, size_t index)
{
    struct captured_launch launch = {.kernel = NULL};
    struct capture capture;

    if (!capture_open(path, &capture, error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(capture.launch_count, launches);
    if (index < launches &&
        !capture_read_launch(&capture, capture.launches[index], &launch, error, sizeof error))
        fail_msg("%s", error);
    capture_close(&capture);
    return launch;
}

/* Returns the first number of a piece. */
static int number_in(const struct capture_piece *piece, size_t index)
{
    int value;

    memcpy(&value, piece->content + index * sizeof value, sizeof value);
    return value;
}

TEST(output_and_status_are_those_of_the_program)
{
    struct ended plain = program_run((const char *const[]){PROGRAM, "shapes", NULL});
    struct ended captured;

    assert_int_equal(plain.status, 7);
    captured = run_line("capture --out %s -- " PROGRAM " shapes", in_folder("same"));
    assert_int_equal(captured.status, 7);
    assert_memory_equal(captured.output, plain.output, strlen(plain.output));
    assert_non_null(strstr(captured.output, "captured 5 launches of 1 kernel"));
    free(plain.output);
    free(captured.output);
}

TEST(a_launch_has_its_memory_before_and_after)
{
    struct captured_launch launch = read_launch(run("", "", 7, "captured 1 launch"), 1, 0);
    const struct capture_allocation *array = NULL;

    assert_string_equal(launch.kernel, "scale");
    assert_int_equal(launch.grid[0], 1);
    assert_int_equal(launch.block[0], 32);
    assert_int_equal(launch.parameter_bytes, 12);
    assert_int_equal(launch.layout[1].offset, 8);
    assert_int_equal(launch.allocation_count, 2); /* with the variable */
    for (int k = 0; k < 2; k++)
        if (launch.allocations[k].variable == NULL)
            array = &launch.allocations[k];
    assert_non_null(array);
    assert_int_equal(array->bytes, 8 << 20);
    assert_int_equal(array->before.count, 1);
    assert_int_equal(array->before.items[0].bytes, CAPTURE_PAGE);
    assert_int_equal(number_in(&array->before.items[0], 3), 3);
    assert_int_equal(array->after.count, 1);
    assert_int_equal(number_in(&array->after.items[0], 3), 6);
    captured_launch_free(&launch);
}

TEST(stored_pointers_are_followed)
{
    const char *path = run("pointers", "", 7, "captured 1 launch");
    struct captured_launch launch = read_launch(path, 1, 0);
    size_t changed = 0;

    assert_int_equal(launch.allocation_count, 4); /* the rows, two arrays, the variable */
    for (size_t k = 0; k < launch.allocation_count; k++) {
        const struct capture_pieces *after = &launch.allocations[k].after;
        if (after->count == 0)
            continue;
        changed++;
        assert_int_equal(after->items[0].offset, 4 * CAPTURE_PAGE);
        assert_int_equal(number_in(&after->items[0], 5000 - CAPTURE_PAGE), 5);
    }
    assert_int_equal(changed, 1);
    captured_launch_free(&launch);
}

TEST(variables_of_the_module_are_captured)
{
    const char *path = run("variable", "", 7, "captured 1 launch");
    struct captured_launch launch = read_launch(path, 1, 0);

    assert_int_equal(launch.allocation_count, 1);
    assert_string_equal(launch.allocations[0].variable, "counter");
    assert_int_equal(number_in(&launch.allocations[0].before.items[0], 0), 40);
    assert_int_equal(number_in(&launch.allocations[0].after.items[0], 0), 41);
    captured_launch_free(&launch);
}

TEST(modules_that_are_linked_are_captured)
{
    const char *path = run("linked", "", 7, "captured 1 launch");
    struct captured_launch launch = read_launch(path, 1, 0);
    struct capture capture;
    char *text;

    assert_int_equal(launch.linked_count, 1);
    assert_true(capture_open(path, &capture, error, sizeof error));
    text = capture_read_module(&capture, launch.linked[0], error, sizeof error);
    assert_non_null(text);
    assert_memory_equal(text, ".visible .global", 16);
    assert_non_null(strstr(text, ".func twice"));
    assert_string_equal(launch.allocations[0].variable != NULL ? launch.allocations[0].variable
                                                               : launch.allocations[1].variable,
                        "counter");
    free(text);
    capture_close(&capture);
    captured_launch_free(&launch);
}

TEST(launches_are_counted_by_kernel_and_shape)
{
    read_launch(run("shapes", "", 7, "captured 5 launches of 1 kernel"), 5, 5);
    read_launch(run("shapes", "--launches 3", 7, "captured 15 launches"), 15, 15);
    read_launch(run("shapes", "--kernel s*le", 7, "captured 5 launches"), 5, 5);
    read_launch(run("shapes", "--kernel other", 7, "launched no kernel, or none that --kernel"), 0,
                0);
}

TEST(equal_memory_is_stored_once)
{
    const char *path = run("", "--launches 100", 7, "captured 100 launches of 1 kernel");

    /* Values double until they are zero after 32 launches. Each launch is a file of 1 KiB. */
    assert_true(capture_size(path) < 400 << 10);
}

TEST(what_is_not_captured_has_a_reason)
{
    run("machine", "", 7,
        "captured 0 launches|not captured: scale, 1 launch: its code has no PTX: compile it with "
        "-gencode arch=compute_90,code=compute_90 beside the other -gencode flags, or give its PTX "
        "with --ptx|for the same reason: 1 other kernel; see ");
    run("graph", "", 7, "captured 1 launch|scale, 1 launch: it is part of a CUDA graph");
    run("node", "", 7, "captured 1 launch|scale, 1 launch: it is part of a CUDA graph");
    run("texture", "", 7, "captured 1 launch of 1 kernel|look, 1 launch: it uses textures");
    run("rejected", "", 7, "captured 0 launches|the driver rejected the launch");
}

TEST(attributes_that_are_not_modelled_are_kept)
{
    const char *path = run("attributes", "", 7,
                           "captured 2 launches|scale, 1 launch: simtcheck does not support launch "
                           "attribute 77");

    expect_run(0, "PASS|!not modelled", "check %s --launch 1 --only run", path);
    expect_run(3,
               "PASS|not fully checked: programmatic stream serialization (launch attribute "
               "6) is not modelled|2 launches: 1 PASS, 1 PARTIAL",
               "check %s --only run --json %s", path, in_folder("attributes.json"));
}

/* A launch has the attributes of its stream. */
TEST(attributes_of_streams_that_are_not_modelled_are_kept)
{
    const char *path = run("streams", "", 7, "captured 3 launches");

    expect_run(0, "PASS", "check %s --launch 1 --only run", path);
    expect_run(3,
               "not fully checked: mem sync domain (stream attribute 10) is not modelled|"
               "3 launches: 1 PASS, 2 PARTIAL",
               "check %s --only run", path);
}

static void write_file(const char *place, const char *name, const void *bytes, size_t count)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", in_folder(place), name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

TEST(ptx_of_machine_code_may_be_in_a_folder)
{
    static const char ptx[] = ".visible .entry scale(.param .u64 a, .param .u32 b) { ret; }\n";
    struct captured_launch launch;
    char options[4200];

    assert_int_equal(mkdir(in_folder("ptx"), 0777), 0);
    write_file("ptx", "none.ptx", "", 0);
    write_file("ptx", "scale.txt", ptx, sizeof ptx - 1);
    snprintf(options, sizeof options, "--ptx %s", in_folder("ptx"));
    run("machine", options, 7, "captured 0 launches|not captured: scale, 1 launch");
    write_file("ptx", "scale.ptx", ptx, sizeof ptx - 1);
    launch =
        read_launch(run("machine", options, 7, "captured 1 launch of 1 kernel|count, 1"), 1, 0);
    assert_int_equal(launch.parameter_count, 2);
    captured_launch_free(&launch);
    run("machine", "--ptx /dev/null", 2, "--ptx '/dev/null' is no folder");
}

TEST(machine_code_of_triton_has_its_ptx_in_the_cache)
{
    static const char ptx[] = ".visible .entry scale(.param .u64 a, .param .u32 b) { ret; }\n";
    struct captured_launch launch;

    assert_int_equal(mkdir(in_folder("triton"), 0777), 0);
    assert_int_equal(mkdir(in_folder("triton/key"), 0777), 0);
    write_file("triton/key", "other.cubin", machine_code, sizeof machine_code - 1);
    write_file("triton/key", "other.ptx", ptx, 10);
    write_file("triton/key", "scale.cubin", machine_code, sizeof machine_code);
    write_file("triton/key", "scale.ptx", ptx, sizeof ptx - 1);
    setenv("TRITON_CACHE_DIR", in_folder("triton"), 1);
    launch = read_launch(run("machine", "", 7, "captured 1 launch of 1 kernel"), 1, 0);
    unsetenv("TRITON_CACHE_DIR");
    assert_int_equal(launch.parameter_count, 2);
    captured_launch_free(&launch);
}

TEST(a_fault_leaves_what_was_before)
{
    const char *path = run("fault", "", 128 + SIGABRT,
                           "captured 2 launches of 2 kernels|scale, 1 launch: an earlier error of "
                           "the GPU: CUDA_ERROR_ILLEGAL_ADDRESS");
    struct captured_launch launch = read_launch(path, 2, 1);

    assert_string_equal(launch.kernel, "fault");
    assert_string_equal(launch.gpu_error, "CUDA_ERROR_ILLEGAL_ADDRESS");
    captured_launch_free(&launch);
}

/* Each launch reads 8 MiB and a variable twice, in pieces of 1 MiB. So the kills are at all stages
 * of a launch. */
TEST(a_killed_program_leaves_whole_launches)
{
    enum { READS = 18 };
    char moment[16], name[16];
    struct capture capture;
    struct captured_launch launch;

    for (int k = 1; k <= 20; k++) {
        snprintf(moment, sizeof moment, "%d", k * 4);
        snprintf(name, sizeof name, "killed-%d", k);
        setenv("FAKE_DRIVER_KILL", moment, 1);
        expect_run(128 + SIGKILL, "captured", "capture --out %s -- " PROGRAM " shapes",
                   in_folder(name));
        assert_true(capture_open(in_folder(name), &capture, error, sizeof error));
        assert_int_equal(capture.launch_count, (k * 4 - 1) / READS);
        for (size_t l = 0; l < capture.launch_count; l++) {
            if (!capture_read_launch(&capture, capture.launches[l], &launch, error, sizeof error))
                fail_msg("%s", error);
            captured_launch_free(&launch);
        }
        capture_close(&capture);
    }
    unsetenv("FAKE_DRIVER_KILL");
}

TEST(a_folder_is_added_to)
{
    const char *path = run("variable", "", 7, "captured 1 launch");

    expect_run(7, "captured 1 launch", "capture --out %s -- " PROGRAM, path);
    read_launch(path, 2, 2);
}

TEST(errors_name_what_would_be_right)
{
    expect_run(2, "give --out DIR", "capture -- " PROGRAM);
    expect_run(2, "give the program after '--'", "capture --out %s x -- " PROGRAM, in_folder("x"));
    expect_run(2, "takes a program after '--'", "capture --out %s", in_folder("x"));
    expect_run(127, "cannot start '/none/program'", "capture --out %s -- /none/program",
               in_folder("none"));
    setenv("SIMTCHECK_CUPTI", "/none/libcupti.so", 1);
    expect_run(3, "SIMTCHECK_CUPTI", "capture --out %s -- " PROGRAM, in_folder("y"));
    setenv("SIMTCHECK_CUPTI", FAKE_DRIVER, 1);
}

static int set_up(void **state)
{
    setenv("LD_LIBRARY_PATH", FAKE_FOLDER, 1);
    setenv("SIMTCHECK_CUPTI", FAKE_DRIVER, 1);
    return folder_make(state);
}

TEST_MAIN("capture", set_up, folder_remove)
