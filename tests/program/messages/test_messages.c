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

/* A launch of messages.cu, and whole lines of the text. `only` is the part of the check. `message`
 * is in the JSON of the first finding, or null. */
struct message {
    const char *launch, *only, *lines[5], *message;
};

#define CASE(size, kernel, rest)                                                                   \
    "   case: " size "; replay with --case 2:sim:" kernel ":corrected:" rest "~"
#define ALSO(size, count, kernel, rest)                                                            \
    "   case: " size ", also " count " further cases; replay with --case 2:sim:" kernel            \
    ":corrected:" rest "~"
#define FIRST "lockstep:sequential:1:0:zeros:"

static const struct message messages[] = {
    /* Floats are floats, bytes are bytes. A launch without n is the same for every size. */
    {"writesFloats<<<1, 4>>>(out float out[1])",
     "races",
     {"messages.cu:10: error: data race on out[0]\n"
      "   10 |     out[0] = 1.5f * threadIdx.x + 0.25f; /* line 10 */\n"
      "      |     thread 0 of block 0 writes 0.25 over 0xa5a5a5a5 (unwritten memory)\n"
      "      |     thread 1 of block 0 writes 1.75 over 0.25",
      CASE("any size", "writesFloats", "independent:sequential:1:0:"),
      "writesFloats  FAIL  1 data race"},
     "; wrong result: out[0] is 0.25 under schedule delay-1, and 4.75 under schedule sequential"},
    {"writesBytes<<<1, 4>>>(out unsigned char out[1])",
     "races",
     {"messages.cu:15: error: data race on out[0]\n"
      "   15 |     out[0] = 7; /* line 15 */\n"
      "      |     thread 0 of block 0 writes 7 over 0xa5 (unwritten memory)\n"
      "      |     thread 1 of block 0 writes 7 over 7\n"
      "   note: no barrier and no __syncwarp() orders the two accesses",
      "   note: --allow same-value:out accepts such races"},
     NULL},
    {"fillsBytes<<<1, 4>>>(out unsigned char out[1])",
     "races",
     {"      |     thread 1 of block 0 writes 201 over 200"},
     "; wrong result: out[0] is 200 under schedule delay-1, and 203 under schedule sequential"},
    /* An index for each dimension that the source declares. */
    {"racesInATile<<<1, 32>>>(out int out[32])",
     "races",
     {"messages.cu:170: error: data race on tile[2][0]"},
     NULL},
    /* The smallest size that races. */
    {"shiftsLeft<<<1, 256>>>(inout int x[n], n)",
     "races",
     {"messages.cu:138: error: data race on x[1]",
      CASE("n = 5", "shiftsLeft", "independent:sequential:1:5:"), "shiftsLeft  FAIL  1 data race"},
     NULL},
    /* The instruction of a dependence on the order, the element, and both values. */
    {"addsFloats<<<1, 64>>>(in float x[64] = uniform(0, 1), zeros float sum[1], 64)",
     "races",
     {"messages.cu:18: error: order-dependent result",
      "      |     sum[0] is ~, and 30.2071056 under schedule sequential",
      "   note: CUDA does not define which thread comes first at the atomic operation at "
      "messages.cu:22",
      "addsFloats  FAIL  1 order-dependent result"},
     NULL},
    {"fillsList<<<1, 64>>>(out int list[64], zeros int count[1])",
     "determinism",
     {"messages.cu:123: error: order-dependent result\n"
      "  123 | __global__ void fillsList(int *list, int *count)\n"
      "      |     list[0] is 0 under lockstep, sequential, and 32 under lockstep, reverse\n"
      "   note: CUDA does not define which thread comes first at the atomic operation at "
      "messages.cu:125",
      "   case: any size; replay with --case "
      "2:sim:fillsList:corrected:lockstep:sequential:1:0:hash-3:~",
      "fillsList  FAIL  1 order-dependent result"},
     NULL},
    /* Static tables and variables in namespaces, with indices of their elements. */
    {"readsTable<<<1, 4>>>(out double out[4])",
     "run",
     {"messages.cu:33: error: out-of-bounds read\n"
      "   33 |     return table[i]; /* line 33 */\n"
      "      |     thread 3 of block 0 reads 8 bytes at table[3], outside its 3 elements",
      ALSO("any size", "17", "readsTable", FIRST)},
     NULL},
    {"tools::setsTotal<64, 8><<<1, 4>>>(out int out[4])",
     "races",
     {"messages.cu:48: error: data race on tools::total~",
      "   48 |     total = (int)threadIdx.x + A; /* line 48 */\n"
      "      |     thread 0 of block 0 writes 64 over 0",
      "tools::setsTotal<64, 8>  FAIL  1 data race"},
     "thread 0 of block 0 writes 64 over 0, in tools::setsTotal<64, 8> at messages.cu:48"},
    {"writesPastTheEnd<<<1, 64>>>(out float x[n])",
     "run",
     {"messages.cu:143: error: out-of-bounds write\n"
      "  143 |     x[threadIdx.x] = 1; /* line 143 */\n"
      "      |     thread 0 of block 0 writes 4 bytes at x[0], outside its 0 elements",
      ALSO("n = 0", "11", "writesPastTheEnd", FIRST)},
     NULL},
    /* Values that nothing wrote. */
    {"choosesNothing<<<1, 4>>>(in int kind[4], out float out[4])",
     "run",
     {"messages.cu:73: error: uninitialized read",
      "      |     the value stored in out[0] depends on a variable that was never written\n"
      "   68 |     return chosen; /* line 68 */\n"
      "      |     used here",
      ALSO("any size", "15", "choosesNothing", FIRST)},
     NULL},
    {"readsNothing<<<1, 4>>>(scratch int t[4], out int out[4])",
     "run",
     {"messages.cu:78: error: uninitialized read",
      "      |     the value stored in out[0] depends on t[0], which was never written",
      ALSO("any size", "17", "readsNothing", FIRST)},
     NULL},
    {"lacksTheBarrier<<<1, 32>>>(out int out[32])",
     "races",
     {"messages.cu:102: error: data race on s[16]\n"
      "  102 |     out[threadIdx.x] = s[threadIdx.x ^ 31]; /* line 102 */\n"
      "      |     thread 15 of block 0 reads 0xa5a5a5a5 (unwritten memory)\n"
      "  101 |     s[threadIdx.x] = 1;                     /* line 101 */\n"
      "      |     thread 16 of block 0 writes 1 over 0xa5a5a5a5 (unwritten memory)",
      "   note: it explains this uninitialized read: the value stored in out[0] depends on s[31] "
      "in shared memory, which no thread of the block has written, read at messages.cu:102",
      "lacksTheBarrier  FAIL  1 data race"},
     NULL},
    /* The line of a memcpy() of variable length. */
    {"copiesTooMuch<<<1, 1>>>(out char out[n], in char in[n], n)",
     "run",
     {"messages.cu:83: error: out-of-bounds read",
      "      |     thread 0 of block 0 reads 1 bytes at in[0], outside its 0 elements",
      ALSO("n = 0", "17", "copiesTooMuch", FIRST)},
     NULL},
    /* An asynchronous copy is made at a wait. */
    {"copiesPastTheEnd<<<1, 32>>>(in int x[16], out int out[32])",
     "run",
     {"messages.cu:300: error: out-of-bounds read",
      "      |     thread 16 of block 0 reads 4 bytes at x[16], outside its 16 elements"},
     NULL},
    {"callsNothing<<<1, 2>>>(out int out[2])",
     "run",
     {"messages.cu:95: error: trap",
      "      |     thread 1 of block 0 calls address 0x0, which is not a function",
      ALSO("any size", "17", "callsNothing", FIRST)},
     NULL},
    /* Barriers and warp operations. */
    {"skipsTheBarrier<<<1, 64>>>(out int out[64])",
     "run",
     {"messages.cu:108: error: divergent barrier",
      "      |     thread 16 of block 0 continues at messages.cu:109 and skips the barrier at "
      "which thread 0 of its block waits",
      ALSO("any size", "17", "skipsTheBarrier", FIRST)},
     NULL},
    {"prints<<<1, 2>>>(out int out[2])",
     "races",
     {"messages.cu:128: error: order-dependent result",
      "   note: what printf() prints at messages.cu:131 depends on the order of threads: if it "
      "may, add "
      "--allow prints:messages.cu:131"},
     NULL},
    /* Two launches: each has its own name. */
    {"writesFloats<<<1, 1>>>(out float a[1]); writesBytes<<<1, 4>>>(out unsigned char b[1])",
     "races",
     {"messages.cu:15: error: data race on b[0]",
      "      |     thread 1 of block 0 writes 7 over 7"},
     "; thread 1 of block 0 writes 7 over 7, in writesBytes at messages.cu:15"},
};

