/* SPDX-License-Identifier: MIT
 *
 * `simtcheck check`, `gate` and `mutate` where both compilers are installed: what happens if one of
 * them rejects a file, or removes an access. Argument: an nvcc.
 */
#include "check.h"

#include "clang.h"

#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *nvcc;
static char files[512]; /* the options for files of results */

static const char SET[] = "set<<<(n + 31) / 32, 32>>>(out int x[n], n)";

/* Writes a kernel whose line 4 is for one compiler only. */
static const char *write_kernel(const char *name, const char *condition, const char *line)
{
    char text[1024];

    snprintf(text, sizeof text,
             "__global__ void set(int *x, int n)\n{\n#%s __clang__\n    %s\n#endif\n"
             "    int i = blockIdx.x * 32 + threadIdx.x;\n    if (i < n)\n        x[i] = 1;\n}\n",
             condition, line);
    return text_write(in_folder(name), text);
}

/* Compares the three files of results with each other, and returns the JSON. */
static json_t *results(void)
{
    const char *const arguments[] = {
        "/usr/bin/env",      "python3",          VALIDATE_FINDINGS,    CHECK_SCHEMA,
        in_folder("r.json"), in_folder("r.xml"), in_folder("r.sarif"), NULL};

    expect_ended(program_run(arguments), 0, "");
    return json_read(in_folder("r.json"));
}

/* Returns the check of that kind and compiler, or null. */
static json_t *check_of(json_t *json, const char *kind, const char *compiler)
{
    json_t *check;
    size_t k;

    json_array_foreach(json_at(json, "launches/0/checks"), k, check)
    {
        if (strcmp(report_text(check, "kind"), kind) == 0 &&
            strcmp(report_text(check, "compiler"), compiler) == 0)
            return check;
    }
    return NULL;
}

static void expect_text(const char *text, const char *says)
{
    if (text == NULL || strstr(text, says) == NULL)
        fail_msg("'%s' does not say '%s'", text != NULL ? text : "(none)", says);
}

TEST(verdict_is_that_of_nvcc_if_clang_rejects_the_file)
{
    const char *file = write_kernel("rejected.cu", "ifdef", "no_such_function(x);");
    json_t *json;
    char *xml;

    expect_run(0,
               "race-free|rejected.cu:4: use of undeclared identifier 'no_such_function'|"
               "clang cannot compile '|rejected.cu', so the verdict is that of nvcc's PTX alone",
               "check %s '%s' --size 1,33 %s", file, SET, files);
    json = results();
    assert_string_equal(report_text(json_at(json, "launches/0"), "result"), "pass");
    assert_non_null(check_of(json, "races", "nvcc"));
    assert_null(check_of(json, "races", "clang"));
    expect_text(report_text(check_of(json, "compilation", "clang"), "note"), "rejected.cu:4: use");
    json_decref(json);
    xml = text_read(in_folder("r.xml"));
    expect_text(xml, "<skipped message=\"clang cannot compile");
    free(xml);
}

TEST(failure_of_nvcc_s_code_stays_one)
{
    const char *file = write_kernel("fails.cu", "ifndef", "if (n == 33) n = 34;");

    expect_run(1,
               ": error: out-of-bounds write\n|   note: only in the code of nvcc\n|!so the verdict",
               "check %s '%s' --size 1,33 --only run %s", file, SET, files);
    text_write(file, "__global__ void set(int *x)\n{\n#ifdef __clang__\n    no_such_function(x);\n"
                     "#endif\n    x[0] = threadIdx.x;\n}\n");
    expect_run(1, ": error: data race on x[0]\n|so the verdict is that of nvcc's PTX alone",
               "check %s 'set<<<1, 32>>>(out int x[1])' --size 1 --only races", file);
}

TEST(requested_compiler_must_compile_the_file)
{
    const char *file = write_kernel("rejected.cu", "ifdef", "no_such_function(x);");

    expect_run(2, "cannot compile|use of undeclared identifier|!so the verdict",
               "check %s '%s' --size 1 --compiler clang", file, SET);
    expect_run(2,
               "cannot compile|use of undeclared identifier|!so the verdict|set  ERROR\n|, nvcc |"
               "! and clang|!PARTIAL|!check  ERROR",
               "check %s '%s' --size 1 --compiler clang --compiler nvcc", file, SET);
}

