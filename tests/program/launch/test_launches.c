/* SPDX-License-Identifier: MIT
 *
 * What `check` accepts: launches in C++ syntax, sizes with names, files of launches, PTX, and what
 * it keeps between two checks. Runs with every installed compiler.
 */
#include "launch_rows.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static int set_up(void **state)
{
    int status = folder_make(state);

    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    return status;
}

static const char code[] =
    "enum mode { FAST = 2 };\n"
    "#define TILE 16\n"
    "template <typename Type, int width> struct tile { static const int size = width; };\n"
    "namespace ns {\n"
    "template <typename Type> __global__ void fill(Type *x, int n, Type value = Type(FAST))\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        x[i] = value;\n"
    "}\n"
    "}\n"
    "__global__ void once(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
    "__global__ void once(double *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
    "__global__ void cube(int *x, int a, int b, int c)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < a * b * c && !(a > 2 && b > 1 && c > 4))\n"
    "        x[i] = i;\n"
    "}\n"
    "__global__ void push(const int *x, int *list, int *count, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n && x[i] % 2 != 0)\n"
    "        list[atomicAdd(count, 1)] = i + 1;\n"
    "}\n"
    "__global__ void lose(const int *x, int *list, int *count, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n && x[i] % 2 != 0)\n"
    "        list[atomicExch(count, *(volatile int *)count + 1)] = i + 1;\n"
    "}\n";

#define ALL_PASS "  PASS  in bounds, initialized, race-free, deterministic"
#define RUN_PASS "  PASS  in bounds, initialized"

/* Checks a launch at some sizes. */
static void check(const char *launch, const char *size, int status, const char *says)
{
    expect_run(status, says, "check %s '%s' --size %s", text_write(in_folder("code.cu"), code),
               launch, size);
}

/* A grid that is too small leaves elements unwritten, so each constant counts. */
TEST(launches_take_cxx_expressions)
{
    static const struct launch_row rows[] = {
        {0, ALL_PASS,
         "ns::fill<float><<<(n + TILE - 1) / TILE, tile<float, 16>::size>>>(out float x[n], n, "
         "2.0f)",
         "--size 1,33"},
        {0, ALL_PASS,
         "ns::fill<float><<<ceil(n / 16.0), sizeof(float) << 2>>>(out float x[n], n, (float)n)",
         "--size 1,33"},
        {0, ALL_PASS,
         "ns::fill<float><<<n > 4 ? ceil(n / 16.0) : 1, TILE * FAST / 2>>>(out float x[n], n, 2)",
         "--size 1,33"},
        {1, "does not write x[32]", "ns::fill<float><<<n / TILE, TILE>>>(out float x[n], n, 2.0f)",
         "--size 16,33"},
    };

    expect_launches(text_write(in_folder("code.cu"), code), "", GROUP(rows));
    check(
        "ns::fill<float><<<1, WIDTH>>>(out float x[n], n, 2.0f)", "1", 2,
        "WIDTH|names of the code, and sizes: n; nx and ny (n is then nx * ny); or those that get");
}

/* Lanes may be between the operations of one instruction when others run: they must not share the
 * room of a value. */
TEST(narrow_values_are_kept_under_every_schedule)
{
    const char *path = text_write(in_folder("narrow.cu"), "__global__ void narrow(int *y)\n"
                                                          "{\n"
                                                          "    __shared__ unsigned char s[3];\n"
                                                          "    s[threadIdx.x] = threadIdx.x + 1;\n"
                                                          "    __syncthreads();\n"
                                                          "    y[threadIdx.x] = s[threadIdx.x];\n"
                                                          "}\n");

    expect_run(0, ALL_PASS, "check %s 'narrow<<<1, 3>>>(out int y[3])' --schedules 16", path);
}

/* The code's own B is not taken for the threads of a block. */
TEST(another_b_is_noticed)
{
    static const char kernel[] =
        "__global__ void one(int *x) { if (threadIdx.x == 0) x[0] = 1; }\n";
    char text[256], path[128];

    snprintf(text, sizeof text, "const int B = 64;\n%s", kernel);
    snprintf(path, sizeof path, "%s", text_write(in_folder("b.cu"), text));
    expect_run(2, "B means the threads of a block in a launch, but the code has a B, too",
               "check %s 'one<<<1, B>>>(out int x[1])' --block 32", path);
    expect_run(0, ALL_PASS, "check %s 'one<<<1, ::B>>>(out int x[1])' --size 1", path);
    snprintf(text, sizeof text, "#define B 64\n%s", kernel);
    text_write(in_folder("b.cu"), text);
    expect_run(2, "B means the threads of a block in a launch, but the code has a B, too",
               "check %s 'one<<<1, B>>>(out int x[1])' --block 32", path);
    text_write(in_folder("b.cu"), kernel);
    expect_run(0, ALL_PASS, "check %s 'one<<<1, B>>>(out int x[1])' --block 32", path);
}

