/* SPDX-License-Identifier: MIT
 *
 * `simtcheck mutate` with a compiler. Tests kernels whose mutants are known, and one file of the
 * catalogue. All mutants of that file are killed, proved to be equivalent, or argued to be.
 * Argument: an nvcc, or "clang".
 */
#include "batch.h"
#include "check.h"

#include <unistd.h>

static const char *compiler, *option_of_compiler; /* --nvcc PATH or --compiler clang */
static bool by_clang;

static void expect(const char *said, const char *text)
{
    if (strstr(said, text) == NULL)
        fail_msg("'%s' is not in: %s", text, said);
}

static char *mutate(const char *launch, const char *sizes, int status)
{
    const char *const arguments[] = {SIMTCHECK, "mutate",           MUTATE_FILE, launch, "--size",
                                     sizes,     option_of_compiler, compiler,    NULL};
    struct ended ended = program_run(arguments);

    if (ended.status != status)
        fail_msg("exit status %d, and not %d: %s", ended.status, status, ended.output);
    return ended.output;
}

TEST(all_mutants_of_ones_kernel_are_killed)
{
    char *said = mutate("ones<<<n, 4>>>(out int out[4 * n])", "3,5", 0);

    expect(said, "mutate.cu:10: constant, '7' -> '8', in ones"); /* killed by its results only */
    free(said);
}

TEST(surviving_mutants_of_a_sum_are_reported)
{
    char *said = mutate("sum<<<1, 64>>>(in int in[n], out int out[1], n)", "1,33,64", 1);

    expect(said, "constant, '64' -> '65', in sum\n    __shared__ int s[65];");
    if (strstr(said, "barrier,") != NULL || strstr(said, "unused") != NULL)
        fail_msg("a barrier mutant survives, or unused code is mutated: %s", said);
    free(said);
}

TEST(catalogue_mutants_are_killed_or_justified)
{
    struct ended ended = run_line("mutate --kernel warpMap %s '%s'", option_of_compiler, compiler);

    if (ended.status != 0)
        fail_msg("exit status %d: %s", ended.status, ended.output);
    expect(ended.output, "1 argued");
    free(ended.output);
}

/* ---- Proofs ---- */

/* Opens the ptxas next to nvcc. */
static void open_ptxas(struct mutated_source *source)
{
    char ptxas[512], error[512];

    if (by_clang)
        return;
    snprintf(ptxas, sizeof ptxas, "%.*sptxas", (int)(strlen(compiler) - strlen(basename(compiler))),
             compiler);
    source->has_ptxas = compiler_open(ptxas, "ptxas", &source->ptxas, error, sizeof error);
    assert_true(source->has_ptxas);
}

/* Returns the state of the mutant that replaces the first `what` in the text by `with`. */
static enum build_state state_of(const char *text, const char *what, const char *with)
{
    const struct compiler_paths paths = {.nvcc = {.paths = {compiler}, .count = 1}};
    char error[512];
    struct mutant mutant = {
        .offset = (size_t)(strstr(text, what) - text), .length = strlen(what), .with = with};
    const struct mutant *mutants[] = {&mutant};
    struct mutated_source source = {
        .path = "k.cu", .expression = "k", .architecture = "sm_90", .folder = folder};
    struct batch batch = {
        .of = &source, .mutants = mutants, .count = 1, .kernels = {"launch0"}, .kernel_count = 1};
    enum build_state state;

    assert_int_equal(folder_make(NULL), 0);
    source_read(text, strlen(text), &source.source);
    source.functions = source_functions(&source.source, &source.function_count);
    assert_true(front_end_open(&paths, by_clang ? FRONT_END_CLANG : FRONT_END_NVCC,
                               &source.compiler, error, sizeof error));
    open_ptxas(&source);
    if (!batch_build(&batch, false))
        fail_msg("%s", batch.error);
    state = batch.states[0];
    batch_close(&batch);
    source_free(&source.source);
    folder_remove(NULL);
    return state;
}

TEST(equal_machine_code_proves_equivalence)
{
    static const char text[] =
        "__device__ unsigned same(unsigned a)\n{\n    unsigned b;\n"
        "    asm(\"mov.u32 %0, %1;\" : \"=r\"(b) : \"r\"(a));\n    return b;\n}\n"
        "__global__ void k(unsigned *p, unsigned n)\n{\n    __shared__ unsigned s[8];\n"
        "    s[threadIdx.x] = n;\n    if (n > 0)\n        p[s[0]] = n;\n}\n";

    assert_int_equal(state_of(text, "n > 0", "n != 0"), BUILD_SAME_PTX);
    assert_int_equal(state_of(text, "= n;\n}", "= same(n);\n}"),
                     by_clang ? BUILD_RUNS : BUILD_SAME_CODE);
    assert_int_equal(state_of(text, "n > 0", "n > 1"), BUILD_RUNS);
    assert_int_equal(state_of(text, "s[8]", "s[9]"), BUILD_RUNS); /* identical instructions */
    assert_int_equal(state_of(text, "n > 0", "n >"), BUILD_NOT_COMPILED);
}

/* A kernel includes the functions that it calls. It also includes the variable that it reads, which
 * its instructions do not name. */
TEST(called_functions_are_part_of_the_kernel)
{
    static const char one_of_two[] = "__device__ int a, b;\n__global__ void k(int *p)\n{\n"
                                     "    p[0] = 1 > 0 ? a : b;\n}\n";
    static const char text[] = "__device__ __noinline__ int f(int a) { return a + 5; }\n"
                               "__global__ void k(int *p)\n{\n    p[0] = f(p[1]);\n}\n";

    assert_int_equal(state_of(text, "a + 5", "a + 6"), BUILD_RUNS);
    assert_int_equal(state_of(text, "a + 5", "5 + a"), BUILD_SAME_PTX);
    assert_int_equal(state_of(one_of_two, "1 > 0", "2 > 0"), BUILD_SAME_PTX);
    assert_int_equal(state_of(one_of_two, "1 > 0", "1 < 0"), BUILD_RUNS);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s NVCC|clang\n", argv[0]);
        return 2;
    }
    compiler = argv[1];
    by_clang = strcmp(compiler, "clang") == 0;
    option_of_compiler = by_clang ? "--compiler" : "--nvcc";
    return tests_run("mutate", NULL, NULL);
}
