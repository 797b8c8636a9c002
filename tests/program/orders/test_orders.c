/* SPDX-License-Identifier: MIT
 *
 * `check` of kernels whose results or races depend on the order of threads, and of code with
 * nothing to check. Runs with the first installed compiler.
 */
#include "check.h"

#include <sys/stat.h>

static int set_up(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    return folder_make(state);
}

/* Checks a launch of a file of that text. */
static void expect_launch(int status, const char *says, const char *text, const char *launch,
                          const char *options)
{
    expect_run(status, says, "check %s '%s' --engine sim %s", text_write(in_folder("k.cu"), text),
               launch, options);
}

/* Two blocks pass the test only if one is delayed between its test and its set. Equal values are
 * written, so only the race shows it. */
TEST(race_that_only_a_delay_shows_counts)
{
    static const char test_and_set[] = "__global__ void k(volatile int *f, int *d)\n"
                                       "{ if (*f == 0) {\n *f = 1;\n d[0] = 7; } }\n",
                      sum[] = "__global__ void k(volatile int *f, int *d)\n"
                              "{ while (*f != 0) ;\n *f = 1;\n __threadfence(); d[0] += 1;\n"
                              " __threadfence(); *f = 0; }\n",
                      once[] = "__global__ void k(int *f, int *d)\n"
                               "{ if (atomicExch(f, 1) == 0)\n d[0] = 7; }\n";

    expect_launch(1, "data race|d[0]|:delay-", test_and_set,
                  "k<<<2, 1>>>(zeros int f[1], scratch int d[1])", "--size 1");
    expect_launch(1, "data race|d[0]|:delay-", sum, "k<<<2, 1>>>(zeros int f[1], zeros int d[1])",
                  "--size 1");
    expect_launch(0, "race-free", once, "k<<<2, 1>>>(zeros int f[1], zeros int d[1])", "--size 1");
}

/* Two blocks have the lock if the first one is delayed between its test and its store, and the
 * second one while it has the lock. The right lock tests and sets at once. */
TEST(lock_that_fails_with_two_delays_fails)
{
    static const char lock[] =
        "__global__ void k(int *owner, int *d)\n{\n    int id = blockIdx.x + 1;\n"
        "    for (;;) {\n        if (atomicAdd(owner, 0) != 0) continue;\n"
        "        atomicExch(owner, id);\n        if (atomicAdd(owner, 0) == id) break;\n    }\n"
        "    __threadfence();\n    *d = *d + 1;\n    __threadfence();\n"
        "    atomicExch(owner, 0);\n}\n",
                      right[] = "__global__ void k(int *owner, int *d)\n{\n"
                                "    while (atomicCAS(owner, 0, blockIdx.x + 1) != 0) continue;\n"
                                "    __threadfence();\n    *d = *d + 1;\n    __threadfence();\n"
                                "    atomicExch(owner, 0);\n}\n";

    expect_launch(1, "k.cu:10: error: |:delay-", lock,
                  "k<<<2, 1>>>(zeros int owner[1], zeros int d[1])", "--size 1");
    expect_launch(1, "k.cu:10: error: |:delay-", lock,
                  "k<<<8, 1>>>(zeros int owner[1], zeros int d[1])", "--size 1");
    expect_launch(0, "race-free", right, "k<<<8, 1>>>(zeros int owner[1], zeros int d[1])",
                  "--size 1");
}

/* The case of such a race shows it again. */
TEST(case_of_a_race_is_replayed)
{
    static const char launch[] = "k<<<2, 1>>>(zeros int f[1], scratch int d[1])";
    const char *file =
        text_write(in_folder("k.cu"), "__global__ void k(volatile int *f, int *d)\n"
                                      "{ if (*f == 0) {\n *f = 1;\n d[0] = 7; } }\n");
    struct ended ended = run_line("check %s '%s' --engine sim --only races", file, launch);
    char *case_id = strstr(ended.output, "--case ");

    assert_non_null(case_id);
    case_id += strlen("--case ");
    case_id[strcspn(case_id, " \n")] = '\0';
    expect_run(1, "data race|d[0]", "check %s '%s' --case %s", file, launch, case_id);
    free(ended.output);
}