/* Returns whether the output has these lines, one after the other. A '~' stands for any characters
 * of the last one. */
static bool has_lines(const char *output, const char *lines)
{
    const char *star = strchr(lines, '~');
    size_t first = star != NULL ? (size_t)(star - lines) : strlen(lines);
    const char *rest = star != NULL ? star + 1 : "";

    while (output != NULL && *output != '\0') {
        const char *at = output + first;
        if (strncmp(output, lines, first) == 0) {
            size_t length = strcspn(at, "\n");
            if (star != NULL ? length >= strlen(rest) &&
                                   strncmp(at + length - strlen(rest), rest, strlen(rest)) == 0
                             : length == 0)
                return true;
        }
        output = strchr(output, '\n');
        output = output != NULL ? output + 1 : NULL;
    }
    return false;
}

/* Expects lines of the text and, unless it is null, a part of the first finding's message. */
static void expect_lines(const struct message *message, const char *option)
{
    struct ended ended = run_line(
        "check messages.cu '%s' --compiler %s --only %s --size 0-1,647 --shrink free --json %s %s",
        message->launch, compiler, message->only, in_folder("r.json"), option);
    json_t *json = json_read(in_folder("r.json"));
    const char *said = report_text(json_at(json, "launches/0/findings/0"), "message");

    for (size_t k = 0; k < 5 && message->lines[k] != NULL; k++)
        if (!has_lines(ended.output, message->lines[k]))
            fail_msg("no line '%s' in:\n%s", message->lines[k], ended.output);
    if (message->message != NULL && strstr(said, message->message) == NULL)
        fail_msg("'%s' does not say '%s'", said, message->message);
    assert_int_equal(ended.status, 1);
    free(ended.output);
    json_decref(json);
}

