/* SPDX-License-Identifier: MIT
 *
 * What `check` reports for kernels with one mistake each: the user's file and line, names and
 * numbers as in the source. FOLDER has the kernels.
 *
 * test_messages nvcc|clang
 */
#include "check.h"

#include <unistd.h>

static const char *compiler;

/* A launch of messages.cu and whole lines of its report. `only` is the part of the check. */
struct message {
    const char *launch, *only, *lines[5];
};

static const struct message messages[] = {
    /* Floats are floats, bytes are bytes. A launch without n is the same for every size. */
    {"writesFloats<<<1, 4>>>(out float out[1])",
     "races",
     {"writesFloats, independent: race, at any size", "    out[0]",
      "        then  thread 1 of block (0,0,0) writes 1.75 over 0.25: writesFloats, "
      "messages.cu:10",
      "    wrong result: any size, schedule delay-1: out[0] is 0.25, and 4.75 under schedule "
      "sequential"}},
    {"writesBytes<<<1, 4>>>(out unsigned char out[1])",
     "races",
     {"        first thread 0 of block (0,0,0) writes 7 over 0xa5 (unwritten memory): "
      "writesBytes, messages.cu:15",
      "        no barrier and no __syncwarp() orders these two accesses, by threads 0 and 1 of "
      "block (0,0,0); both write 7",
      "        --allow same-value:out accepts such races"}},
    {"fillsBytes<<<1, 4>>>(out unsigned char out[1])",
     "races",
     {"    wrong result: any size, schedule delay-1: out[0] is 200, and 203 under schedule "
      "sequential"}},
    /* An index for each dimension that the source declares. */
    {"racesInATile<<<1, 32>>>(out int out[32])", "races", {"    tile[2][0]"}},
    /* The smallest size that races. */
    {"shiftsLeft<<<1, 256>>>(inout int x[n], n)",
     "races",
     {"shiftsLeft, independent: race, at size 5", "    x[1]"}},
    /* The instruction of a dependence on the order, the element, and both values. */
    {"addsFloats<<<1, 64>>>(in float x[64] = uniform(0, 1), zeros float sum[1], 64)",
     "races",
     {"addsFloats, lockstep: order-dependent",
      "        atomic operation at messages.cu:22: CUDA does not define which thread comes first"}},
    {"fillsList<<<1, 64>>>(out int list[64], zeros int count[1])",
     "determinism",
     {"any size, values hash-3: the outputs differ between two orders of threads: list[0] is 0 "
      "under lockstep, sequential, and 32 under lockstep, reverse",
      "        atomic operation at messages.cu:125: CUDA does not define which thread comes "
      "first"}},
    /* Static tables and variables in namespaces, with indices of their elements. */
    {"readsTable<<<1, 4>>>(out double out[4])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: out-of-bounds-read: thread (3,0,0) "
      "of block (0,0,0) reads 8 bytes at table[3], outside its 3 elements (messages.cu:33*)"}},
    {"tools::setsTotal<64, 8><<<1, 4>>>(out int out[4])",
     "races",
     {"tools::setsTotal<64, 8>                 -         lockstep*",
      "tools::setsTotal<64, 8>, lockstep: race, at any size", "    tools::total*",
      "        first thread 0 of block (0,0,0) writes 64 over 0: tools::setsTotal<64, 8>, "
      "messages.cu:48"}},
    {"writesPastTheEnd<<<1, 64>>>(out float x[n])",
     "run",
     {"    fails: size 0, values zeros, lockstep, sequential: out-of-bounds-write: thread (0,0,0) "
      "of block (0,0,0) writes 4 bytes at x[0], outside its 0 elements (messages.cu:143)"}},
    /* Values that nothing wrote. */
    {"choosesNothing<<<1, 4>>>(in int kind[4], out float out[4])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: uninitialized-read: the value "
      "stored in out[0] depends on a variable that was never written, used at messages.cu:68 "
      "(messages.cu:73)"}},
    {"readsNothing<<<1, 4>>>(scratch int t[4], out int out[4])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: uninitialized-read: the value "
      "stored in out[0] depends on t[0], which was never written, read at messages.cu:78 "
      "(messages.cu:78)"}},
    {"lacksTheBarrier<<<1, 32>>>(out int out[32])",
     "races",
     {"        first thread 31 of block (0,0,0) writes 1 over 0xa5a5a5a5 (unwritten memory): "
      "lacksTheBarrier, messages.cu:101",
      "        then  thread 0 of block (0,0,0) reads 1: lacksTheBarrier, messages.cu:102",
      "    6 cases with a fault; the first: uninitialized-read: the value stored in out[0] depends "
      "on s[31] in shared memory, which no thread of the block has written, read at "
      "messages.cu:102 (messages.cu:102)"}},
    /* The line of a memcpy() of variable length. */
    {"copiesTooMuch<<<1, 1>>>(out char out[n], in char in[n], n)",
     "run",
     {"    fails: size 0, values zeros, lockstep, sequential: out-of-bounds-read: thread (0,0,0) "
      "of "
      "block (0,0,0) reads 1 bytes at in[0], outside its 0 elements (messages.cu:83)"}},
    {"callsNothing<<<1, 2>>>(out int out[2])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: trap: thread (1,0,0) of block "
      "(0,0,0) calls address 0x0, which is not a function (messages.cu:95)"}},
    /* Barriers and warp operations. */
    {"skipsTheBarrier<<<1, 64>>>(out int out[64])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: divergent-barrier: thread (16,0,0) "
      "of block (0,0,0) continues at messages.cu:109 and skips the barrier at which thread 0 of "
      "its block waits (messages.cu:108)"}},
    {"warpsAtTwoBarriers<<<1, 64>>>(out int out[64])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: divergent-barrier: thread (32,0,0) "
      "of block (0,0,0) waits at a barrier while other warps of its block wait at "
      "messages.cu:116: PTX permits this, the CUDA programming guide does not (--allow "
      "warp-barriers:messages.cu:116 accepts it) (messages.cu:119)"}},
    {"prints<<<1, 2>>>(out int out[2])",
     "run",
     {"    fails: any size, values zeros, lockstep, sequential: unexpected-output: thread (0,0,0) "
      "of "
      "block (0,0,0) calls printf(), but the case expects no output (messages.cu:131)"}},
    /* Two launches: each has its own name. */
    {"writesFloats<<<1, 1>>>(out float a[1]); writesBytes<<<1, 4>>>(out unsigned char b[1])",
     "races",
     {"        then  thread 1 of block (0,0,0) writes 7 over 7: writesBytes, messages.cu:15"}},
};

