/* SPDX-License-Identifier: MIT
 *
 * The changes that mutation makes to a source, what distinguishes copies of a kernel, and the table
 * of mutants that are argued to be equivalent.
 */
#include "argued.h"
#include "check.h"
#include "mutant.h"
#include "ptx_pieces.h"

#include <unistd.h>

/* ---- Changes ---- */

/* Returns every mutant of the functions, one per line: "line operator: old -> new". The caller
 * frees the text. */
static char *list_mutants(const char *text)
{
    struct source source;
    struct source_function *functions;
    struct mutants mutants;
    size_t count, length = 0;
    bool wanted[16];
    char *list = NULL;
    FILE *to = open_memstream(&list, &length);

    memset(wanted, 1, sizeof wanted);
    source_read(text, strlen(text), &source);
    functions = source_functions(&source, &count);
    assert_non_null(functions);
    mutants_of_source(&source, functions, wanted, count, &mutants);
    for (size_t m = 0; m < mutants.count; m++)
        fprintf(to, "%d %s: %.*s -> %s\n", mutants.all[m].line, mutation_names[mutants.all[m].by],
                (int)mutants.all[m].length, text + mutants.all[m].offset, mutants.all[m].with);
    fclose(to);
    mutants_free(&mutants);
    source_free(&source);
    return list;
}

static void expect(const char *text, const char *expected)
{
    char *list = list_mutants(text);
    assert_string_equal(list, expected);
    free(list);
}

TEST(small_kernel_has_the_expected_mutants)
{
    expect("// no a < b\n"
           "#define LESS a < b\n"
           "__global__ void k(int *p, int n)\n"
           "{\n"
           "    int *q = p + n; /* 1 */\n"
           "#if 1 < 2\n#endif\n"
           "    if (threadIdx.x < n)\n"
           "        q[n] = 0;\n"
           "    __syncthreads();\n"
           "}\n",
           "5 arithmetic: + -> -\n"
           "5 arithmetic: + -> *\n"
           "5 arithmetic: + -> /\n"
           "5 arithmetic: + -> %\n"
           "8 guard: threadIdx.x < n -> true\n"
           "8 guard: threadIdx.x < n -> false\n"
           "8 index: threadIdx -> blockIdx\n"
           "8 index: x -> y\n"
           "8 relational: < -> <=\n"
           "8 relational: < -> >\n"
           "8 relational: < -> >=\n"
           "8 relational: < -> ==\n"
           "8 relational: < -> !=\n"
           "9 index: n -> (n) + 1\n"
           "9 index: n -> (n) - 1\n"
           "9 constant: 0 -> 1\n"
           "10 barrier: __syncthreads() -> \n");
}

TEST(template_brackets_are_not_comparisons)
{
    expect("template <typename T, int N = 2>\n__global__ void k(T *p)\n{\n"
           "    T *q = static_cast<T *>(p);\n"
           "    const T &r = f<T, N>(q);\n"
           "    child<<<p, q>>>(q);\n"
           "    std::vector<std::vector<T>> v;\n"
           "}\n",
           "");
    expect("__global__ void k()\n{\n    f<a, b>(c);\n    g<a>::h();\n}\n", "");
    expect("void k(int a, int b)\n{\n    f(a < b, a > b);\n}\n",
           "3 relational: < -> <=\n3 relational: < -> >\n3 relational: < -> >=\n"
           "3 relational: < -> ==\n3 relational: < -> !=\n"
           "3 relational: > -> <\n3 relational: > -> <=\n3 relational: > -> >=\n"
           "3 relational: > -> ==\n3 relational: > -> !=\n");
}

TEST(condition_operands_become_constants)
{
    expect("void k(bool a, bool b)\n{\n    while (a && (b))\n        return;\n}\n",
           "3 guard: a && (b) -> false\n3 guard: a -> true\n3 guard: (b) -> true\n"
           "3 logical: && -> ||\n4 guard: return -> \n");
    expect("void k(bool a, bool b)\n{\n    a = a || b ? b : a;\n}\n",
           "3 logical: || -> &&\n3 guard: a || b -> true\n3 guard: a || b -> false\n"
           "3 guard: a -> false\n3 guard: b -> false\n");
    expect("void k(bool a, bool b)\n{\n    for (; a; b)\n        if (b)\n            ;\n}\n",
           "3 guard: a -> false\n4 guard: b -> true\n4 guard: b -> false\n");
}

