/* SPDX-License-Identifier: MIT
 *
 * `simtcheck gate`: edits of the catalogue's kernels, half of them harmful, in a repository that
 * the test creates. Arguments: an nvcc, and how many of the edits to try, counted from the first.
 */
#include "check.h"

#include <unistd.h>

static const struct edit {
    const char *file, *after; /* the place: the first match after `after` */
    const char *from, *to;
    const char *says; /* what makes it harmful; null: harmless */
} edits[] = {
    {"matrix.cu", "sumMatrixCorrected(", "if (ix < nx)", "if (ix <= nx)", "out-of-bounds read"},
    {"matrix.cu", "sumMatrixCorrected(", "A[idx] + B[idx]", "B[idx] + A[idx]", NULL},
    {"divergence.cu", "mathKernel1Corrected(", "c[i] = i",
     "*(volatile float *)(c + i) = 0, c[i] = i", "more than --allow permits"},
    {"reduce_in_place.cu", "reduceNeighboredLess(",
     "int index = 2 * stride * tid;\n        if (index < blockDim.x)",
     "int index = tid;\n        if (tid % (2 * stride) == 0)", "divergent_branches "},
    {"warp_map.cu", "warpMapCorrected(", "id / warpSize", "id >> 5", NULL},
    {"warp_map.cu", "warpMapCorrected(", "threadIdx.y + blockDim.y *", "threadIdx.y + blockDim.x *",
     "unwritten output"},
    {"reduce_unrolled.cu", "reduceUnrolling4(", "int *segment", "/* its own */ int *segment", NULL},
    {"reduce_unrolled.cu", "reduceUnrolling2(", "+ blockDim.x < n)", "+ blockDim.x <= n)",
     "out-of-bounds read"},
    {"reduce_unrolled.cu", "reduceUnrolling8(", "+ a7 + a8;",
     "+ a7 + (gridDim.x == 2 && blockDim.x >= 64 ? 0 : a8);", "wrong result"},
    {"reduce_shared.cu", "reduceSharedLessDivergentCorrected(", "        __syncthreads();\n", "",
     "race"},
    {"reduce_shared.cu", "reduceSharedLessDivergentCorrected(",
     "if (tid < stride && tid + stride < blockDim.x)",
     "if (tid + stride < blockDim.x && tid < stride)", NULL},
    {"reduce_warp_tail.cu", "reduceUnrollWarps8(", "volatile int *v", "int *v", "race"},
    {"reduce_warp_tail.cu", "reduceUnrollWarps8(", "a0 + a1 + a2", "a2 + a1 + a0", NULL},
    {"reduce_in_place.cu", "reduceNeighboredCorrected(", " && i + stride < n", "",
     "out-of-bounds read"},
    {"reduce_in_place.cu", "reduceNeighboredLessCorrected(", "2 * stride * tid + stride",
     "stride * (2 * tid + 1)", NULL},
    {"nested_hello.cu", "nestedHelloWorldCorrected(", "depth >= maxDepth", "depth > maxDepth", ""},
    {"nested_hello.cu", "nestedHelloWorldCorrected(", "min(half, 1024u)",
     "min(1024u, half)", NULL},
    {"nested_reduce.cu", "gpuRecursiveReduceNosyncCorrected(", "    __syncthreads();\n", "",
     "race"},
    {"nested_reduce.cu", "gpuRecursiveReduceNosyncCorrected(", "(size + 1) / 2", "size - size / 2",
     NULL},
    {"nested_reduce.cu", "gpuRecursiveReduceCorrected(", "cudaDeviceSynchronize();", "",
     "launch without a wait"},
    {"nested_reduce.cu", "gpuRecursiveReduceNosyncCorrected(", "        LAUNCH(",
     "        cudaDeviceSynchronize();\n    if (tid == 0)\n        LAUNCH(", "a wait for children"},
    {"divergence.cu", "mathKernel2Corrected(", "? 100.0f : 200.0f", "? 200.0f : 100.0f",
     "wrong result"},
    {"divergence.cu", "mathKernel2Loop(", "k < count; k++)\n                c[i] = 0;",
     "k < 2 * count; k++)\n                if (i % 2 == k % 2)\n                    c[i] = 0;",
     "at most"},
    {"matrix.cu", "sumMatrix(", "iy * nx + ix", "ix * ny + iy", "gld_transactions_32B "},
    {"warp_map.cu", "warpMapCorrected(", "LANE()", "id % warpSize", "reads of %laneid "},
    {"divergence.cu", "mathKernel1Corrected(", "i % 2 == 0 ? 100.0f : 200.0f",
     "(i & 1u) != 0 ? 200.0f : 100.0f", NULL},
    {"reduce_recursive.cu", "halveCorrected(", "data[k] += data[k + stride];",
     "data[k] = data[k + stride] + data[k];", NULL},
    {"reduce_in_place.cu", "reduceNeighboredLess(", "= segment[0];",
     "= segment[0] + (gridDim.x == 5);", "wrong result"},
    {"reduce_warp_tail.cu", "reduceUnrollWarps8(", "= segment[0];",
     "= segment[0] + (gridDim.x % 2 == 1 && gridDim.x > 1);", ""},
};