/* A broken compiler is not a missing one, and does not reject the file. */
TEST(broken_compiler_does_not_pass)
{
    static const struct {
        const char *script;
        int status;
        const char *says;
    } broken[] = {
        {"exit 1", 2, "is not a clang++: --version prints ''|every installed compiler takes part"},
        {"echo 'libicu.so: failed to map segment from shared object'; exit 127", 3, "map segment"},
        {"kill -SEGV $$", 2, "prints 'ended by a signal: Segmentation fault'"},
        {"[ $1 == --version ] && exec clang++ $1; kill -KILL $$", 3, "ended by a signal: Killed"},
        {"[ $1 == --version ] && exec clang++ $1; echo std::bad_alloc; exit 1", 3, "bad_alloc"},
        {"[ $1 == --version ] && exec clang++ $1; sleep 60", 3, "stopped at the time limit of 2 s"},
    };
    const char *file = write_kernel("plain.cu", "ifdef", "n += 0;");

    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        setenv("SIMTCHECK_CLANG", script_make("broken", broken[k].script), 1);
        if (strstr(broken[k].script, "sleep") != NULL)
            setenv("SIMTCHECK_TOOL_SECONDS", "2", 1);
        expect_run(broken[k].status, broken[k].says, "check %s '%s' --size 1 --only run", file,
                   SET);
    }
    unsetenv("SIMTCHECK_TOOL_SECONDS");
    setenv("SIMTCHECK_CLANG", in_folder("no_clang"), 1);
    expect_run(2, "no_clang is not a clang++", "check %s '%s' --size 1 --only run", file, SET);
    unsetenv("SIMTCHECK_CLANG");
}

/* A compiler takes an argument as initialized, so it may run the atomic operation in all lanes. */
TEST(condition_of_a_partly_initialized_variable_stays)
{
    const char *file = text_write(in_folder("leader.cu"),
                                  "__global__ void k(const int *x, int *c, int *l)\n{\n    int p;\n"
                                  "    if (threadIdx.x % 32 == 0)\n        p = atomicAdd(c, 32);\n"
                                  "    p = __shfl_sync(~0u, p, 0) + threadIdx.x % 32;\n"
                                  "    l[p] = x[blockIdx.x * 64 + threadIdx.x];\n}\n");

    expect_run(0, "PASS",
               "check %s 'k<<<2, 64>>>(in int x[128], zeros int c[1], zeros int l[128] unordered)' "
               "--size 1",
               file);
}

/* PTX puts the arguments of a weak function into memory. */
TEST(partly_initialized_argument_is_initialized_for_some_lanes)
{
    const char *file = text_write(
        in_folder("lanes.cu"),
        "struct lanes { __device__ __noinline__ int first(int v) const\n"
        "{ return __shfl_sync(~0u, v, 0, 32); } };\n"
        "__global__ void k(const int *x, int *y)\n{\n    lanes g;\n    int p;\n"
        "    if (threadIdx.x == 0)\n        p = x[0];\n    y[threadIdx.x] = g.first(p);\n}\n");

    expect_run(0, "PASS", "check %s 'k<<<1, 32>>>(in int x[1], out int y[32])' --size 1", file);
}

/* nvcc removes the array. */
TEST(code_that_cannot_be_launched_is_left_out)
{
    const char *file = text_write(in_folder("static.cu"),
                                  "__global__ void k(int *y)\n{\n    __shared__ int a[16384];\n"
                                  "    y[0] = 1;\n    for (int i = 0; i < 512; i++)\n"
                                  "        a[i + threadIdx.x * 512] = i;\n}\n");

    expect_run(0, "clang's code of k cannot be launched, so the verdict is that of nvcc's|65536",
               "check %s 'k<<<1, 1>>>(out int y[1])' --size 1", file);
    expect_run(1, "more than 48 KiB of static shared memory|!so the verdict",
               "check %s 'k<<<1, 1>>>(out int y[1])' --size 1 --compiler clang", file);
}

