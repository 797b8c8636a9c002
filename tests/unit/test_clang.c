/* SPDX-License-Identifier: MIT
 *
 * The choice of clang, its command line, and the PTX that it makes from CUDA C++.
 */
#include "check.h"

#include "accept.h"
#include "clang.h"

#include <unistd.h>

static char *old_path;

/* Sets the PATH to the test's own scripts only. */
static int hide_tools(void **state)
{
    old_path = strdup(getenv("PATH"));
    unsetenv("SIMTCHECK_CLANG");
    return folder_make(state) != 0 || setenv("PATH", folder, 1) != 0;
}

static int show_tools(void **state)
{
    setenv("PATH", old_path, 1);
    free(old_path);
    return folder_remove(state);
}

/* Writes a script that stands in for a clang of that version. It writes its arguments to the file
 * `words`. */
static const char *play_clang(const char *name, const char *version)
{
    char text[512];

    snprintf(text, sizeof text,
             "if [ \"$1\" = --version ]; then echo 'Debian clang version %s'; exit 0; fi\n"
             "printf '%%s\\n' \"$@\" >%s/words\n",
             version, folder);
    return script_make(name, text);
}

static void expect_found(const char *path, const char *version)
{
    struct compiler clang;
    char error[256] = "";

    if (!clang_open(NULL, &clang, error, sizeof error))
        fail_msg("%s", error);
    assert_string_equal(clang.path, path);
    assert_string_equal(clang.version, version);
    assert_int_equal(clang.front_end, FRONT_END_CLANG);
}

static void expect_none(const char *path, const char *says)
{
    struct compiler clang;
    char error[256] = "";

    assert_false(clang_open(path, &clang, error, sizeof error));
    if (strstr(error, says) == NULL)
        fail_msg("'%s' does not say '%s'", error, says);
}

TEST(newest_clang_is_selected)
{
    expect_none(NULL, "install clang 14");
    play_clang("clang++-14", "14.0.6");
    expect_found("clang++-14", "14.0.6");
    play_clang("clang++-16", "16.0.6");
    expect_found("clang++-16", "16.0.6");
    play_clang("clang++", "14.0.0-1ubuntu1");
    expect_found("clang++-16", "16.0.6");
    play_clang("clang++", "16.0.1");
    expect_found("clang++", "16.0.1");
    play_clang("clang++", "22.1.0");
    expect_found("clang++", "22.1.0");
}

TEST(clang_can_be_named_explicitly)
{
    const char *named = play_clang("my_clang", "18.1.8");

    setenv("SIMTCHECK_CLANG", named, 1);
    expect_found(named, "18.1.8");
    unsetenv("SIMTCHECK_CLANG");
    expect_none(play_clang("old_clang", "11.0.1"), "needs clang 14 or newer");
    expect_none(script_make("gcc", "echo 'gcc (Debian) 12.2.0'"), "is not a clang++");
    expect_none(in_folder("nothing"), "is not a clang++");
}

TEST(each_clang_targets_its_newest_ptx)
{
    static const struct {
        const char *version;
        int ptx;
    } known[] = {{"14.0.6", 75}, {"16.0.6", 78}, {"19.1.7", 85}, {"21.1.0", 88}, {"30.0.0", 88}};
    struct compiler clang = {.path = "clang++"};

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        strcpy(clang.version, known[k].version);
        assert_int_equal(clang_ptx_version(&clang), known[k].ptx);
    }
}

/* Compiles with those flags, and checks the words of the command line. '|' separates the expected
 * words; a word after '!' must not appear. */
static void expect_words(const char *const *flags, size_t count, const char *expected)
{
    char error[512] = "", *words, copy[512], *left = copy;
    struct compiler clang;

    play_clang("clang++-19", "19.1.7");
    assert_true(clang_open(in_folder("clang++-19"), &clang, error, sizeof error));
    if (!clang_build_ptx(&clang, flags, count, "a.cu", "a.ptx", error, sizeof error))
        fail_msg("%s", error);
    words = text_read(in_folder("words"));
    snprintf(copy, sizeof copy, "%s", expected);
    for (char *word; (word = strsep(&left, "|")) != NULL;) {
        bool absent = word[0] == '!';
        char line[256];
        snprintf(line, sizeof line, "\n%s\n", word + absent);
        if ((strstr(words, line) != NULL) == absent)
            fail_msg("'%s' in: %s", word, words);
    }
    free(words);
}

TEST(nvcc_flags_are_translated)
{
    static const char *const none[] = {NULL}, *const plain[] = {"-DA=1",      "-I/b",     "-O0",
                                                                "-std=c++14", "-include", "c.h"},
                             *const dropped[] = {"-lineinfo",
                                                 "-Xptxas",
                                                 "-v",
                                                 "-rdc=true",
                                                 "--expt-relaxed-constexpr",
                                                 "-maxrregcount=32",
                                                 "-ccbin",
                                                 "g++-12",
                                                 "-g",
                                                 "-t=2"},
                             *const fmad[] = {"--fmad=false"}, *const fast[] = {"-use_fast_math"},
                             *const debug[] = {"-G"}, *const arch[] = {"-arch=sm_90a"},
                             *const virtual[] = {"-arch", "compute_86", "-DB"},
                             *const gencode[] = {"-gencode", "arch=compute_89,code=sm_89"};

    expect_words(none, 0, "--cuda-gpu-arch=sm_80|+ptx85|-O2|--cuda-device-only|a.cu|-o|a.ptx");
    expect_words(plain, 6, "-DA=1|-I/b|-O0|-std=c++14|-include|c.h");
    expect_words(dropped, 10, "!-lineinfo|!-Xptxas|!-v|!-rdc=true|!g++-12|!-g|!-t=2|a.cu");
    expect_words(fmad, 1, "-ffp-contract=off|!--fmad=false");
    expect_words(fast, 1, "-D__USE_FAST_MATH__|-nvptx-prec-divf32=0");
    expect_words(debug, 1, "-O0|!-G");
    expect_words(arch, 1, "--cuda-gpu-arch=sm_90a|!--cuda-gpu-arch=sm_80");
    expect_words(virtual, 3, "--cuda-gpu-arch=sm_86|-DB|!compute_86");
    expect_words(gencode, 2, "--cuda-gpu-arch=sm_89|!arch=compute_89,code=sm_89");
}