TEST(constants_change_by_one)
{
    expect("float k()\n{\n    return f(0, 1u, 0x1f, 2.5f, 1e2);\n}\n",
           "3 constant: 0 -> 1\n3 constant: 1u -> 2u\n3 constant: 1u -> 0u\n"
           "3 constant: 0x1f -> 0x20\n3 constant: 0x1f -> 0x1e\n"
           "3 constant: 2.5f -> 3.5f\n3 constant: 2.5f -> 1.5f\n"
           "3 constant: 1e2 -> 101.0\n3 constant: 1e2 -> 99.0\n");
}

TEST(synchronization_is_removed)
{
    expect("__device__ void k(volatile int *p)\n{\n    block.sync();\n    cg::sync(block);\n"
           "    __threadfence();\n    atomicAdd_block(p, q);\n    __syncwarp();\n}\n",
           "1 volatile: volatile -> \n3 barrier: block.sync() -> \n4 barrier: cg::sync(block) -> \n"
           "5 fence: __threadfence() -> \n6 atomic: atomicAdd_block -> simt_plain_atomicAdd\n"
           "7 barrier: __syncwarp() -> \n");
}

TEST(waits_for_children_are_removed_and_moved)
{
    expect("void k(int *p)\n{\n    cudaDeviceSynchronize();\n    if (p)\n"
           "        child<<<b, b>>>(p);\n    cudaDeviceSynchronize();\n}\n",
           "3 barrier: cudaDeviceSynchronize() -> \n4 guard: p -> true\n4 guard: p -> false\n"
           "6 barrier: cudaDeviceSynchronize() -> \n"
           "4 barrier: if (p)\n        child<<<b, b>>>(p);\n    cudaDeviceSynchronize() -> "
           "cudaDeviceSynchronize(); if (p)\n        child<<<b, b>>>(p)\n");
}

TEST(launches_change_by_one)
{
    static const char text[] = "k<<<dim3(n, 2), B, 4 * n>>>(n)";
    static const char *const changed[] = {
        "k<<<dim3((n) + 1, 2), B, 4 * n>>>(n)", "k<<<dim3((n) - 1, 2), B, 4 * n>>>(n)",
        "k<<<dim3(n, (2) + 1), B, 4 * n>>>(n)", "k<<<dim3(n, (2) - 1), B, 4 * n>>>(n)",
        "k<<<dim3(n, 2), (B) + 1, 4 * n>>>(n)", "k<<<dim3(n, 2), (B) - 1, 4 * n>>>(n)",
        "k<<<dim3(n, 2), B, 0>>>(n)",           "k<<<dim3(n, 2), B, (4 * n) - 1>>>(n)",
    };
    struct source source;
    struct mutants mutants;

    source_read(text, strlen(text), &source);
    mutants_of_launch(&source, &mutants);
    assert_int_equal(mutants.count, sizeof changed / sizeof *changed);
    for (size_t m = 0; m < mutants.count; m++) {
        char *launch = mutant_apply(&mutants.all[m], text, strlen(text));
        assert_string_equal(launch, changed[m]);
        free(launch);
    }
    mutants_free(&mutants);
    source_free(&source);
}

TEST(functions_are_identified_by_name)
{
    static const char text[] =
        "namespace a {\nstruct s {\n    template <int N = 3>\n    static __device__ int f(int n)\n"
        "    { return n; }\n};\nint table[] = {1, 2};\n}\n"
        "__global__ void __launch_bounds__(64) k() { }\nint main() { return 0; }\n";
    struct source source;
    struct source_function *functions;
    size_t count;

    source_read(text, strlen(text), &source);
    functions = source_functions(&source, &count);
    assert_int_equal(count, 3);
    assert_true(source_is(&source, functions[0].first, "template"));
    assert_true(source_is(&source, functions[0].name, "f") && functions[0].is_device &&
                functions[0].is_generic && !functions[0].is_kernel);
    assert_true(source_is(&source, functions[1].name, "k") && functions[1].is_kernel);
    assert_true(source_is(&source, functions[2].name, "main") && !functions[2].is_device);
    source_free(&source);
}