TEST(kernels_are_found_as_in_cxx)
{
    static const struct launch_row rows[] = {
        {0, ALL_PASS, "ns::fill<<<(n + 31) / 32, 32>>>(out float x[n], n)", "--size 1,33"},
        {0, ALL_PASS, "fill<<<(n + 31) / 32, 32>>>(out double x[n], n, 2.5)", "--size 1,33"},
        {0, ALL_PASS, "once<<<1, 32>>>(out float x[n], n)", "--size 1,32"},
        {0, ALL_PASS, "once<<<1, 32>>>(out double x[n], n)", "--size 1,32"},
    };

    expect_launches(text_write(in_folder("code.cu"), code), "", GROUP(rows));
    check("cube<<<1, 32>>>(out float x[8], 2, 2, 2)", "1", 0,
          "'x' has elements of type float, but the parameter of cube points to int");
    check("once<<<1, 32>>>(x, n)", "1", 2,
          "a launch of once: once<<<1, 256>>>(out float x[256], n)");
    check("once<<<1, 32>>>(out float x[n])", "1", 2,
          "a launch of once: once<<<1, 256>>>(out float x[256], n)");
}

/* A kernel of a header is found as one of the file, in the folder of the file or of a flag. A
 * library's kernel of the same name does not count. */
TEST(kernels_of_headers_count)
{
    static const struct launch_row rows[] = {
        {0, RUN_PASS, "put<<<1, 32>>>(out float x[n], n)", NULL},
        {0, RUN_PASS, "put<<<1, 32>>>(out double x[n], n)", NULL},
        {0, RUN_PASS, "fill<<<1, 32>>>(out float x[n], n)", NULL},
        {0, RUN_PASS, "fill<<<1, 32>>>(out int x[n], n, 7)", NULL},
        {0, RUN_PASS, "fill<double, 1><<<1, 32>>>(out double x[n], n)", NULL},
        {1, "code.cuh:5: error: ", "ns::put<<<1, 32>>>(out float x[n], n)", NULL},
    };
    char path[128], flags[128], *text;

    assert_int_equal(mkdir(in_folder("headers"), 0755), 0);
    assert_int_equal(mkdir(in_folder("headers/deep"), 0755), 0);
    text_write(
        in_folder("headers/deep/code.cuh"),
        "#pragma once\n"
        "#include \"more.cuh\"\n"
        "namespace ns {\n"
        "__global__ void put(float *x, int n)\n"
        "{ x[n] = 1; }\n"
        "}\n"
        "__global__ void put(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
        "__global__ void put(double *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n");
    text_write(in_folder("headers/deep/more.cuh"),
               "#include <deep/code.cuh>\n"
               "template <typename T, int more = 0>\n"
               "__global__ void fill(T *x, int n, T value = T(1) + more)\n"
               "{ if (threadIdx.x < n) x[threadIdx.x] = value; }\n");
    snprintf(path, sizeof path, "%s",
             text_write(in_folder("headers.cu"), "#include <cstdio>\n# include <deep/code.cuh>\n"
                                                 "int main() {}\n"));
    snprintf(flags, sizeof flags, "--size 1,32 --only run -I %s", in_folder("headers"));
    expect_launches(path, flags, GROUP(rows));
    expect_run(2, "a launch of put: put<<<", "check %s 'put<<<1, 32>>>(x, n)' -I%s", path,
               in_folder("headers"));
    expect_run(2, "a launch is missing|put<<<1, 256>>>(out double x[256], n)|fill<float, 0>",
               "check %s -I %s", path, in_folder("headers"));
    expect_run(0, "headers.launches", "init %s -I %s", path, in_folder("headers"));
    text = text_read(in_folder("headers.launches"));
    assert_non_null(strstr(text, "\nns::put<<<"));
    free(text);
    expect_run(2, "defines no kernel", "init %s --out %s", path, in_folder("no.launches"));
}

/* The text is read without the preprocessor, so it must not decide. */
TEST(text_is_not_believed)
{
    static const struct launch_row rows[] = {
        {0, ALL_PASS, "one<<<1, 1>>>(out float x[1], n)", NULL},
        {0, ALL_PASS, "two<<<1, 1>>>(out int x[1], n)", NULL},
        {0, ALL_PASS, "three<<<1, 1>>>(out int x[1], n)", NULL},
        {0, ALL_PASS, "four<<<1, 1>>>(out int x[1], n)", NULL},
        {0, ALL_PASS, "a::b::four<<<1, 1>>>(out int x[1], n)", NULL},
    };
    const char *path = text_write(in_folder("branches.cu"),
                                  "#define PARAMETERS int *x, int n\n"
                                  "#ifdef WIDE\n"
                                  "__global__ void one(double *x, int n) { x[n - 1] = 1; }\n"
                                  "#else\n"
                                  "__global__ void one(float *x, int n) { x[n - 1] = 1; }\n"
                                  "#endif\n"
                                  "__global__ void two(PARAMETERS) { x[n - 1] = 1; }\n"
                                  "__global__ void three(int *x,\n"
                                  "#ifdef WIDE\n"
                                  "                      int more,\n"
                                  "#endif\n"
                                  "                      int n) { x[n - 1] = 1; }\n"
                                  "typedef int *pointer;\n"
                                  "namespace a::b { namespace {\n"
                                  "__global__ void four(pointer x, int n) { x[n - 1] = 1; }\n"
                                  "} }\n");

    expect_launches(path, "--size 1", GROUP(rows));
    expect_run(0, ALL_PASS, "check %s 'one<<<1, 1>>>(out double x[1], n)' --size 1 -DWIDE", path);
}

