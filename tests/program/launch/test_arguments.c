/* SPDX-License-Identifier: MIT
 *
 * Arguments of launches that are no plain arrays and numbers: functions, objects, constants of the
 * code, arrays with pointers. Mistakes in such launches. Runs with every installed compiler.
 */
#include "launch_rows.h"

#define ALL_PASS "  PASS  in bounds, initialized, race-free, deterministic"
#define RUN_PASS "  PASS  in bounds, initialized"

static int set_up(void **state)
{
    int status = folder_make(state);

    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    return status;
}

/* The mutants of TILE are killed: one has a thread too many, the other one too few. */
TEST(mutate_takes_constants)
{
    static const char kernel[] = "#define TILE 16\n"
                                 "__device__ int one(int i) { return i; }\n"
                                 "__global__ void put(int *x, int y)\n"
                                 "{\n"
                                 "    x[threadIdx.x] = y;\n"
                                 "}\n"
                                 "__global__ void call(int *x, int (*f)(int)) { x[0] = f(0); }\n";
    const char *path = text_write(in_folder("tile.cu"), kernel);

    expect_run(0, "launch              4        4|mutation score: 8 of 8",
               "mutate %s 'put<<<1, TILE>>>(out int x[TILE], 7)' --size 1", path);
    expect_run(2, "'one' is no number: mutate does not support functions and objects",
               "mutate %s 'call<<<1, 1>>>(out int x[1], one)' --size 1", path);
}

/* A kernel leaves elements unwritten unless its argument doubles a number. */
TEST(functions_and_objects_are_arguments)
{
    static const char kernels[] =
        "#ifndef FACTOR\n"
        "#define FACTOR 2\n"
        "#endif\n"
        "template <typename T> __device__ T scaled(T x) { return FACTOR * x; }\n"
        "__device__ float twice(float x) { return FACTOR * x; }\n"
        "namespace ns {\n"
        "struct Twice { __device__ float operator()(float x) const { return FACTOR * x; } };\n"
        "struct Scale { float a; __device__ float operator()(float x) const { return a * x; } };\n"
        "}\n"
        "enum class Mode { A, B = FACTOR };\n"
        "__device__ float table[64] = {FACTOR};\n"
        "__global__ void apply(float *y, float (*f)(float))\n"
        "{ if (f(threadIdx.x + 1) == 2 * threadIdx.x + 2) y[threadIdx.x] = 1; }\n"
        "template <typename T, typename F = ns::Twice> __global__ void map(T *y, F f = F())\n"
        "{ if (f(threadIdx.x + 1) == 2 * threadIdx.x + 2) y[threadIdx.x] = 1; }\n"
        "__global__ void mode(int *y, Mode m) { if (m == (Mode)2) y[0] = 1; }\n"
        "__global__ void first(float *y, const float *from) { if (from[0] == 2) y[0] = 1; }\n";
#define FUNCTIONS                                                                                  \
    "apply<<<1, 9>>>(out float a[9], twice);"                                                      \
    "apply<<<1, 9>>>(out float b[9], &scaled<float>);"                                             \
    "apply<<<1, 9>>>(out float c[9], [] __device__ (float x) { float a = FACTOR; return a * x; "   \
    "});"                                                                                          \
    "mode<<<1, 1>>>(out int d[1], Mode::B);"                                                       \
    "first<<<1, 1>>>(out float e[1], table)"
#define OBJECTS                                                                                    \
    "map<<<1, 9>>>(out float a[9], twice);"                                                        \
    "map<<<1, 9>>>(out float b[9], scaled<float>);"                                                \
    "map<<<1, 9>>>(out float c[9], [](auto x) -> float { return FACTOR * x; });"                   \
    "map<<<1, 9>>>(out float d[9], ns::Twice());"                                                  \
    "map<float><<<1, 9>>>(out float e[9], ns::Scale{1.0f * FACTOR});"                              \
    "map<float, ns::Scale><<<1, 9>>>(out float g[9], {float FACTOR});"                             \
    "map<<<1, 9>>>(out float h[9], [a = 1, b = ns::Scale{1.0f * FACTOR}](float x) { return a * "   \
    "b(x); });"                                                                                    \
    "map<float><<<1, 9>>>(out float f[9])"
    static const struct launch_row right[] = {{0, ALL_PASS, FUNCTIONS, NULL},
                                              {0, ALL_PASS, OBJECTS, NULL}},
                                   wrong[] = {{1, "does not write a[0]", FUNCTIONS, NULL},
                                              {1, "does not write a[0]", OBJECTS, NULL}};
    static const char *const captures[] = {"[&]", "[=]", "[x]", "[a = 1, x]", "[&a = x]"};
    char path[128];

    snprintf(path, sizeof path, "%s", text_write(in_folder("functions.cu"), kernels));
    expect_launches(path, "--size 1", GROUP(right));
    expect_launches(path, "--size 1 --only run -DFACTOR=3", GROUP(wrong));
    for (size_t c = 0; c < sizeof captures / sizeof *captures; c++)
        expect_run(2, "give it values, as in [a = 2.0f]",
                   "check %s 'map<<<1, 9>>>(out float y[9], %s(float x) { return x; })'", path,
                   captures[c]);
    expect_run(2, "such as [](float x) { return 2 * x; }",
               "check %s 'map<<<1, 9>>>(out float y[9], [](float x) { return x; )'", path);
    expect_run(2, "'twice' is no number", "check %s 'apply<<<twice, 9>>>(out float y[9], twice)'",
               path);
    expect_run(2, "argument 2 of apply has 8 bytes, but 'ns::Twice()' has another size",
               "check %s 'apply<<<1, 9>>>(out float y[9], ns::Twice())'", path);
    expect_run(2, "a launch of apply: apply<<<",
               "check %s 'apply<<<1, 9>>>(y)'", path);
}

