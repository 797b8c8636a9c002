/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check CAPTURE`: the test writes captures of kernels of replayed.cu, with the memory
 * that a GPU would leave.
 *
 * Arguments: the PTX of replayed.cu, and that of replayed_shift.cu.
 */
#include "check.h"

#include "capture_file.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

enum { N = 64 };

static const char *ptx, *shift_ptx;

/* Addresses as on a GPU. */
static const uint64_t FIRST = UINT64_C(0x7f1234000000), SECOND = UINT64_C(0x7f1234400000),
                      THIRD = UINT64_C(0x302000000);

/* ---- Writing captures ---- */

/* A launch in preparation. */
struct maker {
    struct captured_launch launch;
    unsigned char parameters[64];
    struct capture_parameter layout[4];
    struct capture_allocation allocations[4];
    struct capture_piece pieces[8];
    char linked[2][CAPTURE_HASH];
    char path[64]; /* of the capture */
    unsigned int number;
};

/* Starts a launch in the capture of that name, which need not exist. */
static struct maker *make(const char *capture, char *kernel, uint32_t grid, uint32_t block)
{
    static struct maker maker;
    struct capture written;
    char error[CAPTURE_ERROR];

    memset(&maker, 0, sizeof maker);
    maker.launch = (struct captured_launch){.kernel = kernel,
                                            .grid = {grid, 1, 1},
                                            .block = {block, 1, 1},
                                            .parameters = maker.parameters,
                                            .layout = maker.layout,
                                            .allocations = maker.allocations};
    snprintf(maker.path, sizeof maker.path, "%s/%s", folder, capture);
    if (!capture_create(maker.path, error, sizeof error) ||
        !capture_open(maker.path, &written, error, sizeof error))
        fail_msg("%s", error);
    maker.number = (unsigned int)written.launch_count + 1;
    capture_close(&written);
    return &maker;
}

static void take(struct maker *maker, const void *value, uint32_t bytes)
{
    struct captured_launch *launch = &maker->launch;
    uint32_t align = bytes < 8 ? bytes : 8;
    uint32_t at = (launch->parameter_bytes + align - 1) / align * align;

    memcpy(maker->parameters + at, value, bytes);
    maker->layout[launch->parameter_count++] = (struct capture_parameter){at, bytes};
    launch->parameter_bytes = at + bytes;
}

static void take_pointer(struct maker *maker, uint64_t address)
{
    take(maker, &address, sizeof address);
}

static void take_int(struct maker *maker, int value)
{
    take(maker, &value, sizeof value);
}

static struct capture_pieces keep(struct maker *maker, size_t piece, const void *content,
                                  size_t bytes)
{
    struct capture_piece *kept = &maker->pieces[piece];
    char error[CAPTURE_ERROR];

    *kept = (struct capture_piece){.bytes = bytes};
    if (!capture_write_blob(maker->path, content, bytes, kept->blob, error, sizeof error))
        fail_msg("%s", error);
    return (struct capture_pieces){kept, 1};
}

/* Adds an allocation. Those of a launch come in ascending order. */
static void hold(struct maker *maker, uint64_t address, const void *before, const void *after,
                 size_t bytes)
{
    size_t k = maker->launch.allocation_count++;
    struct capture_allocation *allocation = &maker->allocations[k];

    *allocation = (struct capture_allocation){.address = address, .bytes = bytes};
    allocation->before = keep(maker, 2 * k, before, bytes);
    if (memcmp(before, after, bytes) != 0)
        allocation->after = keep(maker, 2 * k + 1, after, bytes);
}

static void finish(struct maker *maker, const char *path)
{
    char *text = text_read(path), error[CAPTURE_ERROR];

    if (!capture_write_module(maker->path, text, strlen(text), maker->launch.module, error,
                              sizeof error) ||
        !capture_write_launch(maker->path, &maker->number, &maker->launch, error, sizeof error) ||
        !capture_finish(maker->path, error, sizeof error))
        fail_msg("%s", error);
    free(text);
}

/* Writes a launch of scale(), whose result differs from the right one at element `wrong`. */
static void write_scale(const char *capture, const char *path, float shift, int wrong)
{
    struct maker *maker = make(capture, (char[]){"scale"}, 2, 32);
    float before[N], after[N], factor = 3;

    for (int k = 0; k < N; k++) {
        before[k] = (float)k;
        after[k] = factor * before[k] + shift + (k == wrong ? 1 : 0);
    }
    take_pointer(maker, FIRST);
    take(maker, &factor, sizeof factor);
    take_int(maker, N);
    hold(maker, FIRST, before, after, sizeof before);
    finish(maker, path);
}

/* Writes a launch of a kernel that takes (in, out), or (out) if `in` is null. */
static void write_ints(const char *capture, char *kernel, uint32_t grid, const int *in,
                       const int after[32])
{
    struct maker *maker = make(capture, kernel, grid, 32);
    static const int before[32] = {7};

    if (in != NULL)
        take_pointer(maker, FIRST);
    take_pointer(maker, SECOND);
    if (in != NULL)
        hold(maker, FIRST, in, in, 32 * sizeof *in);
    hold(maker, SECOND, before, after, sizeof before);
    finish(maker, ptx);
}

/* ---- Verdicts ---- */

/* Looks at the command that runs the first finding of a report again. */
static void expect_command(const char *name, const char *says)
{
    json_t *report = json_read(in_folder(name));
    const char *command = report_text(json_at(report, "launches/0/findings/0"), "command");

    if (strstr(command, says) == NULL)
        fail_msg("the command lacks '%s': %s", says, command);
    json_decref(report);
}

TEST(a_right_kernel_conforms)
{
    write_scale("right", ptx, 0, -1);
    expect_run(0,
               "scale<<<2, 32>>>|scale  PASS  in bounds, initialized, race-free, deterministic\n|"
               " conforms| race-free|bit-identical",
               "check %s --verbose", in_folder("right"));
}

TEST(a_result_that_differs_from_the_gpu_is_reported)
{
    write_scale("wrong", ptx, 0, 5);
    expect_run(1, "error: wrong result|arg0[5]|float 16|float 15|bit-identical|!order-dependent",
               "check %s --verbose --json %s", in_folder("wrong"), in_folder("wrong.json"));
    expect_command("wrong.json", "wrong' --launch 1 --case 2:sim:scale:");
}

TEST(a_race_is_reported_with_its_line)
{
    const int after[32] = {1};

    write_ints("race", (char[]){"race"}, 2, NULL, after);
    expect_run(1, "replayed.cu:28: error: data race on arg0[0]\n|race  FAIL  1 data race\n",
               "check %s --only races --json %s", in_folder("race"), in_folder("race.json"));
    expect_command("race.json", "race' --launch 1 --case 2:sim:race:");
}

TEST(a_read_past_the_end_is_reported_with_its_line)
{
    int in[32], after[32];

    for (int k = 0; k < 32; k++) {
        in[k] = k;
        after[k] = k + 1;
    }
    write_ints("past", (char[]){"past_end"}, 1, in, after);
    expect_run(1, "replayed.cu:33: error: out-of-bounds read\n|arg0[32]", "check %s --only run",
               in_folder("past"));
}

TEST(an_uninitialized_read_is_reported_with_its_line)
{
    int after[32];

    for (int k = 0; k < 32; k++)
        after[k] = 1;
    write_ints("unwritten", (char[]){"unwritten"}, 1, NULL, after);
    expect_run(1, "replayed.cu:42: error: uninitialized read\n", "check %s --only run",
               in_folder("unwritten"));
}

/* A pointer to memory that the capture does not have. */
TEST(memory_outside_of_the_capture_is_out_of_bounds)
{
    struct maker *maker = make("outside", (char[]){"scale"}, 2, 32);
    float factor = 3;

    take_pointer(maker, FIRST);
    take(maker, &factor, sizeof factor);
    take_int(maker, N);
    finish(maker, ptx);
    expect_run(1, "replayed.cu:22: error: out-of-bounds read\n", "check %s --only run",
               in_folder("outside"));
}

/* ---- Atomic additions of floats ---- */

/* Writes a launch of add_all() with that sum and count as the GPU's. */
static void write_add(const char *capture, float sum, int count)
{
    struct maker *maker = make(capture, (char[]){"add_all"}, 2, 32);
    float x[N], before[2] = {0, 0}, after[2] = {sum, 0};

    for (int k = 0; k < N; k++)
        x[k] = 1.0f / (float)(k + 1);
    memcpy(&after[1], &count, sizeof count);
    take_pointer(maker, SECOND);
    take_pointer(maker, FIRST);
    hold(maker, FIRST, x, x, sizeof x);
    hold(maker, SECOND, before, after, sizeof before);
    finish(maker, ptx);
}

static float harmonic(void)
{
    float sum = 0;

    for (int k = N; k > 0; k--)
        sum += 1.0f / (float)k;
    return sum;
}

TEST(atomic_sums_of_floats_have_a_tolerance)
{
    write_add("sum", harmonic() * (1 + 2e-6f), N);
    expect_run(0,
               "replayed.cu:48|1024 units in the last place| conforms|!bit-identical|"
               "add_all  PASS  in bounds, initialized, race-free\n",
               "check %s --verbose", in_folder("sum"));
    expect_run(1, "arg0[0]", "check %s --only run --tolerance ulp:1", in_folder("sum"));
    write_add("far", harmonic() * 1.001f, N);
    expect_run(1, "arg0[0]", "check %s --only run", in_folder("far"));
}

TEST(integers_beside_atomic_sums_have_none)
{
    write_add("count", harmonic(), N + 1);
    expect_run(1, "arg0[1]", "check %s --only run", in_folder("count"));
}

TEST(approximate_instructions_have_a_tolerance)
{
    struct maker *maker = make("approximate", (char[]){"exponents"}, 1, 32);
    float x[32], after[32];

    for (int k = 0; k < 32; k++) {
        x[k] = 0.25f * (float)k;
        after[k] = exp2f(x[k]) * (1 + 2e-6f);
    }
    take_pointer(maker, FIRST);
    hold(maker, FIRST, x, after, sizeof x);
    finish(maker, ptx);
    expect_run(0,
               "an instruction is approximate, at capture/replayed.cu:75|1024 units|"
               "exponents  PASS  in bounds, initialized, race-free\n",
               "check %s", in_folder("approximate"));
    expect_run(1, "error: wrong result", "check %s --only run --tolerance ulp:1",
               in_folder("approximate"));
}

/* ---- Results that a GPU may not repeat ---- */

/* Writes a launch of times(). The GPU's clock ran otherwise, and element `wrong` is wrong. */
static void write_times(const char *capture, int wrong)
{
    struct maker *maker = make(capture, (char[]){"times"}, 1, 32);
    long long before[N] = {0}, after[N];

    for (int k = 0; k < N; k++)
        after[k] = (k < 32 ? (0x123456789ab + k) : k - 32) + (k == wrong);
    take_pointer(maker, FIRST);
    hold(maker, FIRST, before, after, sizeof before);
    finish(maker, ptx);
}

TEST(what_depends_on_a_clock_is_not_compared)
{
    json_t *report;

    write_times("times", 3);
    expect_run(0,
               "times  PASS  in bounds, initialized, race-free, deterministic\n|"
               "note: what depends on the clock read at capture/replayed.cu:91 is not compared|"
               " conforms|bit-identical",
               "check %s --verbose", in_folder("times"));
    write_times("times", 35);
    expect_run(1, "error: wrong result|arg0[70]", "check %s --json %s --only run",
               in_folder("times"), in_folder("times.json"));
    report = json_read(in_folder("times.json"));
    assert_string_equal(report_text(json_at(report, "launches/0/checks/0"), "clock"),
                        "capture/replayed.cu:91");
    json_decref(report);
}

TEST(an_order_of_atomic_operations_may_be_another_one)
{
    struct maker *maker = make("tickets", (char[]){"tickets"}, 2, 32);
    int before[N] = {0}, after[N];

    for (int k = 0; k < N; k++)
        after[k] = N - 1 - k;
    take_pointer(maker, SECOND);
    take_pointer(maker, FIRST);
    hold(maker, FIRST, (int[1]){0}, (int[1]){N}, sizeof(int));
    hold(maker, SECOND, before, after, sizeof before);
    finish(maker, ptx);
    expect_run(1,
               "error: wrong result|the GPU may have had another order of threads|atomic operation "
               "at capture/replayed.cu:101|--allow order:arg0|error: order-dependent result",
               "check %s", in_folder("tickets"));
    expect_run(0, "allowed: order:arg0", "check %s --allow order:arg0", in_folder("tickets"));
}

/* The limit counts instructions, so that it does not depend on the machine. */
TEST(a_long_launch_is_skipped)
{
    struct maker *maker = make("busy", (char[]){"busy"}, 1, 32);

    take_pointer(maker, FIRST);
    take_int(maker, 100000);
    hold(maker, FIRST, (int[1]){0}, (int[1]){3200000}, sizeof(int));
    finish(maker, ptx);
    expect_run(2, "SKIPPED|it executes more than 2 million instructions, the limit with --deadline",
               "check %s --deadline 0.1", in_folder("busy"));
    expect_run(0, "busy  PASS", "check %s --only run --model lockstep --schedule sequential",
               in_folder("busy"));
}

/* A launch in h100.cu that a GPU completes only after a cooperative one. */
TEST(a_grid_barrier_needs_a_cooperative_launch)
{
    expect_run(0, "coop  PASS|coop  PASS  in bounds, initialized\n",
               "check " H100 " --launch 4 --only run");
    expect_run(1,
               "trap|not cooperative: use cudaLaunchCooperativeKernel()|may not trap after a "
               "cooperative launch",
               "check " H100 " --launch 7 --only run");
}

/* ---- Pointers in memory ---- */

TEST(pointers_in_structs_and_arrays_are_followed)
{
    struct maker *maker = make("pointers", (char[]){"copy_ends"}, 1, 32);
    const uint64_t ends[2] = {SECOND, FIRST}, rows[2] = {SECOND, THIRD};
    float values[32], zeros[32] = {0}, sums[32];

    for (int k = 0; k < 32; k++) {
        values[k] = (float)k;
        sums[k] = 2 * values[k];
    }
    take(maker, ends, sizeof ends);
    take_int(maker, 32);
    hold(maker, FIRST, zeros, values, sizeof zeros);
    hold(maker, SECOND, values, values, sizeof values);
    finish(maker, ptx);
    maker = make("pointers", (char[]){"sum_rows"}, 1, 32);
    take_pointer(maker, FIRST + 256);
    take_pointer(maker, FIRST);
    hold(maker, THIRD, values, values, sizeof values);
    hold(maker, FIRST, zeros, sums, sizeof zeros);
    hold(maker, FIRST + 256, rows, rows, sizeof rows);
    hold(maker, SECOND, values, values, sizeof values);
    finish(maker, ptx);
    expect_run(0, "copy_ends  PASS|sum_rows  PASS", "check %s", in_folder("pointers"));
}

/* The variable has another value than in the code, and a parameter points to it. Another one is not
 * used by the kernel. */
TEST(variables_of_the_module_have_their_captured_values)
{
    struct maker *maker = make("variable", (char[]){"add_offset"}, 1, 32);
    float before[32], after[32], offset = 0.25f;

    for (int k = 0; k < 32; k++) {
        before[k] = (float)k;
        after[k] = before[k] + 2 * offset;
    }
    take_pointer(maker, SECOND);
    take_pointer(maker, THIRD);
    hold(maker, THIRD, &offset, &offset, sizeof offset);
    maker->allocations[0].variable = (char[]){"offset"};
    hold(maker, FIRST, &offset, &offset, sizeof offset);
    maker->allocations[1].variable = (char[]){"other"};
    hold(maker, SECOND, before, after, sizeof before);
    finish(maker, ptx);
    expect_run(0, "", "check %s", in_folder("variable"));
}

TEST(kernels_of_one_name_in_two_modules_are_two_kernels)
{
    write_scale("modules", ptx, 0, -1);
    write_scale("modules", shift_ptx, 0.5f, -1);
    expect_run(0, "", "check %s", in_folder("modules"));
}

/* Adds PTX that the program links with that of the kernel. */
static void link_with(struct maker *maker, const char *path)
{
    char *text = text_read(path), error[CAPTURE_ERROR];

    maker->launch.linked = maker->linked;
    if (!capture_write_module(maker->path, text, strlen(text),
                              maker->linked[maker->launch.linked_count++], error, sizeof error))
        fail_msg("%s", error);
    free(text);
}

/* Writes a launch of add_shift(), which needs a function and a variable of replayed_shift.cu. */
static struct maker *make_add_shift(const char *capture)
{
    static char kernel[] = "add_shift", variable[] = "calls";
    struct maker *maker = make(capture, kernel, 1, 32);
    float before[32], after[32];

    for (int k = 0; k < 32; k++) {
        before[k] = (float)k;
        after[k] = before[k] + 0.5f;
    }
    take_pointer(maker, SECOND);
    hold(maker, FIRST, (int[1]){7}, (int[1]){39}, sizeof(int));
    maker->allocations[0].variable = variable;
    hold(maker, SECOND, before, after, sizeof before);
    return maker;
}

TEST(modules_are_linked)
{
    struct maker *maker = make_add_shift("linked");

    link_with(maker, shift_ptx);
    finish(maker, ptx);
    expect_run(0,
               "add_shift  PASS  in bounds, initialized, race-free, deterministic\n|"
               "",
               "check %s", in_folder("linked"));
    finish(make_add_shift("unlinked"), ptx);
    maker = make("unlinked", (char[]){"shift_one"}, 1, 1);
    take_pointer(maker, FIRST);
    finish(maker, ptx);
    expect_run(2,
               "SKIPPED|capture/replayed.cu:85: `mov.u64`: no file of this program defines the "
               "variable `calls`|SKIPPED|capture/replayed.cu:112: calls shifted(), which no file "
               "defines",
               "check %s", in_folder("unlinked"));
}

/* ---- Selection, reports, errors ---- */

TEST(launches_are_selected_by_kernel_and_number)
{
    const int after[32] = {1};

    write_scale("both", ptx, 0, -1);
    write_ints("both", (char[]){"race"}, 2, NULL, after);
    expect_run(0, "scale  PASS|!race  ", "check %s --kernel 'sc*'", in_folder("both"));
    expect_run(0, "scale  PASS|!race  ", "check %s --launch 1", in_folder("both"));
    expect_run(1, "race  FAIL|!scale  ", "check %s --launch 2", in_folder("both"));
    expect_run(2, "no launch 3", "check %s --launch 3", in_folder("both"));
    expect_run(2, "--kernel selects", "check %s --kernel none", in_folder("both"));
}

TEST(options_that_do_not_apply_are_errors)
{
    write_scale("options", ptx, 0, -1);
    expect_run(2, "--engine does not apply to a capture", "check %s --engine cuda",
               in_folder("options"));
    expect_run(2, "--size does not apply to a capture", "check %s --size 5", in_folder("options"));
    expect_run(2, "give the folder of a capture", "check a.cu 'a<<<1, 1>>>()' --launch 1");
    expect_run(2, "capture.json", "check %s", folder);
}

/* Each launch is one of the findings, and the command of a finding runs the case again, with the
 * same result. */
TEST(findings_have_launches_places_and_commands)
{
    const char *const arguments[] = {
        "/usr/bin/env",      "python3",          VALIDATE_FINDINGS,    CHECK_SCHEMA,
        in_folder("r.json"), in_folder("r.xml"), in_folder("r.sarif"), NULL};
    const char *command;
    char *text;
    json_t *report;

    write_scale("command", ptx, 0, -1);
    write_scale("command", ptx, 0, 9);
    expect_run(1, "", "check %s --only run --json %s --junit %s --sarif %s", in_folder("command"),
               in_folder("r.json"), in_folder("r.xml"), in_folder("r.sarif"));
    expect_ended(program_run(arguments), 0, "");
    text = text_read(in_folder("r.sarif"));
    assert_non_null(strstr(text, "replayed.cu"));
    free(text);
    report = json_read(in_folder("r.json"));
    assert_string_equal(report_text(json_at(report, "launches/1"), "launch"), "scale<<<2, 32>>>");
    assert_int_equal(json_array_size(json_at(report, "launches")), 2);
    assert_string_equal(report_text(json_at(report, "launches/0"), "result"), "pass");
    assert_string_equal(report_text(json_at(report, "launches/1"), "result"), "fail");
    command = report_text(json_at(report, "launches/1/findings/0"), "command");
    assert_non_null(strstr(command, "--launch 2 --case "));
    expect_run(1, "arg0[9]", "%s", strchr(command, ' ') + 1);
    json_decref(report);
}

/* ---- Launches that are not compared, or not replayed ---- */

TEST(a_launch_that_the_gpu_stopped_is_checked_without_its_memory)
{
    int zeros[32] = {0};
    struct maker *maker = make("stopped", (char[]){"past_end"}, 1, 32);

    take_pointer(maker, FIRST);
    take_pointer(maker, SECOND);
    hold(maker, FIRST, zeros, zeros, sizeof zeros);
    hold(maker, SECOND, zeros, zeros, sizeof zeros);
    maker->launch.gpu_error = (char[]){"an illegal memory access was encountered"};
    finish(maker, ptx);
    expect_run(1, "the GPU stopped this launch|illegal memory access|arg0[32]|replayed.cu:33",
               "check %s --only run", in_folder("stopped"));
    maker = make("slow", (char[]){"race"}, 1, 32);
    take_pointer(maker, SECOND);
    hold(maker, SECOND, (int[32]){7}, (int[32]){7}, 128);
    maker->launch.gpu_error = (char[]){"the launch timed out"};
    finish(maker, ptx);
    expect_run(0, "the launch timed out", "check %s", in_folder("slow"));
}

TEST(a_launch_that_cannot_be_replayed_is_skipped)
{
    struct maker *maker = make("skipped", (char[]){"race"}, 2, 32);

    take_pointer(maker, SECOND);
    hold(maker, SECOND, (int[32]){7}, (int[32]){1}, 128);
    maker->allocations[0].bytes = UINT64_C(2) << 30;
    finish(maker, ptx);
    expect_run(2, "SKIPPED|it reaches 2048 MiB of memory|nothing was checked", "check %s",
               in_folder("skipped"));
    write_scale("skipped", ptx, 0, -1);
    expect_run(0, "SKIPPED|it reaches", "check %s", in_folder("skipped"));
}

TEST(a_launch_without_accesses_conforms)
{
    struct maker *maker = make("idle", (char[]){"idle"}, 2, 32);

    take_pointer(maker, SECOND);
    hold(maker, SECOND, (int[32]){7}, (int[32]){7}, 128);
    finish(maker, ptx);
    expect_run(0,
               "idle  PASS  in bounds, initialized, deterministic\n|bit-identical|"
               "launch 1 of the capture, ",
               "check %s --verbose", in_folder("idle"));
}

static void leave_out(struct capture_index *index, struct memory *memory, void *context)
{
    (void)context;
    LIST_ADD(memory, &index->left_out, struct left_out_record) =
        (struct left_out_record){.kernel = "matmul", .reason = "it has no PTX", .launches = 5};
}

TEST(kernels_that_were_not_captured_are_listed)
{
    char error[CAPTURE_ERROR];

    write_scale("lacking", ptx, 0, -1);
    assert_true(capture_update(in_folder("lacking"), leave_out, NULL, error, sizeof error));
    expect_run(0, "not captured: matmul (5 launches): it has no PTX", "check %s",
               in_folder("lacking"));
}

TEST(parameters_that_are_not_those_of_the_kernel_are_errors)
{
    struct maker *maker = make("parameters", (char[]){"race"}, 2, 32);

    finish(maker, ptx);
    maker = make("parameters", (char[]){"race"}, 2, 32);
    take_int(maker, 1);
    finish(maker, ptx);
    maker = make("parameters", (char[]){"lost"}, 2, 32);
    finish(maker, ptx);
    expect_run(2,
               "000001-race.json: 0 parameters, and the kernel has 1|000002-race.json: parameter 0 "
               "has 4 bytes|has no kernel lost",
               "check %s", in_folder("parameters"));
}

/* ---- Damage ---- */

/* Returns the path of the first file in that folder of a capture. */
static const char *first_file(const char *in)
{
    static char path[600];
    DIR *from = opendir(in_folder(in));
    struct dirent *entry;

    assert_non_null(from);
    while ((entry = readdir(from)) != NULL && entry->d_name[0] == '.')
        ;
    assert_non_null(entry);
    snprintf(path, sizeof path, "%s/%s", in_folder(in), entry->d_name);
    closedir(from);
    return path;
}

static void damage(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    int byte;

    assert_non_null(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    byte = getc(file);
    fseek(file, -1, SEEK_CUR);
    putc(byte ^ 1, file);
    fclose(file);
}

TEST(one_damaged_launch_does_not_lose_the_others)
{
    const int after[32] = {1};
    const char *path;

    write_scale("damaged", ptx, 0, -1);
    path = first_file("damaged/launches");
    damage(path, 40);
    write_scale("damaged", shift_ptx, 0.5f, -1);
    expect_run(2, "damaged/launches/000001-scale.json|is damaged", "check %s",
               in_folder("damaged"));

    write_scale("cut", ptx, 0, -1);
    path = first_file("cut/launches");
    assert_int_equal(truncate(path, 100), 0);
    expect_run(2, "cut/launches/000001-scale.json", "check %s", in_folder("cut"));

    write_scale("blob", ptx, 0, -1);
    path = first_file("blob/blobs");
    damage(path, -3);
    write_ints("blob", (char[]){"race"}, 2, NULL, after);
    expect_run(2, "blob/blobs/|race  FAIL", "check %s", in_folder("blob"));

    write_scale("module", ptx, 0, -1);
    path = first_file("module/modules");
    assert_int_equal(remove(path), 0);
    expect_run(2, "module/modules/", "check %s", in_folder("module"));
}

static void copy(const char *from, const char *to)
{
    char *text = text_read(from);
    FILE *file = fopen(to, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(text);
}

TEST(missing_and_surplus_files_are_named)
{
    char path[600];

    write_scale("lost", ptx, 0, -1);
    snprintf(path, sizeof path, "%s", first_file("lost/launches"));
    write_scale("lost", ptx, 0, -1);
    assert_int_equal(remove(path), 0);
    expect_run(2, "lost/launches/000001-scale.json' is missing", "check %s", in_folder("lost"));
    expect_run(2, "lost/launches/000001-scale.json' is missing", "check %s --launch 2",
               in_folder("lost"));

    write_scale("surplus", ptx, 0, -1);
    copy(first_file("surplus/launches"), in_folder("surplus/launches/000007-scale.json"));
    expect_run(2, "surplus/launches/000007-scale.json' is not listed", "check %s",
               in_folder("surplus"));

    write_scale("surplus_blob", ptx, 0, -1);
    copy(ptx, in_folder("surplus_blob/blobs/other.zst"));
    expect_run(2, "surplus_blob/blobs/other.zst' is not listed", "check %s",
               in_folder("surplus_blob"));
}

TEST(a_cut_capture_is_an_error)
{
    char error[CAPTURE_ERROR];

    write_scale("not_whole", ptx, 0, -1);
    assert_true(capture_create(in_folder("not_whole"), error, sizeof error));
    expect_run(2, "not_whole' is not complete: 'simtcheck capture' was killed", "check %s",
               in_folder("not_whole"));
}

int main(int count, char *arguments[])
{
    if (count != 3)
        return 2;
    ptx = arguments[1];
    shift_ptx = arguments[2];
    return tests_run("replay", folder_make, folder_remove);
}