TEST(report_names_the_place)
{
    for (size_t m = 0; m < sizeof messages / sizeof *messages; m++)
        expect_lines(&messages[m], "");
}

#define FLAG(kernel, array, written, read, rest)                                                   \
    {                                                                                              \
        kernel "<<<2, 1>>>(" array ")", "races",                                                   \
            {"   note: flag"                                                                       \
             "[0], written at messages.cu:" written " and read at messages.cu:" read               \
             ", does not order the two accesses" rest},                                            \
            NULL                                                                                   \
    }
#define ARRAYS "zeros int data[1], zeros int flag[1], out int out[1]"

/* What is missing at a flag. */
TEST(race_beside_a_flag_names_it)
{
    static const struct message flags[] = {
        FLAG("forgetsTheAcquire", ARRAYS, "182", "184",
             ": __threadfence() after the read, or an acquire, is missing, and relaxed accesses "
             "order nothing"),
        FLAG("forgetsBothFences", ARRAYS, "194", "196",
             ": __threadfence() before the write and after the read is missing, and volatile "
             "accesses order nothing"),
        FLAG("forgetsTheRelease", ARRAYS, "206", "208",
             ": __threadfence() before the write, or a release, is missing, and volatile accesses "
             "order nothing"),
        FLAG("releasesToItsBlock", ARRAYS, "220", "222",
             ": the scope of the write, or of the fence before it, does not include the other "
             "thread"),
        FLAG("fencesForItsBlock", ARRAYS, "234", "236",
             ": the scope of the fence after the read does not include the other thread"),
    };

    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        expect_lines(&flags[f], "");
}

/* Block 0 waits for blocks that cannot start. */
TEST(poll_for_blocks_that_do_not_fit_says_so)
{
    static const struct message message = {
        "waitsForAll<<<270, 1024>>>(zeros int count[1])",
        "run",
        {"messages.cu:290: error: deadlock",
         "      |     thread 0 of block 0 waits in a loop that no other thread can end; waiting: "
         "~they read count[0], and 6 of 270 blocks have not started: no more fit on the GPU "
         "until one ends"},
        NULL};

    expect_lines(&message, "");
}

/* An atomic access that returns nothing is no flag. */
TEST(counter_beside_a_race_is_no_flag)
{
    expect_run(1, "data race on data[0]|!does not order the two accesses",
               "check messages.cu 'countsBeside<<<2, 1>>>(zeros int data[2], zeros int count[1])' "
               "--compiler %s --only races --size 1",
               compiler);
}

TEST(step_limit_names_the_loop)
{
    expect_run(1, "messages.cu:312: error: step limit",
               "check messages.cu 'loopsForLong<<<1, 1>>>(inout int x[2], n)' --compiler %s "
               "--only run --size 2 --steps 20000",
               compiler);
}

TEST(warps_at_two_barriers_are_reported_on_request)
{
    static const struct message message = {
        "warpsAtTwoBarriers<<<1, 64>>>(out int out[64])",
        "run",
        {"messages.cu:119: error: divergent barrier",
         "      |     thread 32 of block 0 waits at a barrier while other warps of its block wait "
         "at "
         "messages.cu:116: PTX permits this, the CUDA programming guide does not (--allow "
         "warp-barriers:messages.cu:116 accepts it)",
         ALSO("any size", "17", "warpsAtTwoBarriers", FIRST)},
        NULL};

    expect_lines(&message, "--strict-barriers");
}