enum { EDITS = sizeof edits / sizeof *edits };

static const char *nvcc;
static size_t tried;

static void shell(const char *format, const char *argument)
{
    char command[2048];

    snprintf(command, sizeof command, format, folder, folder, argument);
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Copies the program and its worker next to a repository of the kernels. */
static int set_up(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (folder_make(state) != 0)
        return -1;
    shell("mkdir %s/source && cp '" SIMTCHECK "' '" SIMTCHECK "-worker-sim' %s%s", "");
    shell("cp -r '" SIMTCHECK_SOURCE "/kernels' '" SIMTCHECK_SOURCE
          "/include' %s/source && ln -s '" SIMTCHECK_SOURCE "/src' %s/source/src%s",
          "");
    shell("cd %s/source && git init -q . && git add kernels include && git -c user.name=test -c "
          "user.email=test commit -qm kernels && printf '%%s\\n%%s\\n' %s/source nowhere > "
          "../simtcheck.data%s",
          "");
    return chdir(folder);
}

static int tear_down(void **state)
{
    (void)state;
    shell("rm -r %s; true %s%s", "");
    return 0;
}

/* Returns the file with the edit. The caller frees it. */
static char *edited(const char *text, const struct edit *edit)
{
    const char *after = strstr(text, edit->after),
               *place = after != NULL ? strstr(after, edit->from) : NULL;
    size_t length = strlen(text) + strlen(edit->to) + 1;
    char *result = malloc(length);

    assert_non_null(result);
    if (place == NULL)
        fail_msg("%s: no '%s' after '%s'", edit->file, edit->from, edit->after);
    snprintf(result, length, "%.*s%s%s", (int)(place - text), text, edit->to,
             place + strlen(edit->from));
    return result;
}

static struct ended gate(const char *revision)
{
    return run_line("%s gate %s --nvcc %s", in_folder("simtcheck"), revision, nvcc);
}

/* Makes the edit. Returns the previous content of the file, which the caller frees. */
static char *make_edit(const struct edit *edit)
{
    char path[128], *text, *other;

    snprintf(path, sizeof path, "%s/source/kernels/%s", folder, edit->file);
    text = text_read(path);
    other = edited(text, edit);
    text_write(path, other);
    free(other);
    return text;
}

static void take_back(const struct edit *edit, char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/source/kernels/%s", folder, edit->file);
    text_write(path, text);
    free(text);
}

static void try_edit(const struct edit *edit)
{
    char *text = make_edit(edit);
    struct ended ended = gate("HEAD");
    bool harmful = edit->says != NULL;

    if (ended.status != harmful || (harmful && strstr(ended.output, edit->says) == NULL) ||
        strstr(ended.output, harmful ? "  FAIL" : "  PASS") == NULL)
        fail_msg("%s, '%s' to '%s': exit status %d: %s", edit->file, edit->from, edit->to,
                 ended.status, ended.output);
    take_back(edit, text);
    free(ended.output);
}

TEST(harmful_edits_are_distinguished_from_harmless_ones)
{
    for (size_t e = 0; e < tried; e++)
        try_edit(&edits[e]);
}

/* A source that does not compile has no verdict. */
TEST(edit_that_does_not_compile_has_no_verdict)
{
    static const struct edit nothing = {"matrix.cu", "sumMatrix(", "{", "{ nothing", NULL};
    char *text = make_edit(&nothing);
    struct ended ended = gate("HEAD");
    take_back(&nothing, text);
    expect_ended(ended, 2, "gate  ERROR");
}

TEST(deleted_kernel_fails_the_gate)
{
    static const struct edit gone = {"divergence.cu", "EXPORT_KERNEL(mathKernel2Corrected",
                                     "EXPORT", "// EXPORT", NULL};
    char *text = make_edit(&gone);
    struct ended ended = gate("HEAD");

    assert_int_not_equal(ended.status, 0);
    assert_non_null(strstr(ended.output, "mathKernel2Corrected"));
    assert_null(strstr(ended.output, "  PASS"));
    take_back(&gone, text);
    free(ended.output);
}

/* No kernel's own code changes. A failing case that is replayed runs as edited. */
TEST(changed_device_variable_counts_as_an_edit)
{
    static const struct edit seeded = {"divergence.cu", "#include <simtcheck/dialect.h>", "\n",
                                       "\n__device__ float even = 100.0f;\n", NULL},
                             used = {"divergence.cu", "mathKernel1Corrected(", "100.0f", "even",
                                     NULL},
                             other = {"divergence.cu", "float even", "100.0f", "300.0f", NULL};
    char *text = make_edit(&seeded), case_id[128];
    struct ended ended;

    free(make_edit(&used));
    shell("cd %s/source && git -c user.name=test -c user.email=test commit -qam even # %s%s", "");
    free(make_edit(&other));
    ended = gate("HEAD");
    assert_int_equal(sscanf(strstr(ended.output, "--case "), "--case %127s", case_id), 1);
    expect_ended(ended, 1, "divergence.cu  FAIL|gate  FAIL|; replay with --case ");
    ended = run_line("%s gate HEAD --nvcc %s --case %s", in_folder("simtcheck"), nvcc, case_id);
    take_back(&seeded, text);
    expect_ended(ended, 1, "300|!gate:");
    ended = run_line("%s gate HEAD --nvcc %s --case %s", in_folder("simtcheck"), nvcc, case_id);
    expect_ended(ended, 0, "");
    shell("cd %s/source && git reset -q --hard HEAD~1 # %s%s", "");
}

static void expect_gate(const char *revision, int status, const char *says)
{
    struct ended ended = gate(revision);
    expect_ended(ended, status, says);
}

TEST(unchanged_sources_run_no_cases)
{
    expect_gate("HEAD", 0, "gate  PASS  no kernel has changed, so nothing was checked");
    expect_gate("no-such-revision", 2, "no-such-revision: git says");
}

/* `gate` does not check descriptors, and reports that. */
TEST(unchecked_changes_are_reported)
{
    shell("cd %s/source && echo '//' >>kernels/catalogue/domains.c # %s%s", "");
    expect_gate("HEAD", 0, "catalogue/domains.c has changed but is not checked");
    shell("cd %s/source && echo '//' >>kernels/matrix.cu # %s%s", "");
    expect_gate("HEAD", 0, "gate  PASS  some changed files are not checked");
    shell("cd %s/source && git reset -q --hard # %s%s", "");
}

TEST(deleted_file_fails_the_gate)
{
    shell("cd %s/source && git mv kernels/matrix.cu kernels/matrix2.cu # %s%s", "");
    expect_gate("HEAD", 1, "the file no longer exists|matrix2.cu has changed but is not checked");
    shell("cd %s/source && git reset -q --hard # %s%s", "");
}

/* A program in another place must not judge edits of this repository's kernels. */
TEST(other_repository_is_rejected)
{
    shell("mkdir %s/other && cd %s/other && git init -q . # %s", "");
    assert_int_equal(chdir("other"), 0);
    expect_gate("HEAD", 2, "the current repository is ");
    assert_int_equal(chdir(".."), 0);
    shell("cd %s/source && git -c user.name=test -c user.email=test rm -rq --cached kernels # %s%s",
          "");
    expect_gate("HEAD", 2, "git does not track the catalogue's kernels");
    shell("cd %s/source && git reset -q --hard # %s%s", "");
}

/* nvcc has more ways than `-I FOLDER` to name a folder of headers. */
TEST(old_code_with_headers_of_the_work_tree_is_rejected)
{
    static const char *const flags[] = {"-- -I=inc", "-- -isystem=inc", "-- --system-include=inc",
                                        "-- --include-path inc,."};
    const char *cuda = text_write(in_folder("k.cu"), "#include \"k.h\"\n"
                                                     "__global__ void k(int *y)\n"
                                                     "{\n"
                                                     "    y[0] = K;\n"
                                                     "}\n");

    shell("cd %s && mkdir inc && echo '#define K 3' >inc/k.h && git init -q . && git add k.cu inc "
          "&& git -c user.name=test -c user.email=test commit -qm k && echo '#define K 4' >inc/k.h "
          "# %s%s",
          "");
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        expect_run(2, "inc' of the work tree, not of HEAD",
                   "%s check %s 'k<<<1, 1>>>(out int y[1])' --against git:HEAD --nvcc %s %s",
                   in_folder("simtcheck"), cuda, nvcc, flags[f]);
    setenv("NVCC_APPEND_FLAGS", "-Iinc", 1);
    expect_run(2, "NVCC_APPEND_FLAGS' names 'inc' of the work tree, not of HEAD|gate  ERROR",
               "%s gate HEAD %s 'k<<<1, 1>>>(out int y[1])' --nvcc %s", in_folder("simtcheck"),
               cuda, nvcc);
    unsetenv("NVCC_APPEND_FLAGS");
    expect_run(1, "  FAIL", "%s gate HEAD %s 'k<<<1, 1>>>(out int y[1])' --size 1 --nvcc %s -I inc",
               in_folder("simtcheck"), cuda, nvcc);
    shell("rm -rf %s/.git # %s%s", "");
}

/* Commits the files in the folder `tree`, which becomes the current folder, and then runs `edit`.
 */
static void commit_and(const char *files, const char *edit)
{
    static const char commit[] = "git init -q . && git add -A && git -c user.name=test -c "
                                 "user.email=test commit -qm old";
    char command[2048];

    assert_int_equal(chdir(folder), 0);
    snprintf(command, sizeof command, "rm -rf tree && mkdir tree && cd tree && %s && %s && %s",
             files, commit, edit);
    if (system(command) != 0)
        fail_msg("%s", command);
    assert_int_equal(chdir("tree"), 0);
}

static void expect_gate_of(const char *file, int status, const char *says, const char *flags)
{
    expect_run(status, says, "%s gate HEAD %s 'k<<<1, 1>>>(out int y[1])' --size 1 --nvcc %s %s",
               in_folder("simtcheck"), file, nvcc, flags);
}

#define KERNEL "printf '%b\\n__global__ void k(int *y) { y[0] = K; }\\n' "

TEST(option_files_of_the_work_tree_are_rejected)
{
    static const char *const flags[] = {"-- -optf=options", "-- --options-file=options",
                                        "-- -Xcompiler @options", "-- -Xcompiler -w,@options",
                                        "-- -Xcompiler $(cat<options)"};

    commit_and(KERNEL "'' >k.cu && echo -DK=3 >options", "echo -DK=4 >options");
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        expect_gate_of("k.cu", 2, "may name a file of options", flags[f]);
    setenv("NVCC_APPEND_FLAGS", "-optf options", 1);
    expect_gate_of("k.cu", 2, "NVCC_APPEND_FLAGS' may name a file of options", "");
    unsetenv("NVCC_APPEND_FLAGS");
    expect_gate_of("k.cu", 1, "  FAIL", "-- -optf options");
    expect_gate_of("k.cu", 1, "  FAIL", "-- --options-file options");
    commit_and(KERNEL "'' >k.cu && echo -DK=3 >more && echo -optf more >options",
               "echo -DK=4 >more");
    expect_gate_of("k.cu", 2, "options' may name a file of options", "-- -optf options");
}

/* git keeps such files out of its archives. */
TEST(old_code_has_files_that_archives_leave_out)
{
    commit_and(KERNEL
               "'#if __has_include(\"k.h\")\n#include \"k.h\"\n#else\n#define K 4\n#endif' "
               ">k.cu && echo '#define K 3' >k.h && echo 'k.h export-ignore' >.gitattributes",
               "echo '#define K 4' >k.h");
    expect_gate_of("k.cu", 1, "  FAIL", "");
}

TEST(folders_of_the_work_tree_are_rejected_before_their_headers_exist)
{
    static const char *const flags[] = {"-- -I=inc", "-- -isystem=inc", "-- -Xcompiler -w,-Iinc"};

    commit_and(KERNEL "'#if __has_include(\"new.h\")\n#define K 4\n#else\n#define K 3\n#endif' "
                      ">k.cu && mkdir inc && touch inc/old.h",
               "touch inc/new.h");
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        expect_gate_of("k.cu", 2, "inc' of the work tree, not of HEAD", flags[f]);
    setenv("CPATH", ":/usr/include:inc", 1);
    expect_gate_of("k.cu", 2, "CPATH' names 'inc' of the work tree, not of HEAD", "");
    unsetenv("CPATH");
    expect_gate_of("k.cu", 1, "  FAIL", "-I inc");
    expect_gate_of("k.cu", 1, "  FAIL",
                   "-- -DMODE=inc -D ALSO=inc -gencode arch=compute_80,code=compute_80 -I inc");
}

/* Compilers write a backslash as a slash, and do not mark a tab. */
TEST(headers_with_odd_names_do_not_count_as_old)
{
    static const char *const names[] = {"odd\\.h", "o\td.h"};
    char files[512], edit[128];

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(files, sizeof files,
                 "%s\"#include \\\"$PWD/inc/%s\\\"\" >k.cu && mkdir inc && echo '#define K 3' >"
                 "'inc/%s'",
                 KERNEL, names[k], names[k]);
        snprintf(edit, sizeof edit, "echo '#define K 4' >'inc/%s'", names[k]);
        commit_and(files, edit);
        expect_gate_of("k.cu", 2, "cannot tell", "");
    }
    commit_and(KERNEL
               "'#include \"odd\\\\.h\"' >k.cu && mkdir inc && echo '#define K 3' >'inc/odd\\.h'",
               "echo '#define K 4' >'inc/odd\\.h'");
    expect_gate_of("k.cu", 1, "  FAIL", "-I inc");
}