/* The kernel omits all work if each size is large enough: the smallest such sizes are found. */
TEST(sizes_have_names)
{
    static const char launch[] =
        "cube<<<(rows * columns * deep + 31) / 32, 32>>>(out int x[rows][columns][deep], rows, "
        "columns, deep)";

    check(launch, "rows=1-2,columns=1,7,deep=0,5", 0, ALL_PASS);
    check(launch, "rows=1,9,columns=7,deep=0,11", 1, "case: rows = 9, columns = 7, deep = 11, ");
    check(launch, "rows=9,columns=7,deep=11 --shrink free", 1,
          "case: rows = 3, columns = 2, deep = 5, ");
    expect_run(0, "as the reference", "check %s '%s' --size rows=2,columns=1,deep=4,6 --against %s",
               in_folder("code.cu"), launch, in_folder("code.cu"));
    check(launch, "rows=3,columns=7", 2, "deep");
    check(launch, "rows=3,columns", 2, "is not a list of");
    check(launch, "a=1,b=2,c=3,d=4,e=5", 2, "at most 4 names");
    expect_run(2, "the same in each --size",
               "check %s '%s' --size rows=1,columns=1,deep=1 "
               "--size columns=1,rows=1,deep=1",
               in_folder("code.cu"), launch);
}

/* The elements of a worklist may come in any order, but none may be lost. */
TEST(outputs_may_be_unordered)
{
    static const struct launch_row rows[] = {
        {0, "push  PASS  in bounds, initialized, race-free, deterministic",
         "push<<<(n + 31) / 32, 32>>>(in int x[n], zeros int list[n] unordered, zeros int c[1], n)",
         NULL},
        {1, "error: order-dependent result",
         "push<<<(n + 31) / 32, 32>>>(in int x[n], zeros int list[n], zeros int c[1], n)", NULL},
        {1, "error: data race",
         "lose<<<(n + 31) / 32, 32>>>(in int x[n], zeros int list[n] unordered, zeros int c[1], n)",
         NULL},
    };

    expect_launches(text_write(in_folder("code.cu"), code), "--size 0,33,70", GROUP(rows));
}

/* What each allowance excuses fails without it. An allowance for another place excuses nothing. */
TEST(allowances_name_places)
{
    static const char kernels[] =
        "#include <cstdio>\n"
        "__global__ void mark(int *x) {\n"
        "    x[0] = 7;\n"
        "    x[1] = blockIdx.x; }\n"
        "__global__ void place(int *x, int *c) { x[threadIdx.x] = atomicAdd(c, 1); }\n"
        "__global__ void say(int *x) { x[threadIdx.x] = 1; if (threadIdx.x % 32 == 0)\n"
        "    printf(\"%d\", threadIdx.x); }\n"
        "__global__ void part(int *x) { if (threadIdx.x < 32)\n"
        "    __syncthreads();\n"
        "  else\n"
        "    __syncthreads();\n"
        "  x[threadIdx.x] = 1; }\n";
#define MARK "mark<<<1, 2>>>(zeros int x[2])"
#define PLACE "place<<<1, 64>>>(out int x[64], zeros int c[1])"
#define SAY "say<<<1, 64>>>(out int x[64])"
#define SAY_ONCE "say<<<1, 32>>>(out int x[32])"
#define PART "part<<<1, 64>>>(out int x[64])"
#define LINE "same-value:allowed.cu:"
#define UNUSED "excuses nothing: remove it"
    static const struct launch_row rows[] = {
        {1, "!allowed: ", MARK, NULL},
        {0, "allowed: ", MARK, "--allow same-value:x"},
        {1, UNUSED, MARK, "--allow same-value:y"},
        {0, "allowed: ", MARK, "--allow " LINE "3 --allow " LINE "4"},
        {1, "allowed: same-value:", MARK, "--allow " LINE "3"},
        {1, "!allowed: ", PLACE, NULL},
        {0, "allowed: ", PLACE, "--allow order:x"},
        {1, UNUSED, PLACE, "--allow order:c"},
        {1, "!allowed: ", SAY, NULL},
        {0, "allowed: ", SAY, "--allow prints:allowed.cu:7"},
        {1, UNUSED, SAY, "--allow prints:allowed.cu:6"},
        {1, "depends on the order of threads: if it may, add --allow prints:", SAY, NULL},
        {0, "!allowed: ", SAY_ONCE, NULL},
        {1, "!allowed: ", PART, "--strict-barriers"},
        {0, "allowed: ", PART, "--strict-barriers --allow warp-barriers:allowed.cu:9"},
        {1, UNUSED, PART, "--strict-barriers --allow warp-barriers:allowed.cu:12"},
    };
    char path[128];

    snprintf(path, sizeof path, "%s", text_write(in_folder("allowed.cu"), kernels));
    expect_launches(path, "", GROUP(rows));
    expect_run(0, "allowed: same-value:",
               "check %s '" MARK "' --allow same-value:%s:3 --allow " LINE "4", path, path);
    expect_run(1, UNUSED, "check %s '" MARK "' --allow same-value:/nowhere/allowed.cu:3", path);
    expect_run(2, "--allow prints:allowed.cu:7 excuses nothing: remove it",
               "check %s '" SAY_ONCE "' --allow prints:allowed.cu:7", path);
    expect_run(2, "the launch has no 'out', 'inout' or 'zeros' array of that name",
               "check %s 'part<<<1, 32>>>(out int x[32])' --allow order:y", path);
    expect_run(2, "array of that name: did you mean 'sum'?",
               "check %s 'part<<<1, 32>>>(out int sum[32])' --allow order:smu", path);
    expect_run(1, "--allow same-value:mraks excuses nothing: did you mean 'marks'?",
               "check %s 'mark<<<1, 2>>>(zeros int marks[2])' --allow same-value:mraks", path);
    expect_run(2, "must name an array or a line",
               "check %s 'part<<<1, 32>>>(out int x[32])' --allow prints:7", path);
}