/* The tables name the kernel, and the model of each part. */
TEST(tables_name_kernel_and_model)
{
    static const struct message tables[] = {
        {"writesFloats<<<1, 4>>>(out float out[1])",
         "races",
         {"writesFloats                            -         independent~"},
         NULL},
        {"shiftsLeft<<<1, 256>>>(inout int x[n], n)",
         "races",
         {"shiftsLeft                              -         independent~"},
         NULL},
        {"addsFloats<<<1, 64>>>(in float x[64] = uniform(0, 1), zeros float sum[1], 64)",
         "races",
         {"addsFloats                              -         lockstep~"},
         NULL},
        {"tools::setsTotal<64, 8><<<1, 4>>>(out int out[4])",
         "races",
         {"tools::setsTotal<64, 8>                 -         lockstep~"},
         NULL},
    };

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        expect_lines(&tables[t], "--verbose");
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
    expect_run(1,
               "messages.cu:18: error: order-dependent result\n|     sum[0] is 32.8795815 under ",
               "check messages.cu '%s' --compiler %s --case %s", launch, compiler, cases);
    expect_run(1,
               "replay with --case 2:sim:addsFloats:|addsFloats  FAIL  1 order-dependent result\n",
               "check messages.cu '%s' --compiler %s --case %s", launch, compiler, cases);
    *strchr(cases, ',') = '\0';
    expect_run(0, "addsFloats  PASS  in bounds, initialized\n|!oracle",
               "check messages.cu '%s' --compiler %s --case %s", launch, compiler, cases);
    free(ended.output);
}

/* Returns the first case that a part of the check of that launch names. The caller frees it. */
static char *first_case(const char *launch, const char *only)
{
    struct ended ended =
        run_line("check messages.cu '%s' --compiler %s --size 0 --only %s", launch, compiler, only);
    const char *id = strstr(ended.output, "--case ");
    char *copy;

    assert_non_null(id);
    id += strlen("--case ");
    copy = strndup(id, strcspn(id, ",\n"));
    free(ended.output);
    return copy;
}

TEST(compared_cases_must_fit)
{
    static const char launch[] =
        "addsFloats<<<1, 64>>>(in float x[64] = uniform(0, 1), zeros float sum[1], 64)";
    char *of_races = first_case(launch, "races"), *last = first_case(launch, "determinism");

    expect_run(2, "the two cases must be of one engine, size and set of values",
               "check messages.cu '%s' --compiler %s --case %s,%s", launch, compiler, of_races,
               last);
    free(of_races);
    free(last);
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
                        "simtcheck: messages.cu:159: calls elsewhere(), which no file defines\n"
                        "check  ERROR\n");
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

/* What follows the file in the same compilation has errors then, too. */
TEST(open_brace_is_one_sentence)
{
    static const char *const sources[] = {
        "__global__ void open(int *y) { if (*y) { *y = 1; }\n",
        "extern \"C\" { __global__ void open(int *y) { *y = 1; }\n",
        "namespace { __global__ void open(int *y) { *y = 1; }\n",
    };

    assert_int_equal(chdir(folder), 0);
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        text_write("open.cu", sources[k]);
        expect_run(2,
                   "'open.cu':\na '{' of the code or of its headers is not closed, or a ')' or ';' "
                   "is missing at its end\ncheck  ERROR|!simt_|!error:",
                   "check open.cu 'open<<<1, 1>>>(out int y[1])' --compiler %s", compiler);
    }
    text_write("open.cu", "__global__ void open(int *y) { if (*y) { *y = `unknown; }\n");
    expect_run(2, "open.cu|error: |unknown;|!simt_|!the launch|!is not closed",
               "check open.cu 'open<<<1, 1>>>(out int y[1])' --compiler %s", compiler);
    text_write("open.cu", "__global__ void open(int *y) { *y = 1; }\n#define Wanted 3\n");
    expect_run(2, "a macro or name of the code breaks what simtcheck adds to it: |!simt_",
               "check open.cu 'open<<<1, 1>>>(out int y[1])' --compiler %s", compiler);
    assert_int_equal(chdir(FOLDER), 0);
}

TEST(flag_for_the_output_is_rejected_by_name)
{
    static const char *const flags[] = {"-o x", "--output-file=x", "--help", "-M"};

    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        char text[128];
        snprintf(text, sizeof text, "leave out %.*s, which changes where or whether PTX|!write '",
                 (int)strcspn(flags[k], " "), flags[k]);
        expect_run(2, text,
                   "check messages.cu 'prints<<<1, 1>>>(out int x[1])' --compiler %s -- %s",
                   compiler, flags[k]);
    }
    expect_run(2, "leave out the flag, which changes where or whether PTX is written",
               "check messages.cu 'prints<<<1, 1>>>(out int x[1])' --compiler %s -- %s", compiler,
               strcmp(compiler, "clang") == 0 ? "-fsyntax-only" : "-optix-ir");
}

TEST(long_file_name_is_whole)
{
    char name[200] = "", text[512];

    for (int k = 0; k < 11; k++)
        strcat(name, "long_name_here_");
    strcat(name, ".cu");
    assert_int_equal(strlen(name), 168);
    snprintf(text, sizeof text, "%s:1: error: out-of-bounds write\n", name);
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