/* Tiles of several warps have their barriers in memory that the system reserves. */
TEST(reserved_shared_memory_has_bounds)
{
    const char *file = text_write(
        in_folder("tile.cu"),
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
        "namespace cg = cooperative_groups;\n"
        "__global__ void k(const int *x, int *y)\n{\n    auto b = cg::this_thread_block();\n"
        "    auto t = cg::tiled_partition<64>(b);\n"
        "    y[b.thread_rank()] = cg::reduce(t, x[b.thread_rank()], cg::plus<int>());\n"
        "    t.sync();\n}\n"
        "__global__ void past(unsigned *y, int before)\n{\n    unsigned end, word;\n"
        "    asm(\"mov.u32 %0, %%reserved_smem_offset_end;\" : \"=r\"(end));\n"
        "    asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(word) : \"r\"(end - before));\n"
        "    y[0] = word == 0;\n}\n");

    expect_run(0, "PASS", "check %s 'k<<<1, 128>>>(in int x[128], out int y[128])' --size 1", file);
    expect_run(0, "PASS", "check %s 'past<<<1, 1>>>(out unsigned y[1], 4)' --size 1", file);
    expect_run(1, "out-of-bounds read", "check %s 'past<<<1, 1>>>(out unsigned y[1], 0)' --size 1",
               file);
}

/* nvcc makes what ships. */
TEST(nvcc_must_compile_the_file)
{
    const char *file = write_kernel("rejected.cu", "ifndef", "no_such_function(x);");

    expect_run(2, "identifier \"no_such_function\" is undefined|!PASS|! clang ",
               "check %s '%s' --size 1", file, SET);
}

TEST(code_that_the_simulator_lacks_is_rejected_like_a_file)
{
    const char *file =
        write_kernel("lacks.cu", "ifdef", "asm volatile(\"tcgen05.fence::before_thread_sync;\");");

    expect_run(0, "the simulator cannot run clang's PTX of '|so the verdict is that of nvcc's",
               "check %s '%s' --size 1 --only run", file, SET);
}

/* The other file is checked by both, and nvcc compiles each file once. */
TEST(rejected_file_does_not_hurt_others)
{
    const char *rejected = write_kernel("rejected.cu", "ifdef", "no_such_function(x);"),
               *good = write_kernel("good.cu", "ifdef", "n += 0;");
    char text[1024], *log;
    size_t runs = 0;

    snprintf(text, sizeof text, "rejected.cu: %s\ngood.cu: %s\nrejected.cu: %s --size 7\n", SET,
             SET, SET);
    text_write(in_folder("log"), "");
    expect_run(0, "rejected.cu:4: use of undeclared|!good.cu:4",
               "check %s %s %s --size 1 --only run --json %s", rejected, good,
               text_write(in_folder("all.launches"), text), in_folder("r.json"));
    log = text_read(in_folder("log"));
    for (const char *at = log; (at = strstr(at, " -ptx ")) != NULL; at++)
        runs++;
    free(log);
    assert_int_equal(runs, 2);
    {
        json_t *json = json_read(in_folder("r.json"));
        assert_string_equal(report_text(json_at(json, "launches/1/checks/1"), "compiler"), "clang");
        assert_string_equal(report_text(json_at(json, "launches/1/checks/1"), "kind"), "run");
        assert_string_equal(report_text(json_at(json, "launches/2/checks/1"), "kind"),
                            "compilation");
        json_decref(json);
    }
}

TEST(gate_and_mutate_accept_the_file)
{
    char command[1024];

    write_kernel("rejected.cu", "ifdef", "no_such_function(x);");
    assert_int_equal(chdir(folder), 0);
    snprintf(command, sizeof command,
             "git init -q . && git add rejected.cu && git -c user.name=test -c user.email=test "
             "commit -qm all");
    assert_int_equal(system(command), 0);
    expect_run(0, "so the verdict is that of nvcc's PTX alone|  PASS",
               "gate HEAD rejected.cu '%s' --size 1,33 %s", SET, files);
    json_decref(results());
    expect_run(1, "mutation score", "mutate rejected.cu '%s' --size 33", SET);
    assert_int_equal(chdir("/"), 0);
}