TEST(results_of_other_orders_are_compared)
{
    static const char tail[] =
        "__global__ void k(const float *x, float *y)\n"
        "{\n __shared__ volatile float s[128];\n int t = threadIdx.x;\n"
        " s[t] = x[t];\n __syncthreads();\n"
        " for (int d = 16; d > 0; d /= 2)\n if (t < d)\n s[t] = fmaxf(s[t], s[t + d]);\n"
        " if (t == 0)\n y[0] = s[0];\n}\n";

    expect_launch(1,
                  "error: order-dependent result|y[0] is |, and |under schedule "
                  "sequential|:independent:reverse:",
                  tail, "k<<<1, 32>>>(in float x[32], out float y[1])",
                  "--only races --model independent");
    expect_launch(0, "k  PASS  race-free\n", tail, "k<<<1, 32>>>(in float x[32], out float y[1])",
                  "--only races --model lockstep");
}

/* Without a reference, an execution under weak memory is compared with the others. */
TEST(weak_executions_are_compared_with_each_other)
{
    static const char fence[] = "__device__ int flag;\n"
                                "__global__ void k(volatile unsigned *data, unsigned *seen)\n"
                                "{ if (blockIdx.x == 0) {\n data[0] = 1;\n FENCE();\n"
                                " atomicExch(&flag, 1);\n } else {\n"
                                " while (atomicExch(&flag, 0) == 0) ;\n FENCE();\n"
                                " seen[0] = data[0]; } }\n",
                      launch[] = "k<<<2, 1>>>(zeros unsigned data[1], out unsigned seen[1])";

    expect_launch(1,
                  "error: order-dependent result|:independent:weak-|seen[0] is 0 under schedule "
                  "weak-1, and 1 under "
                  "schedule sequential",
                  fence, launch, "--memory weak --only races -- -DFENCE=__threadfence_block");
    expect_launch(0, "k  PASS  race-free\n|!order-dependent", fence, launch,
                  "--memory weak --only races -- -DFENCE=__threadfence");
    expect_launch(2, "--memory weak compares its executions in the part races", fence, launch,
                  "--memory weak --only determinism");
}

TEST(code_decides_whether_there_is_something_to_check)
{
    static const char nothing[] = "__global__ void other(int *y) { y[threadIdx.x] = 1; }\n"
                                  "__global__ void k(int n) { n += 1; }\n",
                      some[] = "__global__ void k(int *y, int n) { if (n > 100)\n"
                               " y[threadIdx.x] = 1; }\n",
                      barrier[] = "__global__ void k(int n) { __syncthreads(); }\n";

    expect_launch(0, "note: the code accesses no global or shared memory", nothing,
                  "k<<<1, 32>>>(3)", "");
    expect_launch(3, "k  PARTIAL  not all was checked\n|note: no case reached a memory access",
                  some, "k<<<1, 32>>>(inout int y[32], 5)", "");
    expect_launch(0, "k  PASS  in bounds, initialized, race-free, deterministic\n|!note:", some,
                  "k<<<1, 32>>>(inout int y[32], 500)", "");
    expect_launch(0, "k  PASS  in bounds, initialized, race-free, deterministic\n|!note:", barrier,
                  "k<<<1, 32>>>(3)", "");
    expect_launch(2, "k is never launched", some, "k<<<n / 32, 32>>>(inout int y[n], 5)",
                  "--size 0");
}

/* Races at the same lines, but in different arrays or files, are different findings. */
TEST(equal_lines_do_not_hide_races)
{
    char launch[] = "k<<<1, 64>>>(zeros int a[1], zeros int b[1])";

    expect_launch(1,
                  "error: data race on a[0]\n|error: data race on b[0]\n|k  FAIL  2 data races\n",
                  "__global__ void k(int *a, int *b)\n"
                  "{ int t = threadIdx.x;\n a[0] = t; b[0] = t; }\n",
                  launch, "--only races");
    text_write(in_folder("h.h"), "\n__device__ void put(int *a, int t)\n{ a[0] = t; }\n");
    expect_launch(1, "k.cu:3: error: data race|h.h:3: error: data race",
                  "#include \"h.h\"\n__global__ void k(int *a, int *b) { int t = threadIdx.x;\n"
                  "a[0] = t;\n __syncthreads(); put(a, t); }\n",
                  launch, "--only races");
}

TEST_MAIN("orders", set_up, folder_remove)