TEST(changed_lines_are_joined_into_one)
{
    static const char text[] = "a\n    if (b\n        < c)\nd\n";
    const struct mutant mutant = {.offset = 10, .length = 13, .with = (char[]){"true"}};
    char *before = mutant_lines(&mutant, text, strlen(text), false),
         *after = mutant_lines(&mutant, text, strlen(text), true);

    assert_string_equal(before, "if (b < c)");
    assert_string_equal(after, "if (true)");
    free(before);
    free(after);
}

/* ---- PTX ---- */

/* Two copies of a kernel, and one that adds another number. */
static const char module[] =
    ".version 9.0\n.target sm_80\n.address_size 64\n\n"
    ".global .align 1 .b8 $str[2] = {72, 0};\n"
    ".visible .global .align 8 .u64 simt_entry_m00000_k = _ZN6m000001kEv;\n"
    ".visible .global .align 8 .u64 simt_entry_m00001_k = generic(_ZN6m000011kEv);\n"
    ".visible .global .align 8 .u64 simt_entry_m00002_k = _ZN6m000021kEv;\n"
    ".func  (.param .b32 retval0) _ZN6m000021fEv\n;\n"
    ".visible .entry _ZN6m000001kEv()\n{\n.loc 1 7 3\n$L__BB0_1: // label\n"
    "add.s32 %r1, %r1, 1;\nmov.u64 %rd1, $str;\nbra $L__BB0_1;\n}\n"
    ".visible .entry _ZN6m000011kEv()\n{\n.loc 2 9 3\n$L__BB1_1:\n"
    "add.s32 %r1, %r1, 1;\nmov.u64 %rd1, $str;\nbra $L__BB1_1;\n}\n"
    ".visible .entry _ZN6m000021kEv()\n{\n"
    "add.s32 %r1, %r1, 2;\ncall (retval0), _ZN6m000021fEv, ();\n}\n"
    ".func  (.param .b32 retval0) _ZN6m000021fEv()\n{\nret;\n}\n"
    ".visible .entry _ZN6m000031kEv()\n{\nret;\n}\n"
    ".visible .global .align 8 .u64 simt_entry_m00003_k = _ZN6m000031kEv;\n"
    ".file 1 \"/tmp/m00000/k.cu\"\n.file 2 \"/tmp/m00001/k.cu\"\n";

static uint64_t digest_of(const struct ptx_pieces *pieces, const char *tag, bool *is_alone)
{
    char name[32];
    const char *symbol;
    uint64_t digest;

    snprintf(name, sizeof name, "%s_k", tag);
    symbol = ptx_entry_symbol(pieces, name);
    assert_non_null(symbol);
    ptx_digest(pieces, symbol, tag, &digest, is_alone);
    return digest;
}

TEST(copies_of_a_kernel_are_recognised)
{
    struct ptx_pieces pieces;
    bool alone[4], lines[16] = {false};
    uint64_t first;

    ptx_pieces_read(module, sizeof module - 1, &pieces);
    first = digest_of(&pieces, "m00000", &alone[0]);
    assert_true(first == digest_of(&pieces, "m00001", &alone[1]));
    assert_true(first != digest_of(&pieces, "m00002", &alone[2]));
    digest_of(&pieces, "m00003", &alone[3]);
    assert_true(!alone[0] && !alone[1] && !alone[2] && alone[3]);
    assert_null(ptx_entry_symbol(&pieces, "m00004_k"));
    assert_non_null(ptx_entry_symbol(&pieces, "m00000_k"));
    ptx_lines(&pieces, ptx_entry_symbol(&pieces, "m00000_k"), "m00000", lines, 16);
    assert_true(lines[7] && !lines[9]);
    ptx_pieces_free(&pieces);
}