TEST(headers_of_a_toolkit_suit_both_compilers)
{
    char *path = strdup(getenv("PATH"));

    setenv("PATH", strchr(path, ':') + 1, 1); /* clang finds the toolkit by its nvcc */
    expect_run(0, "halves  PASS  in bounds, initialized\n|, nvcc | and clang |!so the verdict",
               "check %s 'halves<<<(n + 31) / 32, 32>>>(in nv_bfloat16 x[n], out float y[n], n); "
               "both<<<1, 32>>>(in float a[32], out float b[32])' --size 1,33 --only run",
               TOOLKIT);
    setenv("PATH", path, 1);
    free(path);
}

TEST(report_says_that_nvcc_removed_a_store)
{
    static const char removed[] = "   note: nvcc's PTX has no store at |dead.cu:4: nvcc removed it";
    const char *file = text_write(in_folder("dead.cu"), "__global__ void dead(int *x)\n{\n"
                                                        "    __shared__ int a, b[32];\n"
                                                        "    a = threadIdx.x;\n"
                                                        "    x[threadIdx.x] = 1;\n}\n");
    json_t *json;

    expect_run(1, removed, "check %s 'dead<<<1, 64>>>(out int x[64])' --size 1 --only races %s",
               file, files);
    json = results();
    expect_text(report_text(json_at(json, "launches/0/findings/0"), "message"), "nvcc removed it");
    assert_string_equal(report_text(check_of(json, "races", "nvcc"), "verdict"), "race-free");
    json_decref(json);
    text_write(file, "__global__ void dead(int *x)\n{\n    __shared__ int a[32];\n"
                     "    a[threadIdx.x] = 1;\n    x[threadIdx.x] = 1;\n}\n");
    expect_run(1, removed, "check %s 'dead<<<1, 64>>>(out int x[64])' --size 1 --only run", file);
}

/* Both have the race, so nothing is said. Nor is it if compilers disagree about the line. */
TEST(store_of_both_compilers_is_not_removed)
{
    const char *file =
        text_write(in_folder("kept.cu"),
                   "__global__ void kept(int *x)\n{\n    __shared__ int a;\n"
                   "    a = threadIdx.x;\n    __syncthreads();\n    x[threadIdx.x] = a;\n}\n"
                   "__global__ void lines(int *x)\n{\n#ifdef __clang__\n#line 9\n#endif\n"
                   "    x[0] = threadIdx.x;\n}\n");

    expect_run(1, ": error: data race on a\n|!removed|!only in the code of",
               "check %s 'kept<<<1, 64>>>(out int x[64])' --size 1 --only races", file);
    expect_run(1, "kept.cu:13: error: data race on x[0]\n|!removed",
               "check %s 'lines<<<1, 64>>>(out int x[1])' --size 1 --only races", file);
}

/* The accesses of a race come in another order in clang's code, and a variable is in memory. */
TEST(failure_of_both_codes_is_one_finding)
{
    static const char text[] =
        "__global__ void condbar(const int *x, int *y, int n)\n{\n"
        "    __shared__ int s[128];\n    int t = threadIdx.x;\n"
        "    s[t] = t < n ? x[t] : 0;\n    if (t < n) {\n        __syncthreads();\n"
        "        y[t] = s[127 - t];\n    }\n}\n"
        "__global__ void local(const int *x, int *y, int n)\n{\n    int a[8], s = 0;\n"
        "    for (int k = 0; k < n && k < 7; k++) a[k] = x[k];\n"
        "    for (int k = 0; k <= n && k < 8; k++) s += a[k];\n    y[0] = s;\n}\n"
        "__global__ void scan(const int *x, int *y, int n)\n{\n"
        "    __shared__ int s[128];\n    int t = threadIdx.x;\n"
        "    s[t] = t < n ? x[t] : 0;\n    __syncthreads();\n"
        "    for (int d = 1; d < 128; d *= 2) {\n        if (t >= d) s[t] += s[t - d];\n"
        "        __syncthreads();\n    }\n    if (t < n) y[t] = s[t];\n}\n";
    const char *file = text_write(in_folder("both.cu"), text);

    expect_run(1, "condbar  FAIL  1 data race\n|!only in the code of",
               "check %s 'condbar<<<1, 128>>>(in int x[n], inout int y[n], n)' --size 1", file);
    expect_run(1, "local  FAIL  1 uninitialized read\n|!only in the code of",
               "check %s 'local<<<1, 1>>>(in int x[n], out int y[1], n)' --size 0,1", file);
    expect_run(1, "order-dependent result: y[2] is |, sequential (n = 3)\n|   case: n = 1; ",
               "check %s 'scan<<<1, 128>>>(in int x[n], out int y[n], n)' --size 1-3", file);
    file = write_kernel("rejected.cu", "ifdef", "no_such_function(x);");
    expect_run(1, "  FAIL  1 out-of-bounds write\n|so the verdict is that of|!only in the code of",
               "check %s 'set<<<2, 32>>>(out int x[n], 64)' --size 7", file);
}