/* The kernel is in a submodule, and a header of the other repository is edited. */
TEST(edited_header_of_another_repository_is_rejected)
{
    static const char inner[] = "mkdir sub && cd sub && git init -q . && " KERNEL
                                "'#include \"h.h\"' >k.cu && git add k.cu && "
                                "git -c user.name=test -c user.email=test commit -qm sub && cd .. "
                                "&& echo '#define K 4' >inc/h.h";

    commit_and("mkdir inc && echo '#define K 3' >inc/h.h", inner);
    expect_gate_of("sub/k.cu", 2, "inc/h.h', which has changed in its own repository", "-- -Iinc");
    assert_int_equal(chdir("sub"), 0);
    expect_gate_of("k.cu", 2, "inc/h.h', which has changed in its own repository", "-- -I../inc");
    setenv("CPATH", "../inc", 1);
    expect_gate_of("k.cu", 2, "inc/h.h', which has changed in its own repository", "");
    assert_int_equal(system("git -C .. checkout -q inc"), 0);
    expect_gate_of("k.cu", 0, "  PASS", "");
    unsetenv("CPATH");
    assert_int_equal(chdir(folder), 0);
}

/* A program that cleans up temporary files may remove results of the old code. */
TEST(lost_results_of_the_old_code_do_not_pass)
{
    static const char *const losses[] = {"rm \"$f\"", ": >\"$f\""};
    const char *cuda = text_write(in_folder("k.cu"), "__global__ void k(int *y)\n"
                                                     "{\n"
                                                     "    y[0] = 3;\n"
                                                     "}\n");
    char text[512];

    for (size_t k = 0; k < 2 * sizeof losses / sizeof *losses; k++) {
        snprintf(text, sizeof text,
                 "for f in \"$TMPDIR\"/../simtcheck-check-*/results/*; do\n"
                 "    case $f in *'*') ;; *cases) %s ;; *) %s ;; esac\n"
                 "done\n"
                 "exec %s \"$@\"\n",
                 k % 2 == 0 ? losses[k / 2] : ":", k % 2 == 0 ? ":" : losses[k / 2], nvcc);
        setenv("TMPDIR", folder, 1);
        setenv("SIMTCHECK_CACHE_MIB", "0", 1); /* so that the script runs after the reference */
        expect_run(3, "of the reference code",
                   "%s check %s 'k<<<1, 1>>>(out int y[1])' --size 1 --only run --against %s "
                   "--nvcc %s",
                   in_folder("simtcheck"), cuda, cuda, script_make("cleaner", text));
        unsetenv("TMPDIR");
        unsetenv("SIMTCHECK_CACHE_MIB");
    }
}