static const char tables[] =
    "__global__ void sums(const float *const *rows, float *y, int m, int n)\n"
    "{\n"
    "    if (threadIdx.x < m) {\n"
    "        y[threadIdx.x] = 0;\n"
    "        for (int k = 0; k < n; k++) y[threadIdx.x] += rows[threadIdx.x][k];\n"
    "    }\n"
    "}\n"
    "template <typename T> __global__ void fill(T **rows, int m, int n)\n"
    "{\n"
    "    if (threadIdx.x < m)\n"
    "        for (int k = 0; k < n; k++) rows[threadIdx.x][k] = k + threadIdx.x;\n"
    "}\n"
    "__global__ void set(float **rows) { rows[0] = rows[1]; }\n"
    "struct job { const float *x; int n; float *y; };\n"
    "__global__ void copy(const job *jobs, int m)\n"
    "{\n"
    "    if (threadIdx.x < m)\n"
    "        for (int k = 0; k < jobs[threadIdx.x].n; k++)\n"
    "            jobs[threadIdx.x].y[k] = jobs[threadIdx.x].x[k];\n"
    "}\n"
    "__global__ void count(job *jobs)\n"
    "{\n"
    "    job *own = &jobs[threadIdx.x];\n"
    "#ifdef LOSES\n"
    "    own->n += threadIdx.x == 1 ? 2 : 1;\n"
    "#else\n"
    "    own->n++;\n"
    "#endif\n"
    "    own->x++;\n"
    "    own->x--;\n"
    "    own->y[0] = own->x[0];\n"
    "}\n"
    "__global__ void swap(job *jobs) { job t = jobs[0]; jobs[0] = jobs[1]; jobs[1] = t; }\n";