/* Compilers remove the read of `unused` before the barrier, and keep an array that nothing indexes
 * by a variable in registers. */
static const char kept[] =
    "__global__ void unused(const int *x, int *y)\n{\n    __shared__ int total;\n"
    "    if (threadIdx.x == 0)\n        total = x[0];\n#ifdef RIGHT\n    __syncthreads();\n"
    "#endif\n    int early = total;\n    (void)early;\n    __syncthreads();\n"
    "    y[threadIdx.x] = total;\n}\n"
    "__global__ void next(int *y, int i, int to)\n{\n    int a[4], b[4];\n"
    "    for (int k = 0; k < 4; k++) {\n        a[k] = k;\n        b[k] = 2 * k;\n    }\n"
    "    a[to] = 7;\n    y[threadIdx.x] = a[i] + b[threadIdx.x % 4];\n}\n"
    "__device__ int nowhere(int n);\n"
    "static __device__ __forceinline__ int half_of(int n)\n{\n"
    "    return n > 4 ? nowhere(n) : n / 2;\n}\n"
    "__global__ void inlines(int *y)\n{\n    y[threadIdx.x] = half_of(4);\n}\n"
    "struct padded {\n    char c;\n    int i;\n};\n"
    "__device__ padded make(int i)\n{\n    padded p;\n    p.i = i;\n    if (i > 0)\n"
    "        p.c = 1;\n    return p;\n}\n"
    "__global__ void values(const int *x, int *y, float *z)\n{\n"
    "    padded all[2] = {make(x[threadIdx.x]), make(1)}, copy = all[0];\n"
    "    int first, part[8];\n    if (threadIdx.x % 32 == 0)\n        first = x[0];\n"
    "    first = __shfl_sync(~0u, first, 0);\n    for (int k = 0; k < 4; k++)\n"
    "        part[k] = first;\n    y[threadIdx.x] = copy.i + part[threadIdx.x % 4];\n"
    "    atomicAdd(z, x[threadIdx.x] * 0.3f + 0.1f);\n}\n";