/* Returns whether the output has that line. A '*' stands for any characters. */
static bool has_line(const char *output, const char *line)
{
    const char *star = strchr(line, '*');
    size_t first = star != NULL ? (size_t)(star - line) : strlen(line);
    const char *rest = star != NULL ? star + 1 : "";

    while (output != NULL && *output != '\0') {
        const char *end = strchr(output, '\n');
        size_t length = end != NULL ? (size_t)(end - output) : strlen(output);
        if (length >= first + strlen(rest) && strncmp(output, line, first) == 0 &&
            (star != NULL || length == first) &&
            strncmp(output + length - strlen(rest), rest, strlen(rest)) == 0)
            return true;
        output = end != NULL ? end + 1 : NULL;
    }
    return false;
}

static void expect_lines(struct ended ended, int status, const char *const *lines, size_t count)
{
    for (size_t k = 0; k < count && lines[k] != NULL; k++)
        if (!has_line(ended.output, lines[k]))
            fail_msg("no line '%s' in:\n%s", lines[k], ended.output);
    assert_int_equal(ended.status, status);
    free(ended.output);
}

TEST(report_names_the_place)
{
    for (size_t m = 0; m < sizeof messages / sizeof *messages; m++)
        expect_lines(
            run_line("check messages.cu '%s' --compiler %s --only %s --size 0-1,647 --shrink free",
                     messages[m].launch, compiler, messages[m].only),
            1, messages[m].lines, 5);
}