/* A module of a user's file has kernels that no launch names, such as instances of templates. */
TEST(kernels_that_nothing_names_are_left_out)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n"
        ".global .align 4 .b8 $str[2] = {40, 123};\n"
        ".global .align 8 .u64 table[1] = {called};\n"
        ".func helper()\n{\n// it is {\nret;\n}\n"
        ".func called()\n{\nret;\n}\n"
        ".visible .entry other(\n.param .u64 p)\n{\n{\ncall unused, ();\n}\nret;\n}\n"
        ".func unused()\n{\nmov.u64 %rd1, \"};\";\nret;\n}\n"
        ".visible .entry launched()\n{\n.loc 1 2 3\ncall helper, ();\nret;\n}\n"
        ".visible .global .align 8 .u64 simt_entry_launch0_0 = launched;\n";
    char path[64], said[256], *kept;

    snprintf(path, sizeof path, "/tmp/simtcheck-named-%ld", (long)getpid());
    text_write(path, text);
    assert_true(ptx_keep_named(path, said, sizeof said));
    kept = text_read(path);
    unlink(path);
    assert_non_null(strstr(kept, ".file 1 \"a.cu\""));
    assert_non_null(strstr(kept, "$str[2] = {40, 123};"));
    assert_non_null(strstr(kept, ".func helper()\n{\n// it is {\nret;\n}"));
    assert_non_null(strstr(kept, ".func called()"));
    assert_non_null(strstr(kept, ".loc 1 2 3\ncall helper, ();\nret;\n}"));
    assert_null(strstr(kept, "other"));
    assert_null(strstr(kept, "unused"));
    free(kept);
    assert_false(ptx_keep_named("/nowhere/a.ptx", said, sizeof said));
    assert_non_null(strstr(said, "/nowhere/a.ptx"));
}

TEST(module_can_contain_selected_kernels)
{
    const char *const names[] = {"k"};
    struct ptx_pieces pieces;
    size_t length = 0;
    char *text = NULL;
    FILE *to = open_memstream(&text, &length);

    ptx_pieces_read(module, sizeof module - 1, &pieces);
    assert_true(ptx_write_kernels(to, &pieces, "m00002", names, 1));
    fclose(to);
    assert_non_null(strstr(text, ".version 9.0"));
    assert_non_null(strstr(text, "simt_entry_k = _ZN6m000021kEv;"));
    assert_null(strstr(text, "simt_entry_m"));
    assert_non_null(strstr(text, "ret;"));
    assert_null(strstr(text, "m000001k"));
    assert_null(strstr(text, "$str"));
    free(text);
    ptx_pieces_free(&pieces);
}

/* ---- The table ---- */

static bool read_table(const char *text, struct argued *argued, char *error, size_t size)
{
    char path[] = "/tmp/simtcheck-argued-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *to = fdopen(descriptor, "w");
    bool good;

    fputs(text, to);
    fclose(to);
    good = argued_read(path, argued, error, size);
    unlink(path);
    return good;
}

TEST(catalogue_rows_of_a_source_are_found)
{
    struct argued argued;
    char error[512];

    assert_true(
        read_table("# Title\n\n| where | line | becomes | why |\n| --- | --- | --- | --- |\n"
                   "| `k` | `if (a \\|\\| b)` | `if (a && b)` | for a reason |\n",
                   &argued, error, sizeof error));
    assert_int_equal(argued.count, 1);
    assert_int_equal(argued.rows[0].line, 5);
    assert_string_equal(argued.rows[0].reason, "for a reason");
    assert_non_null(argued_find(&argued, "k", "if (a || b)", "if (a && b)"));
    assert_null(argued_find(&argued, "k", "if (a || b)", "if (a)"));
    assert_null(argued_find(&argued, "l", "if (a || b)", "if (a && b)"));
    argued_free(&argued);
    assert_false(read_table("| `k` | `a` | `b` |\n", &argued, error, sizeof error));
    assert_non_null(strstr(error, ":1: a row must have 4 cells"));
    assert_false(argued_read("/nowhere/table.md", &argued, error, sizeof error));
}

TEST_MAIN("mutation", NULL, NULL)