TEST(accesses_that_compilers_remove_are_checked)
{
    static const char only[] = "|   note: only in the code of clang -O0\n";
    static const struct {
        const char *launch, *options;
        int status;
        const char *says;
    } rows[] = {
        {"unused<<<1, 64>>>(in int x[64], out int y[64])", "", 1,
         "unused  FAIL  1 data race\n|kept.cu:5: error: data race on total\n"},
        {"unused<<<1, 64>>>(in int x[64], out int y[64])", "-- -DRIGHT", 0, "!-O0"},
        {"unused<<<1, 64>>>(in int x[64], out int y[64])", "--compiler nvcc --compiler clang", 0,
         "!-O0"},
        {"unused<<<1, 64>>>(in int x[64], out int y[64])", "--only determinism", 0, "!-O0"},
        {"next<<<1, 32>>>(out int y[32], 4, 0)", "", 1,
         "next  FAIL  1 out-of-bounds read\n|thread 0 of block 0 reads an element that its array "
         "does not have\n"},
        {"next<<<1, 32>>>(out int y[32], 0, 4)", "", 1, "next  FAIL  1 out-of-bounds write\n"},
        {"next<<<1, 32>>>(out int y[32], 3, 3)", "", 0, "!-O0"},
        {"inlines<<<1, 32>>>(out int y[32])", "", 0,
         "the simulator cannot run clang's PTX of |kept.cu' at -O0, so only optimized code was "
         "checked: |calls nowhere(), which no file defines"},
        {"values<<<1, 64>>>(in int x[64], out int y[64], zeros float z[1])", "--allow order:z", 0,
         "!-O0"},
    };
    char file[512];
    json_t *json;

    snprintf(file, sizeof file, "%s", text_write(in_folder("kept.cu"), kept));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char says[512];
        snprintf(says, sizeof says, "%s%s", rows[k].says, rows[k].status == 1 ? only : "");
        expect_run(rows[k].status, says, "check %s '%s' --engine sim %s %s", file, rows[k].launch,
                   files, rows[k].options);
        json_decref(results());
    }
    expect_run(1, "", "check %s '%s' --engine sim %s", file, rows[0].launch, files);
    json = results();
    assert_string_equal(report_text(check_of(json, "races", "clang"), "result"), "pass");
    assert_string_equal(report_text(check_of(json, "races", "clang -O0"), "result"), "fail");
    expect_text(report_text(json_at(json, "launches/0/findings/0"), "command"),
                " --compiler clang --case ");
    expect_text(report_text(json_at(json, "launches/0/findings/0"), "command"), " -- '-O0'");
    json_decref(json);
}

/* The other code is checked, and a note says what is missing. */
TEST(missing_clang_is_noted)
{
    char *path = strdup(getenv("PATH")), text[2048];
    const char *file = text_write(in_folder("kept.cu"), kept);

    snprintf(text, sizeof text, "PATH=%s exec %s \"$@\"", path, nvcc);
    assert_int_equal(mkdir(in_folder("alone"), 0755), 0);
    script_make("alone/nvcc", text);
    setenv("PATH", in_folder("alone"), 1);
    expect_run(0, "|, nvcc |note: clang is not installed, so accesses that nvcc removes were not",
               "check %s 'unused<<<1, 64>>>(in int x[64], out int y[64])' --only races", file);
    setenv("PATH", path, 1);
    free(path);
}

TEST(a_clang_without_a_message_is_noted)
{
    const char *file =
        text_write(in_folder("set.cu"), "__global__ void set(int *x) { x[threadIdx.x] = 1; }\n");

    setenv(
        "SIMTCHECK_CLANG",
        script_make("silent", "case \"$*\" in *--version*) exec clang++ \"$@\";; esac\nexit 1\n"),
        1);
    expect_run(0, "alone: it printed no error",
               "check %s 'set<<<1, 32>>>(out int x[32])' --only run", file);
    unsetenv("SIMTCHECK_CLANG");
}

/* The lines of its findings are those of the old text. */
TEST(file_that_changes_during_the_check_is_not_shown)
{
    const char *file =
        text_write(in_folder("moved.cu"), "__global__ void set(int *x) { x[threadIdx.x] = 1; }\n");
    char script[1024];

    snprintf(script, sizeof script, "echo // >>%s; exec %s \"$@\"", file, nvcc);
    expect_run(1, "moved.cu changed during the check|!__global__",
               "check %s 'set<<<1, 32>>>(out int x[7])' --only run --nvcc %s", file,
               script_make("changer", script));
}

/* A kept list of files may be cut at the end of a line, as when the power fails. */
TEST(a_cut_list_of_a_kept_compilation_is_not_used)
{
    static const char *const cuts[] = {"$d", "2,$d", "d"};
    const char *header = in_folder("cut.h");
    char file[512], command[1024];

    snprintf(file, sizeof file, "%s",
             text_write(in_folder("cut.cu"), "#include \"cut.h\"\n__global__ void cut(int *x)\n{\n"
                                             "    x[threadIdx.x + FIRST] = 1;\n}\n"));
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        text_write(header, "#define FIRST 0\n");
        expect_run(0, "", "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim", file);
        text_write(header, "#define FIRST 32\n");
        snprintf(command, sizeof command, "sed -i '%s' %s/simtcheck/*.files", cuts[k],
                 in_folder("cache"));
        assert_int_equal(system(command), 0);
        expect_run(1, ": error: out-of-bounds write\n",
                   "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim", file);
    }
}