/* Returns how many compilations are kept. */
static size_t count_kept(void)
{
    DIR *kept = opendir(in_folder("cache/simtcheck"));
    struct dirent *entry;
    size_t count = 0;

    while (kept != NULL && (entry = readdir(kept)) != NULL)
        count += strstr(entry->d_name, ".files") != NULL;
    if (kept != NULL)
        closedir(kept);
    return count;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

/* Each line is checked, with its options, whatever the others are. They are compiled together. */
TEST(files_of_launches_are_checked)
{
    char path[128];
    size_t before = count_kept();
    struct ended ended;

    snprintf(path, sizeof path, "%s",
             text_write(in_folder("code.launches"),
                        "# a comment\n\n"
                        "once<<<1, 32>>>(out float x[n], n) --size 1,32\n"
                        "code.cu: two = once<<<1, 32>>>(out double x[n], \\\n"
                        "    n) --size n=7\n"
                        "fill<<<1, 32>>>(out int x[n], n) --size 33\n"));
    text_write(in_folder("code.cu"), code);
    ended = run_line("check %s %s --compiler nvcc", in_folder("code.cu"), path);
    if (strstr(ended.output, "cannot run nvcc") != NULL || strstr(ended.output, "is not nvcc")) {
        free(ended.output);
        ended = run_line("check %s %s --compiler clang", in_folder("code.cu"), path);
    }
    if (ended.status != 1 || count_of(ended.output, ALL_PASS) != 2 ||
        strstr(ended.output, "code.launches:4, ") == NULL ||
        strstr(ended.output, "does not write x[32]") == NULL)
        fail_msg("%d: %s", ended.status, ended.output);
    free(ended.output);
    assert_int_equal(count_kept(), before + 1);
    text_write(in_folder("code.launches"), "once<<<1, 32>>(out float x[n], n)\n"
                                           "fill<<<1, 32>>>(out int x[n], n) --size 3\n"
                                           "once<<<1, 32>>>(out float x[n], n) --size\n");
    expect_run(2,
               "code.launches:1: column 8 of the launch: '>>>' is missing|"
               "code.launches:3: --size needs a value|" ALL_PASS,
               "check %s %s", in_folder("code.cu"), path);
    text_write(in_folder("code.launches"), "fill<<<1, 32>>>(out int x[n], n) --size 3 --tol ulp:1\n"
                                           "\nflil<<<1, 32>>>(out int x[n], n) --size 3\n");
    expect_run(2,
               "code.launches:1: '--tol' is not an option of 'check': did you mean '--tolerance'?|"
               "code.launches:3: |no kernel 'flil': did you mean 'fill'? It has ns::fill, once, "
               "cube, push, lose",
               "check %s %s", in_folder("code.cu"), path);
    text_write(in_folder("code.launches"), "# none\n");
    expect_run(2, "has no launch: add a line such as", "check %s %s", in_folder("code.cu"), path);
}

/* The lines name their files, and compiler flags follow "--". */
TEST(a_file_of_launches_is_enough)
{
    char text[512], cu[128];

    snprintf(cu, sizeof cu, "%s",
             text_write(in_folder("put.cu"), "__global__ void put(int *x) { x[AT] = 1; }\n"));
    snprintf(text, sizeof text,
             "%s: put<<<1, 1>>>(out int x[1]) --model independent -- -DAT=0\n"
             "%s: put<<<1, 1>>>(out int x[1]) -- -DAT=7\n"
             "%s: put<<<1, 1>>>(out int x[1])\n",
             cu, cu, cu);
    text_write(in_folder("put.launches"), text);
    expect_run(1, ALL_PASS "|put  FAIL|put.launches:2, |\n3 launches: 2 PASS, 1 FAIL\n",
               "check %s -DAT=0", in_folder("put.launches"));
    text_write(in_folder("put.launches"), "put<<<1, 1>>>(out int x[1])\n");
    expect_run(2, "put.launches:1: the kernel's file is missing: write FILE.cu: before the launch",
               "check %s", in_folder("put.launches"));
}

TEST(init_writes_launches)
{
    char path[128];
    char *text;

    snprintf(path, sizeof path, "%s", text_write(in_folder("start.cu"), code));
    expect_run(2, "a launch is missing|once<<<1, 256>>>(out double x[256], n) --size 1,2,33,100",
               "check %s", path);
    expect_run(0, "start.launches: correct the launches, then run", "init %s", path);
    text = text_read(in_folder("start.launches"));
    assert_non_null(
        strstr(text, "\npush<<<(n + 255) / 256, 256>>>(in int x[n], out int list[n], zeros int "
                     "count[1], n)\n"));
    free(text);
    expect_run(2, "exists: remove it, or give another file with --out", "init %s", path);
    expect_run(0, "other.launches", "init %s --out %s", path, in_folder("other.launches"));
    expect_run(2, "defines no kernel", "init %s", text_write(in_folder("none.cu"), "int x;\n"));
    expect_run(2, "cannot read", "init %s", in_folder("nowhere.cu"));
}

/* The launches of these kernels need no edit: each one passes. */
TEST(init_reads_the_kernel)
{
    static const char kernels[] =
        "#define TILE 8\n"
        "constexpr int BINS = 64;\n"
        "typedef double real;\n"
        "__global__ void product(const float *a, float *b, float *c, int M, int N, int K)\n"
        "{\n"
        "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    float sum = 0;\n"
        "    if (row >= M || column >= N)\n"
        "        return;\n"
        "    for (int k = 0; k < K; k++)\n"
        "        sum += a[row * K + k] * b[k * N + column];\n"
        "    c[row * N + column] = sum;\n"
        "}\n"
        "__global__ void turn(const real *in, real *out, int width, int height)\n"
        "{\n"
        "    __shared__ real tile[TILE][TILE + 1];\n"
        "    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
        "    if (x < width && y < height)\n"
        "        tile[threadIdx.y][threadIdx.x] = in[y * width + x];\n"
        "    __syncthreads();\n"
        "    int u = blockIdx.y * TILE + threadIdx.x, v = blockIdx.x * TILE + threadIdx.y;\n"
        "    if (u < height && v < width)\n"
        "        out[v * height + u] = tile[threadIdx.x][threadIdx.y];\n"
        "}\n"
        "__global__ void count(const unsigned char *x, int *bins, int n)\n"
        "{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n)\n"
        "        atomicAdd(&bins[x[i] % BINS], 1);\n"
        "}\n"
        "template <typename T, int SIZE> __global__ void sums(const T *x, T *y, int n)\n"
        "{\n"
        "    __shared__ T s[SIZE];\n"
        "    int i = blockIdx.x * SIZE + threadIdx.x;\n"
        "    s[threadIdx.x] = i < n ? x[i] : T(0);\n"
        "    __syncthreads();\n"
        "    for (int k = SIZE / 2; k > 0; k /= 2) {\n"
        "        if (threadIdx.x < k)\n"
        "            s[threadIdx.x] += s[threadIdx.x + k];\n"
        "        __syncthreads();\n"
        "    }\n"
        "    if (threadIdx.x == 0)\n"
        "        y[blockIdx.x] = s[0];\n"
        "}\n"
        "__global__ void scale(float *x, int rows, int cols)\n"
        "{\n"
        "    extern __shared__ float parts[];\n"
        "    float *row = x + blockIdx.x * cols, sum = 0;\n"
        "    for (int c = threadIdx.x; c < cols; c += blockDim.x)\n"
        "        sum += row[c];\n"
        "    parts[threadIdx.x] = sum;\n"
        "    __syncthreads();\n"
        "    for (int c = threadIdx.x; c < cols; c += blockDim.x)\n"
        "        row[c] /= parts[0];\n"
        "}\n"
        "struct point { float x, y; };\n"
        "__global__ void move(point *p, const point *by, int n)\n"
        "{\n"
        "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
        "        p[i].x += by->x;\n"
        "}\n";
    static const char *const launches[] = {
        "product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(in float a[M * K], "
        "in float b[K * N], out float c[M * N], M, N, K) --size M=1,8,17,N=1,8,17,K=1,8,17\n",
        "turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>("
        "in double in[height * width], out double out[width * height], width, height) "
        "--size width=1,16,33,100,height=1,16,33,100\n",
        "count<<<(n + 255) / 256, 256>>>(in unsigned char x[n], zeros int bins[BINS], n)\n",
        "sums<float, 256><<<(n + 255) / 256, 256>>>(in float x[n], "
        "out float y[(n + 255) / 256], n)\n",
        "scale<<<rows, 256, 256 * sizeof(float)>>>(inout float x[rows * cols], rows, cols) "
        "--size rows=1,16,33,100,cols=1,16,33,100\n",
        "move<<<1, 256>>>(inout char p[n * sizeof(point)], in char by[1 * sizeof(point)], n) "
        "--size 1,2,33,100\n",
    };
    char path[128], *text;

    snprintf(path, sizeof path, "%s", text_write(in_folder("read.cu"), kernels));
    expect_run(0, "read.launches", "init %s", path);
    text = text_read(in_folder("read.launches"));
    for (size_t k = 0; k < sizeof launches / sizeof *launches; k++)
        if (strstr(text, launches[k]) == NULL)
            fail_msg("no line %sin %s", launches[k], text);
    free(text);
    expect_run(0, "6 launches: 6 PASS", "check %s %s", path, in_folder("read.launches"));
}

TEST(a_pointer_in_a_struct_may_be_null)
{
    const char *path =
        text_write(in_folder("null.cu"), "struct pair { const int *from; int *to, add; };\n"
                                         "__global__ void copy(pair p)\n"
                                         "{\n"
                                         "    p.to[threadIdx.x] = (p.from ? *p.from : 1) + p.add;\n"
                                         "}\n");

    expect_run(0, ALL_PASS, "check %s 'copy<<<1, n>>>({nullptr, out int x[n], int 3})' --size 3,33",
               path);
}

TEST(templates_with_given_arguments_may_be_overloaded)
{
    const char *path = text_write(in_folder("fill.cu"),
                                  "template <typename T, int N> __global__ void fill(T *x, T by)\n"
                                  "{\n"
                                  "    x[threadIdx.x] = by + N;\n"
                                  "}\n"
                                  "template <typename T, int N> __global__ void fill(T *x)\n"
                                  "{\n"
                                  "    x[threadIdx.x] = N;\n"
                                  "}\n");

    expect_run(
        0, ALL_PASS,
        "check %s 'fill<int, 3><<<1, n>>>(out int x[n], 4); fill<int, 3><<<1, n>>>(out int y[n])' "
        "--size 3,33",
        path);
}

/* C++ has no such operation. */
TEST(a_shift_of_a_float_needs_a_cast)
{
    const char *path = text_write(in_folder("shift.cu"), "__global__ void put(int *x)\n"
                                                         "{\n"
                                                         "    x[threadIdx.x] = 1;\n"
                                                         "}\n");

    expect_run(2, "or an operator such as << or % of a float, which needs (int)",
               "check %s 'put<<<1, 1 << ceil(log2(n))>>>(out int x[n])' --size 4", path);
    expect_run(0, ALL_PASS, "check %s 'put<<<1, 1 << (int)ceil(log2(n))>>>(out int x[n])' --size 4",
               path);
}

/* A shared array without a name. */
TEST(races_of_equal_values_name_a_line_to_allow)
{
    const char *path = text_write(in_folder("equal.cu"), "__global__ void equal(int *x)\n"
                                                         "{\n"
                                                         "    extern __shared__ int s[];\n"
                                                         "    s[threadIdx.x / 32] = 7;\n"
                                                         "    __syncthreads();\n"
                                                         "    x[threadIdx.x] = s[0];\n"
                                                         "}\n");

    expect_run(1, "   note: --allow same-value:|/equal.cu:4 accepts such races",
               "check %s 'equal<<<1, 32, 4>>>(out int x[32])'", path);
    expect_run(0, "data race accepted|  PASS",
               "check %s 'equal<<<1, 32, 4>>>(out int x[32])' --allow same-value:equal.cu:4", path);
}

TEST(a_missing_dimension_is_noted)
{
    const char *path =
        text_write(in_folder("plane.cu"), "__global__ void plane(int *x, int nx, int ny)\n"
                                          "{\n"
                                          "    int i = threadIdx.x, j = blockIdx.y;\n"
                                          "    if (i < nx && j < ny)\n"
                                          "        x[j * nx + i] = threadIdx.y;\n"
                                          "}\n");

    expect_run(0, "plane reads threadIdx.y, which is always 0: the launch has no such dimension",
               "check %s 'plane<<<dim3(1, ny), 32>>>(out int x[nx * ny], nx, ny)' --size 4x5",
               path);
    expect_run(1, "plane reads blockIdx.y, which is always 0",
               "check %s 'plane<<<1, dim3(32, 2)>>>(out int x[nx * ny], nx, ny)' --size 4x5", path);
    expect_run(1, "!is always 0",
               "check %s 'plane<<<dim3(1, ny), dim3(32, 2)>>>(out int x[nx * ny], nx, ny)' "
               "--size 4x5",
               path);
}

/* A kernel in PTX is found by its symbol or its name in C++. Without .loc, the lines are those of
 * the PTX. */
TEST(ptx_is_checked)
{
    static const char ptx[] =
        ".version 7.8\n.target sm_80\n.address_size 64\n"
        ".visible .entry _ZN2ns5storeEPii(.param .u64 px, .param .u32 pn)\n{\n"
        "    .reg .b32 i, n; .reg .b64 x, o; .reg .pred p;\n"
        "    ld.param.u64 x, [px]; ld.param.u32 n, [pn];\n"
        "    mov.u32 i, %tid.x; setp.gt.s32 p, i, n; @p bra end;\n"
        "    mul.wide.u32 o, i, 4; add.u64 x, x, o;\n"
        "    st.global.u32 [x], i;\nend:\n    ret;\n}\n"
        ".visible .entry _ZN2ns4skipEPii(.param .u64 px, .param .u32 pn) { ret; }\n";
    char path[128];

    snprintf(path, sizeof path, "%s", text_write(in_folder("store.ptx"), ptx));
    expect_run(2,
               "a launch is missing|_ZN2ns5storeEPii<<<(n + 255) / 256, 256>>>(inout int x0[n], n)|"
               "_ZN2ns4skipEPii<<<|!defines no kernel",
               "check %s", path);
    expect_run(0, "store.launches", "init %s", path);
    expect_run(2, "a launch is missing|plain<<<(n + 255) / 256, 256>>>(inout int x0[n], 1.5f, n)",
               "check %s",
               text_write(in_folder("plain.ptx"),
                          ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .entry plain(.param .u64 a, .param .f32 b, .param .u32 c) "
                          "{ ret; }\n"));
    expect_run(
        2, "none.ptx' defines no kernel", "check %s",
        text_write(in_folder("none.ptx"), ".version 7.8\n.target sm_80\n.address_size 64\n"));
    expect_run(0, ALL_PASS "|, the given PTX, simulator, |!nvcc",
               "check %s 'store<<<1, n + 1>>>(out int x[n + 1], n)' --size 3", path);
    expect_run(1, "store.ptx:10", "check %s 'ns::store<<<1, n + 1>>>(out int x[n], n)' --size 3",
               path);
    expect_run(1, "does not write x[0]",
               "check %s '_ZN2ns4skipEPii<<<1, 1>>>(out int x[n], n)' --size 3", path);
    expect_run(2, "is never launched",
               "check %s 'store<<<1, n>>>(out int x[4], 3); store<<<n / 100, 1>>>(x, 3)' --size 4",
               path);
    expect_run(2, "the PTX has no kernel of that name. It has:|ns::skip(int*, int)",
               "check %s 'none<<<1, 1>>>(out int x[n], n)'", path);
    expect_run(2, "the PTX has no kernel of that name: did you mean 'ns::skip'? It has:",
               "check %s 'ns::skp<<<1, 1>>>(out int x[n], n)'", path);
    expect_run(2, "is not compiled: leave out", "check %s 'store<<<1, 1>>>(out int x[n], n)' -DX",
               path);
    expect_run(2, "give no other file", "check %s %s 'store<<<1, 1>>>(out int x[n], n)'", path,
               path);
    expect_run(2, "'TILE' is neither a size nor a constant of the code",
               "check %s 'store<<<1, TILE>>>(out int x[n], n)'", path);
    expect_run(2, "a lambda cannot be an argument of PTX",
               "check %s 'store<<<1, 1>>>(out int x[n], [](int i) { return i; })'", path);
}

/* Only the compiler knows its folders: the names of these ones say nothing. */
TEST(headers_of_the_user_are_named)
{
    const char *folders[] = {"usr", "usr/include", "thrust", "thrust/thrust"};
    char path[128];

    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        assert_int_equal(mkdir(in_folder(folders[f]), 0755), 0);
    text_write(in_folder("usr/include/reach.cuh"), "#include <thrust/step.cuh>\n"
                                                   "__device__ inline void reach(int *x)\n"
                                                   "{\n"
                                                   "    x[step()] = 1;\n"
                                                   "}\n");
    text_write(in_folder("thrust/thrust/step.cuh"),
               "__device__ inline int step() { return threadIdx.x; }\n");
    snprintf(path, sizeof path, "%s",
             text_write(in_folder("reach.cu"), "#include <reach.cuh>\n"
                                               "#include <cassert>\n"
                                               "__global__ void reaching(int *x) { reach(x); }\n"
                                               "__global__ void no(int *x) { assert(!x); }\n"));
    expect_run(
        1, "include/reach.cuh:4: error: out-of-bounds write|note: inlined at",
        "check %s 'reaching<<<1, 2>>>(out int x[1])' --size 1 -- -I %s/usr/include -I%s/thrust",
        path, folder, folder);
    expect_run(1, "reach.cu:4: error: trap",
               "check %s 'no<<<1, 1>>>(zeros int x[1])' --size 1 -- -I %s/usr/include -I%s/thrust",
               path, folder, folder);
}

/* The names are longer than any that a person writes, in CUDA C++ and in PTX. */
TEST(names_have_any_length)
{
    char name[3000] = "", path[128], text[16384];

    memset(name, 'k', sizeof name - 1);
    snprintf(text, sizeof text,
             "namespace %s {\n"
             "__device__ int table[2];\n"
             "template <typename T> __global__ void own(T *x) { x[blockIdx.x] = table[0]; }\n"
             "template <typename T> __global__ void any(T *x) { x[blockIdx.x] = 2; }\n"
             "} using namespace %s;\n",
             name, name);
    snprintf(path, sizeof path, "%s", text_write(in_folder("names.cu"), text));
    expect_run(0, ALL_PASS, "check %s 'in int table[2]; own<<<2, 1>>>(out int x[2])' --size 1",
               path);
    expect_run(0, ALL_PASS, "check %s '%s::any<<<2, 1>>>(out int x[2])' --size 1", path, name);
    expect_run(1, "at x[1], outside its 1 elements",
               "check %s '%s::any<int><<<2, 1>>>(out int x[1])' --size 1", path, name);
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n"
             ".visible .entry %s1(.param .u64 px) { ret; }\n"
             ".visible .entry %s2(.param .u64 px)\n{\n"
             "    .reg .b64 x; ld.param.u64 x, [px]; st.global.u32 [x], 1; ret;\n}\n",
             name, name);
    snprintf(path, sizeof path, "%s", text_write(in_folder("names.ptx"), text));
    expect_run(0, ALL_PASS, "check %s '%s2<<<1, 1>>>(out int x[1])' --size 1", path, name);
    expect_run(1, "does not write x[0]", "check %s '%s1<<<1, 1>>>(out int x[1])' --size 1", path,
               name);
}

