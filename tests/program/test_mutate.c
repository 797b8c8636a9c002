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

TEST(each_launch_of_a_file_is_mutated)
{
    char launches[] = "/tmp/mutate-XXXXXX.launches";
    int file = mkstemps(launches, 9);

    assert_true(file >= 0);
    assert_true(
        dprintf(
            file, MUTATE_FILE
            ": sum<<<1, 64>>>(in int in[n], out int out[1], n) --size 1,33,64 -- -DX\n" MUTATE_FILE
            ": ones<<<n, 4>>>(out int out[n)\n") > 0);
    close(file);
    expect_run(2, ":1: |mutants killed|:2: column |\n2 launches: 1 FAIL, 1 ERROR",
               "mutate %s %s '%s'", launches, option_of_compiler, compiler);
    expect_run(2, "--out holds the results of one launch, but ", "mutate %s --out /dev/null",
               launches);
    unlink(launches);
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
    if (strstr(ended.output, "launches") != NULL)
        fail_msg("the kernels are listed as launches: %s", ended.output);
    free(ended.output);
}

/* So few cases kill both mutants of the wait: without it, and with it before the launch. */
TEST(mutants_of_a_wait_are_killed)
{
    struct ended ended =
        run_line("mutate --kernel nestedHelloWorldWait --block 8 --size 2x8 %s '%s'",
                 option_of_compiler, compiler);

    assert_int_equal(ended.status, 1);
    expect(ended.output, "\nbarrier             2        2        0        0\n");
    free(ended.output);
}

/* ---- Proofs ---- */

/* Opens the compiler, and the ptxas next to nvcc. */
static void open_tools(struct build_tools *tools)
{
    const struct compiler_paths paths = {.nvcc = {.paths = {compiler}, .count = 1}};
    char ptxas[512], error[512];

    snprintf(tools->folder, sizeof tools->folder, "%s", folder);
    assert_true(front_end_open(&paths, by_clang ? FRONT_END_CLANG : FRONT_END_NVCC,
                               &tools->compiler, error, sizeof error));
    if (by_clang)
        return;
    snprintf(ptxas, sizeof ptxas, "%.*sptxas", (int)(strlen(compiler) - strlen(basename(compiler))),
             compiler);
    tools->has_ptxas = compiler_open(ptxas, "ptxas", &tools->ptxas, error, sizeof error);
    assert_true(tools->has_ptxas);
}

/* Returns what is known, before it runs, of the mutant that replaces the first `what` in the text
 * by `with`. */
static struct mutant_verdict verdict_of(const char *text, const char *what, const char *with)
{
    struct mutant mutant = {
        .offset = (size_t)(strstr(text, what) - text), .length = strlen(what), .with = with};
    struct build_tools tools = {.architecture = "sm_90"};
    struct mutant_target target = {.kernels = {"k"}, .kernel_count = 1};
    struct mutated_source source = {
        .path = "k.cu", .expression = "k", .targets = &target, .target_count = 1, .tools = &tools};
    struct batch alone = {.of = &source};
    struct batch batch = {.of = &source, .mutants = {&mutant}, .count = 1};
    struct mutant_verdict verdict = {.kind = MUTANT_NOT_COMPILED};
    bool reached[4] = {false};

    assert_int_equal(folder_make(NULL), 0);
    source_read(text, strlen(text), &source.source);
    source.functions = source_functions(&source.source, &source.function_count);
    target.reached = reached;
    open_tools(&tools);
    if (!batch_build(&alone) || !batch_reach(&alone, &target))
        fail_msg("%s", alone.said);
    source.reached = reached;
    if (!batch_build(&batch))
        fail_msg("%s", batch.said);
    if (batch.mutants[0] != NULL)
        verdict = batch_compare(&batch, 1, &target);
    batch_close(&alone);
    batch_close(&batch);
    source_free(&source.source);
    folder_remove(NULL);
    return verdict;
}

static void expect_proof(const char *text, const char *what, const char *with, const char *proof)
{
    struct mutant_verdict verdict = verdict_of(text, what, with);

    assert_int_equal(verdict.kind, MUTANT_EQUIVALENT);
    assert_string_equal(verdict.how, proof);
}

static void expect_kind(const char *text, const char *what, const char *with, enum mutant_kind kind)
{
    assert_int_equal(verdict_of(text, what, with).kind, kind);
}

TEST(equal_machine_code_proves_equivalence)
{
    static const char text[] =
        "__device__ unsigned same(unsigned a)\n{\n    unsigned b;\n"
        "    asm(\"mov.u32 %0, %1;\" : \"=r\"(b) : \"r\"(a));\n    return b;\n}\n"
        "__global__ void k(unsigned *p, unsigned n)\n{\n    __shared__ unsigned s[8];\n"
        "    s[threadIdx.x] = n;\n    if (n > 0)\n        p[s[0]] = n;\n}\n";

    expect_proof(text, "n > 0", "n != 0", "the same PTX");
    if (by_clang)
        expect_kind(text, "= n;\n}", "= same(n);\n}", MUTANT_UNDECIDED);
    else
        expect_proof(text, "= n;\n}", "= same(n);\n}", "the same machine code");
    expect_kind(text, "n > 0", "n > 1", MUTANT_UNDECIDED);
    expect_kind(text, "s[8]", "s[9]", MUTANT_UNDECIDED); /* identical instructions */
    expect_kind(text, "n > 0", "n >", MUTANT_NOT_COMPILED);
}

/* A kernel includes the functions that it calls. It also includes the variable that it reads, which
 * its instructions do not name. */
TEST(called_functions_are_part_of_the_kernel)
{
    static const char one_of_two[] = "__device__ int a, b;\n__global__ void k(int *p)\n{\n"
                                     "    p[0] = 1 > 0 ? a : b;\n}\n";
    static const char text[] = "__device__ __noinline__ int f(int a) { return a + 5; }\n"
                               "__global__ void k(int *p)\n{\n    p[0] = f(p[1]);\n}\n";

    expect_kind(text, "a + 5", "a + 6", MUTANT_UNDECIDED);
    expect_proof(text, "a + 5", "5 + a", "the same PTX");
    expect_proof(one_of_two, "1 > 0", "2 > 0", "the same PTX");
    expect_kind(one_of_two, "1 > 0", "1 < 0", MUTANT_UNDECIDED);
}

/* Batches leave out host code that the kernel's code does not contain, unless they do not compile
 * without it. */
TEST(host_code_is_added_if_the_kernel_needs_it)
{
    static const char text[] = "int width() { return 4; }\nusing Width = decltype(width());\n"
                               "__global__ void k(int *p)\n{\n    Width a = 3;\n"
                               "    p[0] = a;\n}\n";

    expect_kind(text, "= 3", "= 4", MUTANT_UNDECIDED);
    expect_proof(text, "= 3", "= 1 + 2", "the same PTX");
    expect_kind(text, "= 3", "= b", MUTANT_NOT_COMPILED);
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