/* Writes a kernel that writes out of bounds if FIRST is 32. `include` is its first line. */
static const char *write_shifted(const char *include)
{
    char text[512];

    snprintf(text, sizeof text,
             "%s\n__global__ void cut(int *x)\n{\n    x[threadIdx.x + FIRST] = 1;\n}\n", include);
    return text_write(in_folder("shifted.cu"), text);
}

/* Checks, edits an input of the compilation, and checks again. */
static void expect_edit_counts(const char *file, const char *input, const char *define,
                               const char *options)
{
    char text[128];

    for (int failing = 0; failing < 2; failing++) {
        snprintf(text, sizeof text, define, 32 * failing);
        text_write(input, text);
        expect_run(failing, failing ? ": error: out-of-bounds write\n" : "",
                   "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim --size 1 %s", file,
                   options);
    }
}

TEST(edit_of_an_option_file_counts)
{
    static const char *const spellings[] = {
        "--compiler nvcc -- -optf %s",          "--compiler nvcc -- -optf=%s",
        "--compiler nvcc -- --options-file=%s", "--compiler nvcc -- -Xcompiler @%s",
        "--compiler nvcc -- -Xcompiler -w,@%s", "--compiler clang -- @%s",
    };
    const char *file = write_shifted(""), *input = in_folder("options");
    char options[512];

    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
        snprintf(options, sizeof options, spellings[k], input);
        expect_edit_counts(file, input, "-DFIRST=%d", options);
    }
    snprintf(options, sizeof options, "-Xcompiler @%s", input);
    setenv("NVCC_APPEND_FLAGS", options, 1);
    expect_edit_counts(file, input, "-DFIRST=%d", "--compiler nvcc");
    unsetenv("NVCC_APPEND_FLAGS");
}

/* Compilers read such files by themselves: nvcc the one beside it, clang those that it names. */
TEST(edit_of_a_compiler_s_settings_counts)
{
    const char *file = write_shifted("");

    setenv("CFG", in_folder("nvcc.profile"), 1);
    expect_edit_counts(file, getenv("CFG"), "-DFIRST=%d", "--compiler nvcc");
    setenv("CFG", in_folder("clang.cfg"), 1);
    setenv("SIMTCHECK_CLANG",
           script_make("configured", "[ $1 = --version ] && echo \"Configuration file: $CFG\"\n"
                                     "exec clang++ $(cat $CFG) \"$@\"\n"),
           1);
    expect_edit_counts(file, getenv("CFG"), "-DFIRST=%d", "--compiler clang");
    unsetenv("SIMTCHECK_CLANG");
    unsetenv("CFG");
}

/* Compilers write such names in ways that cannot be read back. */
TEST(edit_of_a_header_with_an_odd_name_counts)
{
    static const char *const names[] = {"odd$1.h", "odd\t.h", "odd\\.h", "odd\\#1.h", "odd $1.h"};
    char include[64], header[64];

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(include, sizeof include, "#include \"%s\"", names[k]);
        snprintf(header, sizeof header, "%s/%s", folder, names[k]);
        for (size_t f = 0; f < 2; f++)
            expect_edit_counts(write_shifted(include), header, "#define FIRST %d\n",
                               f == 0 ? "--compiler nvcc" : "--compiler clang");
    }
}

/* Each folder has a header of that name. */
TEST(equal_sources_in_two_folders_have_their_own_headers)
{
    char path[2][64];

    for (int k = 0; k < 2; k++) {
        char text[64];
        snprintf(path[k], sizeof path[k], "%s/side%d", folder, k);
        assert_int_equal(mkdir(path[k], 0755), 0);
        strcat(path[k], "/x.h");
        snprintf(text, sizeof text, "#define FIRST %d\n", 32 * k);
        text_write(path[k], text);
        strcpy(strrchr(path[k], '/'), "/k.cu");
        text_write(path[k], "#include \"x.h\"\n__global__ void cut(int *x)\n{\n"
                            "    x[threadIdx.x + FIRST] = 1;\n}\n");
    }
    for (int k = 0; k < 4; k++)
        expect_run(k % 2, "", "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim --size 1",
                   path[k % 2]);
}