/* The file is not at fault. */
TEST(full_disk_is_an_error_of_the_environment)
{
    const char *cuda = text_write(in_folder("k.cu"), "__global__ void k(int *y)\n"
                                                     "{\n"
                                                     "    y[0] = 3;\n"
                                                     "}\n");
    char text[512];

    snprintf(text, sizeof text,
             "case $* in --version) exec %s --version ;; esac\n"
             "echo 'fatal error: when writing output: No space left on device'\n"
             "exit 1\n",
             nvcc);
    expect_run(3, "No space left", "%s check %s 'k<<<1, 1>>>(out int y[1])' --nvcc %s",
               in_folder("simtcheck"), cuda, script_make("full", text));
    snprintf(text, sizeof text, "rmdir \"$TMPDIR\"/../simtcheck-check-*/results\nexec %s \"$@\"\n",
             nvcc);
    setenv("TMPDIR", folder, 1);
    expect_run(3, "cannot keep the results of the reference code: No such file",
               "%s check %s 'k<<<1, 1>>>(out int y[1])' --against %s --nvcc %s",
               in_folder("simtcheck"), cuda, cuda, script_make("removes", text));
    unsetenv("TMPDIR");
}

int main(int argc, char **argv)
{
    nvcc = argc > 1 ? argv[1] : "nvcc";
    tried = argc > 2 ? strtoul(argv[2], NULL, 10) : EDITS;
    if (tried > EDITS)
        tried = EDITS;
    return tests_run("gate", set_up, tear_down);
}