/* The stand-in for nvcc notes each compilation. A change of what was read compiles again. */
TEST(compilations_are_kept)
{
    char compiler[128], cuda[128], *log;

    snprintf(compiler, sizeof compiler, "%s",
             script_make("nvcc",
                         "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; fi\n"
                         "case \"$*\" in *' -E '*) exit 1;; esac # asks for folders\n"
                         "while [ $# -gt 0 ]; do\n"
                         "    [ \"$1\" = -o ] && ptx=$2\n"
                         "    [ \"$1\" = -MF ] && rule=$2\n"
                         "    shift\n"
                         "done\n"
                         "cd \"$(dirname \"$0\")\"\n"
                         "echo run >> runs\n"
                         "echo \"$ptx : kernel.cu $PWD/included.h \\\\\" > \"$rule\"\n"
                         "cat > \"$ptx\" <<'PTX'\n"
                         ".version 7.8\n.target sm_80\n.address_size 64\n"
                         ".visible .entry store(.param .u64 px)\n{\n"
                         "    .reg .b64 x; ld.param.u64 x, [px]; st.global.u32 [x], 1; ret;\n}\n"
                         ".visible .global .align 8 .u64 simt_entry_launch0_0 = store;\n"
                         "PTX\n"));
    snprintf(cuda, sizeof cuda, "%s", text_write(in_folder("kept.cu"), "\n"));
    text_write(in_folder("included.h"), "1\n");
    for (int k = 0; k < 2; k++)
        expect_run(0, ALL_PASS, "check %s 'store<<<1, 1>>>(out int x[1])' --nvcc %s", cuda,
                   compiler);
    log = text_read(in_folder("runs"));
    assert_string_equal(log, "run\n");
    free(log);
    text_write(in_folder("included.h"), "2\n");
    expect_run(0, ALL_PASS, "check %s 'store<<<1, 1>>>(out int x[1])' --nvcc %s", cuda, compiler);
    expect_run(0, ALL_PASS, "check %s 'store<<<1, 1>>>(out int x[1])' --nvcc %s -- -DX", cuda,
               compiler);
    setenv("SIMTCHECK_CACHE_MIB", "0", 1);
    expect_run(0, ALL_PASS, "check %s 'store<<<1, 1>>>(out int x[1])' --nvcc %s", cuda, compiler);
    unsetenv("SIMTCHECK_CACHE_MIB");
    log = text_read(in_folder("runs"));
    assert_string_equal(log, "run\nrun\nrun\nrun\n");
    free(log);
}

TEST_MAIN("launches", set_up, folder_remove)