static void shell(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Makes $C the folder of kept compilations. */
static void use_cache(const char *name)
{
    char path[64];

    setenv("XDG_CACHE_HOME", in_folder(name), 1);
    snprintf(path, sizeof path, "%s/simtcheck", in_folder(name));
    setenv("C", path, 1);
}

/* Others may fill such a folder. */
TEST(cache_that_is_not_the_user_s_own_folder_is_not_used)
{
    static const char *const changes[] = {"mv $C $C.real && ln -s $C.real $C",
                                          "rm $C && mv $C.real $C && chmod g+w $C",
                                          "chmod o+w,g-w $C"};
    const char *file = write_shifted("#define FIRST 0");

    use_cache("own");
    expect_run(0, "!is not used",
               "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim --size 1", file);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        shell(changes[k]);
        shell("rm -f $C/*");
        expect_run(0, "/own/simtcheck' is not used",
                   "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim --size 1", file);
        shell("test -z \"$(ls $C/)\"");
    }
    use_cache("cache");
}

TEST(full_cache_keeps_files_of_others)
{
    const char *file = write_shifted("#define FIRST 0 // a new text");

    use_cache("cache");
    shell("cd $C && for f in notes 0123456789abcdef0123456789abcdef.txt "
          "0123456789abcdef0123456789abcdef"
          "; do truncate -s 2M $f && touch -d 2001-01-01 $f; done");
    setenv("SIMTCHECK_CACHE_MIB", "1", 1);
    expect_run(0, "", "check %s 'cut<<<1, 32>>>(inout int x[32])' --engine sim --size 1", file);
    unsetenv("SIMTCHECK_CACHE_MIB");
    shell("cd $C && test -e notes -a -e 0123456789abcdef0123456789abcdef.txt -a "
          "! -e 0123456789abcdef0123456789abcdef");
}

/* Files of the names that simtcheck once wrote, for the process that the shell becomes. */
TEST(links_in_the_cache_are_not_followed)
{
    use_cache("cache");
    setenv("VICTIM", text_write(in_folder("victim"), "mine\n"), 1);
    setenv("PROGRAM", simtcheck_program(), 1);
    setenv("FILE", write_shifted("#define FIRST 0"), 1);
    shell("rm -f $C/*");
    for (int k = 0; k < 2; k++)
        shell("for f in $C/*.files; do f=${f%.files}; rm -f $f $f.files\n"
              "    ln -sf $VICTIM $f.$$; ln -sf $VICTIM $f.list.$$; done\n"
              "exec $PROGRAM check $FILE 'cut<<<1, 32>>>(inout int x[32])' --engine sim --size 1 "
              ">/dev/null");
    shell("test $(cat $VICTIM) = mine");
}

/* The nvcc on the PATH writes its arguments to a log. Earlier compilations are not used. */
static int set_up(void **state)
{
    char text[4096], *path = strdup(nvcc);

    if (folder_make(state) != 0)
        return 1;
    snprintf(text, sizeof text,
             "echo \" $* \" >>%s/log\nexec %s $(test -z $CFG || cat $CFG) \"$@\"\n", folder, nvcc);
    script_make("nvcc", text);
    snprintf(text, sizeof text, "%s:%s:%s", folder, dirname(path), getenv("PATH"));
    free(path);
    setenv("PATH", text, 1);
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    snprintf(files, sizeof files, "--json %s --junit %s --sarif %s", in_folder("r.json"),
             in_folder("r.xml"), in_folder("r.sarif"));
    return 0;
}

int main(int argc, char **argv)
{
    struct compiler clang;
    char error[256];

    nvcc = argc > 1 ? argv[1] : NULL;
    if (nvcc == NULL || !clang_open(NULL, &clang, error, sizeof error)) {
        fprintf(stderr, "%s\n", nvcc == NULL ? "no nvcc" : error);
        return 77;
    }
    return tests_run("both_compilers", set_up, folder_remove);
}
