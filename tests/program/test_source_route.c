/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check` without nvcc: plain CUDA C++ by the host compiler, on the engine host. With an
 * nvcc as argument: that nvcc gives the values that the test of functions expects.
 */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#define SOURCES SOURCE_FOLDER "/tests/program/source/"
static const char right[] = SOURCES "right.cu", wrong[] = SOURCES "wrong.cu",
                  values[] = SOURCES "values.cu";

static const char *nvcc; /* null: without */

static void check(const char *file, const char *launch, const char *sizes, int status,
                  const char *says)
{
    expect_run(status, says, "check %s '%s' --size %s %s %s", file, launch, sizes,
               nvcc != NULL ? "--nvcc" : "--engine", nvcc != NULL ? nvcc : "host");
}

struct row {
    const char *launch, *sizes, *says;
};

TEST(right_kernels_pass)
{
    static const struct row rows[] = {
        {"saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in float x[n], inout float y[n])", "0,1,1000",
         "the same bits in 3 cases"},
        {"linear::sum<double, 64><<<(n + 63) / 64, 64, 512>>>(in double x[n], "
         "out double y[(n + 63) / 64], n)",
         "1,64,100", "the same bits in 3 cases"},
        {"reversed<short><<<1, n, 2 * n>>>(in short x[n], out short y[n])", "1,64",
         "the same bits in 2 cases"},
        {"transpose<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(out float y[n], "
         "in float x[n], nx, ny)",
         "1x1,17x33", "the same bits in 2 cases"},
        {"sums_of_blocks<<<(n + 127) / 128, 128>>>(in float x[n], out float y[(n + 127) / 128], n)",
         "1,300", "the same bits in 2 cases"},
        {"variables<<<n, 1>>>(out float y[n], out unsigned last[1])", "1,5",
         "the same bits in 2 cases"},
        {"groups<<<1, 128>>>(in int x[128], out int y[128])", "1", "the same bits in 1 case"},
        {"mapped<scaled><<<2, 32>>>(in float x[n], out float y[n], n, 2.0f)", "1,100",
         "the same bits in 2 cases"},
        {"looked_up<<<1, 32>>>(out int y[n], n)", "1,20", "the same bits in 2 cases"},
        {"returns_early<<<1, 64>>>(in int x[n], out int y[n], n)", "1,40",
         "the same bits in 2 cases"},
        {"parent<<<1, 32>>>(out int y[64])", "1", "the same bits in 1 case"},
        {"calls_what_returns<<<1, 64>>>(in int x[n], out int y[n], n)", "1,40",
         "the same bits in 2 cases"},
        {"arg_max<<<1, 64, 8 * 33 + 16 * 64>>>(in double x[64], out double y[1], 64)", "1",
         "the same bits in 1 case"},
        {"chosen<<<1, 64>>>(in bool x[n], zeros int y[2 * n], n)", "1,40",
         "the same bits in 2 cases"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check(right, rows[k].launch, rows[k].sizes, 0, rows[k].says);
}

TEST(wrong_ones_are_refused_with_their_lines)
{
    static const struct row rows[] = {
        {"past_the_end<<<(n + 63) / 64, 64>>>(n, in float x[n], out float y[n])", "33",
         "at x[1], outside its 1 elements, in a guard zone (source/wrong.cu:18)"},
        {"race_in_a_function<<<1, 64>>>(out int y[64])", "1", "wrong.cu:26|box, byte |race, at"},
        {"race_in_a_template<int><<<1, 64, 4>>>(out int y[64])", "1",
         "writes it, 0 to 1: launch0, source/wrong.cu:39|dynamic shared memory"},
        {"race_for_a_variable<<<1, 32>>>(out int y[32])", "1",
         "counter[0]|writes it, 0 to 1: launch0, source/wrong.cu:46"},
        {"race_between_blocks<<<2, 1>>>(out int y[2])", "1",
         "launch0, source/wrong.cu:53|updates it atomically, in the scope of its device: launch0, "
         "source/wrong.cu:54"},
        {"past_a_constant<<<1, 4>>>(out float y[4])", "1",
         "reads 4 bytes at table[4], outside its 4 elements, in a guard zone (source/wrong.cu:59)"},
        {"writes_a_constant<<<1, 4>>>(out float y[4])", "1",
         "writes table[0], a read-only input (source/wrong.cu:64)"},
        {"past_a_variable<<<1, 5>>>(out int y[5])", "1",
         "at before[8], outside its 4 elements, in a guard zone (source/wrong.cu:70)"},
        {"unwritten_shared<<<1, 64>>>(out int y[64])", "1",
         "reads s, byte 0, shared memory that no thread of its block has written "
         "(source/wrong.cu:81)"},
        {"past_dynamic<<<1, 64, 252>>>(out int y[64])", "1",
         "outside the kernel's shared arrays (source/wrong.cu:88)"},
        {"divergent<<<1, 32>>>(out int y[32])", "1", "divergent-barrier|source/wrong.cu:95"},
        {"asserts<<<1, 32>>>(out int y[32])", "1",
         "fails the assertion `threadIdx.x < 7` (source/wrong.cu:101)"},
        {"traps<<<1, 32>>>(out int y[32])", "1", "comes to a trap (source/wrong.cu:108)"},
        {"prints<<<1, 32>>>(out int y[32])", "1",
         "prints, and nobody has asked it to (source/wrong.cu:114)"},
        {"bounded<<<1, 65>>>(out int y[65])", "1",
         "is of a block of 65, and the kernel was compiled for 64 at the most"},
        {"order_dependent<<<1, 64>>>(out int y[64])", "1", "other bits, by the order"},
        {"unwritten_output<<<1, 32>>>(out int y[n], n)", "9", "leaves y[0] unwritten"},
        {"past_an_atomic<<<1, 32>>>(inout int y[32])", "1",
         "at y[32], outside its 32 elements, in a guard zone (source/wrong.cu:136)"},
        {"sum_of_some_lanes<<<1, 20>>>(in int x[20], out int y[1])", "1", "other bits"},
        {"vote_of_some_lanes<<<1, 32>>>(in int x[32] = uniform(0, 9), out int y[32])", "1",
         "for lanes that do not come (source/wrong.cu:155)"},
        {"two_reductions<<<1, 32>>>(out int y[32])", "1",
         "at __reduce_add_sync(), and lane 16 at __reduce_max_sync() with 0xffffffff, line 164 "
         "(source/wrong.cu:162)"},
        {"between_words<<<1, 1>>>(in uint8_t x[8], out int y[1], 3)", "1",
         "makes an access of 4 bytes at no multiple of that (source/wrong.cu:169)"},
        {"into_a_wide_word<<<1, 1>>>(zeros float y[8], 3)", "1",
         "makes an access of 8 bytes at no multiple of that (source/wrong.cu:174)"},
        {"counts_or_asks<<<1, 64>>>(out int y[64])", "1",
         "waits at a barrier of its block while others wait at another one"},
        {"counts_some<<<1, 64>>>(out int y[64])", "1",
         "passes by a __syncthreads() at which others of its block wait (source/wrong.cu:190)"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check(wrong, rows[k].launch, rows[k].sizes, 1, rows[k].says);
    check(wrong, "bounded<<<1, 64>>>(out int y[64])", "1", 0, "the same bits");
    check(wrong, "counts_who_is_left<<<1, 64>>>(zeros int y[64], 40)", "1", 0, "the same bits");
    check(wrong, "race_in_a_template<int><<<1, 1, 4>>>(out int y[1])", "1", 0, "race-free");
    check(wrong, "between_words<<<1, 1>>>(in uint8_t x[8], out int y[1], 4)", "1", 0, "same bits");
    check(wrong, "into_a_wide_word<<<1, 1>>>(zeros float y[8], 2)", "1", 0, "same bits");
}

/* Launches the kernels one after another. */
static void check_values(const char *const kernels[], const char *argument)
{
    char launches[512] = "";

    for (size_t k = 0; kernels[k] != NULL; k++)
        snprintf(launches + strlen(launches), sizeof launches - strlen(launches),
                 "%s%s<<<1, 32>>>(out int y%zu[32], %s)", k > 0 ? "; " : "", kernels[k], k,
                 argument);
    check(values, launches, "1", 0, "the same bits in 1 case");
}

TEST(functions_give_what_cuda_says)
{
    static const char *const with_a_number[] = {"integers", "bits",    "conversions",
                                                "lanes",    "vectors", NULL};
    static const char *const with_a_float[] = {"operations", "functions", "fast_functions",
                                               "halves", NULL};

    check_values(with_a_number, "1");
    check_values(with_a_float, "1.0f");
    check(values, "atomics<<<1, 1>>>(inout int y[32], inout float f[1], inout double d[1])", "1", 0,
          "the same bits in 1 case");
    check(values, "wrong<<<1, 32>>>(out int y[32], 1)", "1", 1,
          "fails the assertion `__popc(0xffu * one) == 9`");
}

/* A file of the test's own. */
static const char *written(const char *name, const char *text)
{
    return text_write(in_folder(name), text);
}

/* What stands in line 3 of a kernel, or in front of it in line 1. */
TEST(what_is_not_there_is_refused_by_name)
{
    static const struct {
        const char *front, *body, *says;
    } rows[] = {
        {"", "asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));",
         ":3: error: 'asm' (inline PTX)"},
        {"", "x = tex2D<float>(0, 1.0f, 2.0f);", ":3: error: 'tex2D' (textures and surfaces)"},
        {"texture<float, 2> picture;", "", ":1: error: 'texture' (textures and surfaces)"},
        {"", "surf2Dwrite(x, 0, 1, 2);", ":3: error: 'surf2Dwrite' (textures and surfaces)"},
        {"#include <cooperative_groups.h>\n#line 2", "cooperative_groups::this_grid().sync();",
         ": error: 'this_grid' (synchronisation of a grid)"},
        {"#include <cooperative_groups.h>\n#line 2", "cooperative_groups::coalesced_threads();",
         ": error: 'coalesced_threads'"},
        {"", "nvcuda::wmma::fill_fragment(x, 0);", ":3: error: 'wmma' (matrix instructions)"},
        {"", "int *p = (int *)malloc(4); x = *p;", ":3: error: 'malloc' (memory that kernels"},
        {"", "int *p = new int[4]; x = *p;", ":3: error: 'new' (memory that kernels"},
        {"", "delete out;", ":3: error: 'delete' (memory that kernels"},
        {"", "x = __shfl(x, 0);", ":3: error: '__shfl' (which CUDA has no more: __shfl_sync)"},
        {"", "__pipeline_commit();", ":3: error: '__pipeline_commit' (asynchronous copies)"},
        {"template <typename T> __device__ T of_any;", "", "a variable that is a template"},
        {"#include <mma.h>", "", "mma.h (matrix instructions) is not there without nvcc"},
        {"#include <cub/cub.cuh>", "", "cub/cub.cuh (the library CUB) is not there without nvcc"},
        {"#include <thrust/device_vector.h>", "", "fatal error: "},
        {"#include <thrust/device_vector.h>", "", "is not there without nvcc: give one by --nvcc"},
        {"#include <curand_kernel.h>", "", "curand_kernel.h (random numbers) is not there"},
        {"", "frobnicate(x);", ":3:1: error: "},
        {"", "frobnicate(x);", "frobnicate"},
        {"#include <nowhere.h>", "", ":1:10: fatal error: "},
        {"", "x = atomicMin((float *)out, 1.0f);", "atomicMin of such a type is not there"},
    };
    char text[1024];

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        snprintf(text, sizeof text,
                 "%s\n__global__ void k(int *out) { int x = 0;\n%s\nout[0] = x; }\n", rows[k].front,
                 rows[k].body);
        check(written("refused.cu", text), "k<<<1, 1>>>(out int y[1])", "1", 2, rows[k].says);
    }
    /* Those names, where they are not what is refused. */
    check(written("named.cu",
                  "#include <cstdlib>\n"
                  "struct S { int free, asm_; S() = default; S(const S &) = delete;\n"
                  "    __device__ void malloc() { free = 1; } };\n"
                  "void host() { int *p = new int[3]; delete[] p; free(malloc(3)); asm(\"\"); }\n"
                  "__global__ void k(int *out) { S s; s.malloc(); int tex2D = s.free;\n"
                  "    struct L { int n; L(int m) : n{m} {} L(const L &) = delete; } l(tex2D);\n"
                  "    out[0] = l.n; }\n"),
          "k<<<1, 1>>>(out int y[1])", "1", 0, "the same bits");
}

TEST(launches_that_do_not_fit_are_told)
{
    check(wrong, "asserts<<<1, 32>>>(out int y[32], n)", "1", 2,
          "asserts takes 1 arguments, and the launch has 2");
    check(wrong, "past_the_end<<<1, 32>>>(in int n[1], in float x[n], out float y[n])", "1", 2,
          "argument 1 of past_the_end has 4 bytes, and the launch has an array");
    check(wrong, "past_the_end<<<1, 32>>>(n, in double x[n], out float y[n])", "1", 2,
          "argument 2 of past_the_end points to numbers of another size");
    check(wrong, "nobody<<<1, 32>>>(out int y[32])", "1", 2, "the launch:1");
    check(wrong, "no_kernel<<<1, 32>>>(out int y[32])", "1", 2,
          "no_kernel is no kernel: it is not __global__");
    check("/nowhere/k.cu", "k<<<1, 32>>>(out int y[32])", "1", 2, "cannot read '/nowhere/k.cu'");
    check("/tmp", "k<<<1, 32>>>(out int y[32])", "1", 2, "cannot read '/tmp': Is a directory");
    expect_run(2, "--block is given, and the launch has no B",
               "check '%s' 'past_the_end<<<1, 32>>>(n, in float x[n], out float y[n])' --block 64 "
               "--engine host",
               wrong);
}

TEST(a_case_id_runs_its_case_again)
{
    static const char launch[] = "past_the_end<<<1, 64>>>(n, in float x[n], out float y[n])";
    struct ended ended = run_line("check %s '%s' --size 33 --engine host", wrong, launch);
    char *case_id = strstr(ended.output, "--case ");

    assert_non_null(case_id);
    case_id = strndup(case_id + strlen("--case "), strcspn(case_id, "\n") - strlen("--case "));
    assert_memory_equal(case_id, "2:host:", 7);
    expect_ended(ended, 1, "in a guard zone");
    expect_run(1, "in a guard zone", "check %s '%s' --case %s", wrong, launch, case_id);
    free(case_id);
}

/* Only what is CUDA's is refused, not what lies in a folder of that name. */
TEST(folders_may_be_called_as_libraries)
{
    static const char kernel[] = "#include \"count.h\"\n__global__ void k(int *out)\n"
                                 "{ out[threadIdx.x] = COUNT; }\n";
    static const char *const names[] = {"cuda", "cub", "curand_tests"};
    char path[64];

    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[f]);
        assert_int_equal(mkdir(path, 0755), 0);
        snprintf(path, sizeof path, "%s/count.h", names[f]);
        written(path, "#define COUNT 3\n");
        snprintf(path, sizeof path, "%s/k.cu", names[f]);
        check(written(path, kernel), "k<<<1, 32>>>(out int y[32])", "1", 0, "the same bits");
    }
    written("cub/version.cuh", "\n");
    check(written("cub/k.cu", kernel), "k<<<1, 32>>>(out int y[32])", "1", 2,
          "is not there without nvcc: give one by --nvcc");
}

/* Flags reach the compiler, but for those that nvcc alone has. */
TEST(flags_are_the_compilers)
{
    const char *file = written("flags.cu", "#include \"size.h\"\n__global__ void k(int *out)\n{ "
                                           "out[threadIdx.x] = SIZE + EXTRA; }\n");
    char header[128], include[64];

    snprintf(include, sizeof include, "-I%s/include", folder);
    assert_int_equal(mkdir(include + 2, 0755), 0);
    snprintf(header, sizeof header, "%s/include/size.h", folder);
    text_write(header, "#define SIZE 3\n");
    expect_run(0, "the same bits",
               "check '%s' 'k<<<1, 32>>>(out int y[32])' --size 1 --engine host -- '%s' -DEXTRA=1 "
               "-arch=sm_90 -gencode arch=compute_80,code=sm_80 -lineinfo --expt-relaxed-constexpr",
               file, include);
    expect_run(2, "EXTRA",
               "check '%s' 'k<<<1, 32>>>(out int y[32])' --size 1 --engine host -- '%s'", file,
               include);
}

/* Where there is no nvcc on the path, and nobody says which engine. */
TEST(without_nvcc_it_is_the_engine_host)
{
    static const char *const tools[] = {"as", "ld", "env", "rm"};
    char path[128], tool[160], place[64];
    const char *before = getenv("PATH");
    char *kept = strdup(before != NULL ? before : "");

    snprintf(path, sizeof path, "%s/bin", folder);
    assert_int_equal(mkdir(path, 0755), 0);
    for (size_t k = 0; k < sizeof tools / sizeof *tools; k++) {
        snprintf(tool, sizeof tool, "%s/%s", path, tools[k]);
        snprintf(place, sizeof place, "/usr/bin/%s", tools[k]);
        assert_int_equal(symlink(place, tool), 0);
    }
    setenv("PATH", path, 1);
    expect_run(0, " host ",
               "check '%s' 'saxpy<<<1, 64>>>(n, 2.0f, in float x[n], inout float y[n])' --size 33",
               right);
    setenv("SIMTCHECK_REQUIRE", "cuda", 1);
    expect_run(3, "engine cuda is not available: without nvcc",
               "check '%s' 'saxpy<<<1, 64>>>(n, 2.0f, in float x[n], inout float y[n])' --size 33",
               right);
    unsetenv("SIMTCHECK_REQUIRE");
    setenv("PATH", kept, 1);
    free(kept);
    expect_run(2, "is no nvcc", "check '%s' 'saxpy<<<1, 64>>>(n)' --size 33 --nvcc /bin/echo",
               right);
}

/* The catalogue's own files are CUDA C++ too. */
TEST(kernels_of_the_catalogue_pass)
{
    check(SOURCE_FOLDER "/kernels/warp_map.cu",
          "warpMapCorrected<<<(n + 63) / 64, 64>>>(out unsigned number[n], out unsigned warp[n], "
          "out unsigned lane[n], n)",
          "1,100", 0, "the same bits");
}

int main(int argc, char **argv)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    nvcc = argc > 1 ? argv[1] : NULL;
    if (nvcc != NULL)
        cmocka_set_test_filter("functions_*");
    return tests_run("source route", folder_make, folder_remove);
}