/* The command of a report that two orders differ shows that difference. */
TEST(printed_command_shows_the_difference)
{
    static const char launch[] =
        "addsFloats<<<1, 64>>>(in float x[64] = uniform(0, 1), zeros float sum[1], 64)";
    struct ended ended = run_line(
        "check messages.cu '%s' --compiler %s --only determinism --size 0", launch, compiler);
    char *cases = strstr(ended.output, "--case ");

    assert_non_null(cases);
    cases += strlen("--case ");
    cases[strcspn(cases, "\n")] = '\0';
    assert_non_null(strchr(cases, ','));
    expect_run(1, "addsFloats on sim: wrong-result|: sum[0]: expected |compared with: any size",
               "check messages.cu '%s' --compiler %s --case %s", launch, compiler, cases);
    *strchr(cases, ',') = '\0';
    expect_run(0, "no fault, and no reference to compare with|!oracle",
               "check messages.cu '%s' --compiler %s --case %s", launch, compiler, cases);
    free(ended.output);
}

TEST(compared_cases_must_fit)
{
    static const char launch[] =
        "addsFloats<<<1, 64>>>(in float x[64] = uniform(0, 1), zeros float sum[1], 64)";
    struct ended ended =
        run_line("check messages.cu '%s' --compiler %s --size 0", launch, compiler);
    char *of_races = strstr(ended.output, "--case "), *last;

    assert_non_null(of_races);
    of_races += strlen("--case ");
    last = strstr(strstr(ended.output, "the outputs differ"), "--case ") + strlen("--case ");
    of_races[strcspn(of_races, ",")] = '\0';
    last[strcspn(last, ",")] = '\0';
    expect_run(2, "the two cases must be of one engine, size and set of values",
               "check messages.cu '%s' --compiler %s --case %s,%s", launch, compiler, of_races,
               last);
    free(ended.output);
}

TEST(unsupported_instruction_has_the_line_of_the_source)
{
    expect_run(
        2,
        "messages.cu:149: the simulator does not support `tcgen05.fence::before_thread_sync` "
        "(compiled for sm_80): it needs sm_100\n",
        "check messages.cu 'fencesTensors<<<1, 1>>>(out float x[1])' --compiler %s "
        "-DUNSUPPORTED",
        compiler);
}

TEST(function_without_a_body_is_one_message)
{
    struct ended ended = run_line(
        "check messages.cu 'callsElsewhere<<<1, 1>>>(out int x[1])' --compiler %s -DUNDEFINED",
        compiler);

    assert_string_equal(ended.output,
                        "simtcheck: messages.cu:159: calls elsewhere(), which no file defines\n");
    assert_int_equal(ended.status, 2);
    free(ended.output);
}

/* Not only "In file included from". */
TEST(all_of_the_first_error_is_shown)
{
    expect_run(2, "cannot compile 'messages.cu'|wrong.cuh|expected |int first = ;|undeclared",
               "check messages.cu 'prints<<<1, 1>>>(out int x[1])' --compiler %s -DWRONG",
               compiler);
}

TEST(long_file_name_is_whole)
{
    char name[200] = "", text[512];

    for (int k = 0; k < 11; k++)
        strcat(name, "long_name_here_");
    strcat(name, ".cu");
    assert_int_equal(strlen(name), 168);
    snprintf(text, sizeof text, "%s:1)\n", name);
    assert_int_equal(chdir(folder), 0);
    text_write(name, "__global__ void past(float *x) { x[threadIdx.x] = 1; }\n");
    expect_run(1, text,
               "check %s 'past<<<1, 2>>>(out float x[1])' --compiler %s --only run --size 0", name,
               compiler);
    assert_int_equal(chdir(FOLDER), 0);
}

static int set_up(void **state)
{
    int status = folder_make(state);

    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    return status != 0 ? status : chdir(FOLDER);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    compiler = argv[1];
    return tests_run("messages", set_up, folder_remove);
}