/* ---- With a real clang ---- */

/* Compiles the text, and returns the PTX. It needs a clang on the PATH. */
static char *ptx_of(const char *text, char *error, size_t error_size)
{
    struct decoded *decoded = NULL;
    struct compiler clang;
    bool good;

    setenv("PATH", old_path, 1);
    good = clang_open(NULL, &clang, error, error_size);
    if (good)
        good = clang_build_ptx(&clang, NULL, 0, text_write(in_folder("a.cu"), text),
                               in_folder("a.ptx"), error, error_size) &&
               (decoded = decode_open((const char *const[]){in_folder("a.ptx")}, 1, error,
                                      error_size)) != NULL &&
               decode_accepts(decoded, error, error_size);
    else
        skip();
    decode_close(decoded);
    setenv("PATH", folder, 1);
    return good ? text_read(in_folder("a.ptx")) : NULL;
}

static void expect_ptx(const char *text, const char *has)
{
    char error[1024] = "", copy[512], *left = copy, *ptx = ptx_of(text, error, sizeof error);

    if (ptx == NULL)
        fail_msg("%s", error);
    snprintf(copy, sizeof copy, "%s", has);
    for (char *word; (word = strsep(&left, "|")) != NULL;)
        if (strstr(ptx, word) == NULL)
            fail_msg("'%s' is not in: %s", word, ptx);
    free(ptx);
}

TEST(cuda_functions_compile_to_their_instructions)
{
    expect_ptx("__global__ void k(int *a, unsigned long long *b, float *f)\n"
               "{\n"
               "    atomicAdd_block(a, 1);\n"
               "    atomicCAS_system(b, 1ull, 2ull);\n"
               "    f[0] = __ldg(f + 1) + __fmaf_rz(f[2], f[3], f[4]);\n"
               "    a[2] = __reduce_min_sync(~0u, a[1]) + __float2int_ru(f[5]);\n"
               "    __threadfence_system();\n"
               "}\n",
               "atom.cta.add.s32|atom.sys.cas.b64|ld.global.nc.u32|fma.rz.f32|redux.sync.min.s32|"
               "cvt.rpi.s32.f32|membar.sys");
}

/* Code inlined from the prelude has the line of the call, 3, and none of the prelude's lines. */
TEST(accesses_have_the_line_of_the_user_code)
{
    expect_ptx("__global__ void k(int *a)\n{\n    atomicAdd(a, 1);\n}\n", ".loc\t1 3 5");
}

/* clang 14 moves the load of `last` before the barrier if it recognizes the barrier instruction. */
TEST(accesses_do_not_move_across_barriers)
{
    char error[1024] = "", *load, *barrier;
    char *ptx = ptx_of("__global__ void k(int *a)\n"
                       "{\n"
                       "    __shared__ bool last;\n"
                       "    if (threadIdx.x == 0)\n"
                       "        last = atomicAdd(a, 1) == 3;\n"
                       "    __syncthreads();\n"
                       "    if (last && threadIdx.x == 1)\n"
                       "        a[0] = 0;\n"
                       "}\n",
                       error, sizeof error);

    if (ptx == NULL)
        fail_msg("%s", error);
    barrier = strstr(ptx, "bar.sync");
    load = strstr(ptx, "ld.shared");
    assert_non_null(barrier);
    assert_non_null(load);
    if (load < barrier)
        fail_msg("the load is before the barrier: %s", ptx);
    free(ptx);
}

TEST(host_code_beside_kernels_is_accepted)
{
    expect_ptx("#include <cuda_runtime.h>\n#include <algorithm>\n#include <cmath>\n"
               "#include <iostream>\n#include <memory>\n#include <vector>\n"
               "template <typename T> __global__ void k(T *a, dim3 d) { a[threadIdx.x] = d.y; }\n"
               "int main()\n"
               "{\n"
               "    std::vector<float> v(8, std::sin(1.0f));\n"
               "    float *p;\n"
               "    if (cudaMalloc(&p, 32) != cudaSuccess)\n"
               "        std::cerr << cudaGetErrorString(cudaGetLastError()) << sinf(2);\n"
               "    k<float><<<dim3(1), 8, 0, 0>>>(p, dim3(1, 2));\n"
               "    cudaMemcpy(v.data(), p, 32, cudaMemcpyDeviceToHost);\n"
               "    return cudaFree(p) != cudaSuccess || std::max(1, 2) != max(2, 1);\n"
               "}\n",
               ".entry _Z1kIfEvPT_4dim3");
}

TEST(features_missing_in_clang_are_explained)
{
    char error[1024] = "";
    char *ptx = ptx_of("__global__ void child() {}\n"
                       "__global__ void parent() { child<<<1, 1>>>(); }\n",
                       error, sizeof error);

    assert_null(ptx);
    if (strstr(error, "a.cu:2:") == NULL || strstr(error, "use nvcc") == NULL)
        fail_msg("%s", error);
}

TEST_MAIN("clang", hide_tools, show_tools)