/* Each row has bounds of its own. */
TEST(arrays_have_pointers)
{
    static const struct launch_row rows[] = {
        {0, RUN_PASS, "sums<<<1, 32>>>(in float *rows[m][n], out float y[m], m, n)", NULL},
        {0, RUN_PASS,
         "fill<<<1, 32>>>(out float *rows[m][n], m, n); sums<<<1, 32>>>(rows, out float y[m], m, "
         "n)",
         NULL},
        {0, RUN_PASS, "copy<<<1, 32>>>(in {in float x[n], int n, out float y[n]} jobs[m], m)",
         NULL},
        {1, "reads 4 bytes at rows[0][1], outside its 1 elements",
         "sums<<<1, 32>>>(in float *rows[m][n], out float y[m], m, n + 1)", NULL},
        {1, "does not write rows[0][1]; rows[0] has 2 elements",
         "fill<<<1, 32>>>(out float *rows[m][n + 1], m, n)", NULL},
        {1, "writes rows[0], a read-only input", "set<<<1, 1>>>(inout float *rows[m][n])", NULL},
        {0, RUN_PASS, "set<<<1, 1>>>(zeros long long rows[2])", NULL},
        {1, "writes jobs[0], a read-only input",
         "count<<<1, m>>>(in {in float x[n], int 1, out float y[1]} jobs[m])", NULL},
        {0, RUN_PASS, "count<<<1, m>>>(inout {in float x[n], int 1, out float y[1]} jobs[m])",
         NULL},
        {0, RUN_PASS,
         "count<<<1, m>>>(inout {in float x[n], int n - 1, out float y[n]} jobs[m]);"
         "copy<<<1, 32>>>(jobs, m); swap<<<1, 1>>>(jobs)",
         NULL},
        {1, "reads 4 bytes at jobs[0].x[1], outside its 1 elements",
         "count<<<1, m>>>(inout {in float x[n], int n, scratch float y[n + 1]} jobs[m]);"
         "copy<<<1, 32>>>(jobs, m)",
         NULL},
        {1, "reads 4 bytes at jobs[0].x[1], outside its 1 elements",
         "copy<<<1, 32>>>(in {in float x[n], int n + 1, out float y[n + 1]} jobs[m], m)", NULL},
    };
    static const struct {
        const char *says, *launch;
    } mistakes[] = {
        {"argument 1 of sums points to pointers: declare an array of pointers to rows",
         "sums<<<1, 32>>>(in float rows[m][n], out float y[m], m, n)"},
        {"does not point to pointers to elements of 8 bytes",
         "sums<<<1, 32>>>(in double *rows[m][n], out float y[m], m, n)"},
        {"does not point to pointers",
         "sums<<<1, 32>>>(in float *r[m][n], out float *y[m][1], m, n)"},
        {"rows is an array of pointers: give the size of each row",
         "sums<<<1, 32>>>(in float *rows[m], out float y[m], m, n)"},
        {"does not point to structs of 16 bytes",
         "copy<<<1, 32>>>(in {in float x[n], int n} jobs[m], m)"},
        {"an array of structs is 'in' or 'inout'",
         "copy<<<1, 32>>>(out {in float x[n], int n} jobs[m], m)"},
        {"x has pointers, and cannot be in an array of structs",
         "copy<<<1, 32>>>(in {in float *x[n][2], int n} jobs[m], m)"},
    };
    char path[128], other[128];

    snprintf(path, sizeof path, "%s", text_write(in_folder("tables.cu"), tables));
    expect_launches(path, "--size m=3,n=5 --shrink free --only run", GROUP(rows));
    for (size_t r = 0; r < sizeof mistakes / sizeof *mistakes; r++)
        expect_run(2, mistakes[r].says, "check %s '%s' --size m=3,n=5 --only run", path,
                   mistakes[r].launch);
    snprintf(other, sizeof other, "%s", in_folder("lost.cu"));
    text_write(other, "#define LOSES\n#include \"tables.cu\"\n");
    expect_run(1, "wrong result|jobs[1] byte 8",
               "check %s 'count<<<1, m>>>(inout {in float x[n], int 1, out float y[1]} jobs[m])' "
               "--size m=3,n=5 --only run --against %s",
               path, other);
    snprintf(
        other, sizeof other, "%s",
        text_write(in_folder("other.cu"),
                   "template <typename T> __global__ void fill(T **rows, int m, int n)\n"
                   "{\n"
                   "    for (int i = 0; i < m; i++)\n"
                   "        for (int k = 0; k < n; k++) rows[i][k] = k + i + (i == 2 && k == 1);\n"
                   "}\n"));
    expect_run(1, "rows[2][1]",
               "check %s 'fill<<<1, 32>>>(out float *rows[m][n], m, n)' --size m=3,n=5 --only run "
               "--against %s",
               path, other);
}

/* What the launch gives is wrong, not the kernel. */
TEST(mistakes_of_a_launch_are_named)
{
    char path[128];

    snprintf(path, sizeof path, "%s",
             text_write(in_folder("mistakes.cu"),
                        "#include <cuda_fp16.h>\n"
                        "template <typename T> __constant__ T mask[9];\n"
                        "__global__ void halves(const __half *x, float *y) { y[0] = "
                        "__half2float(x[0]); }\n"
                        "__global__ void masked(float *y) { y[0] = mask<float>[8]; }\n"
                        "#ifdef OLD\n"
                        "namespace ns {} void host() { ns::cudaThreadSynchronize(); }\n"
                        "#endif\n"));
    expect_run(0, ALL_PASS, "check %s 'halves<<<1, 1>>>(in half x[1], out float y[1])'", path);
    expect_run(2, "argument 1 of halves does not point to elements of 4 bytes",
               "check %s 'halves<<<1, 1>>>(in float x[1], out float y[1])' --only run", path);
    expect_run(2, "B is the number of threads of a block: give its values with --block",
               "check %s 'masked<<<1, B>>>(out float y[1])' --size B=32", path);
    expect_run(2, "add '-- -DcudaThreadSynchronize=cudaDeviceSynchronize'",
               "check %s 'masked<<<1, 1>>>(out float y[1])' -DOLD", path);
    expect_run(0, RUN_PASS,
               "check %s 'in float mask<float>[9]; masked<<<1, 1>>>(out float y[1])' --only run",
               path);
    expect_run(2,
               "the launch gives mask<float> 5 elements of 4 bytes, but the variable of the code "
               "has 36 bytes, which are 9 elements",
               "check %s 'in float mask<float>[5]; masked<<<1, 1>>>(out float y[1])' --only run",
               path);
}

TEST_MAIN("arguments", set_up, folder_remove)
