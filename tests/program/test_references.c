/* SPDX-License-Identifier: MIT
 *
 * `check` and its references: an oracle in C or C++, other code, and a revision of the same code.
 * Also launches in a row. Runs with every installed compiler.
 */
#include "launch_rows.h"

#include "expected.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void shell(const char *command)
{
    char whole[3072];

    snprintf(whole, sizeof whole, "cd %s && %s", folder, command);
    if (system(whole) != 0)
        fail_msg("%s", whole);
}

static const char *file(const char *name, const char *text)
{
    return text != NULL ? text_write(in_folder(name), text) : in_folder(name);
}

static int set_up(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    return folder_make(state);
}

static const char scale[] = "#include \"factor.h\"\n"
                            "__global__ void scale(const float *x, float *y, int n)\n"
                            "{\n"
                            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    if (i < n)\n"
                            "        y[i] = x[i] * FACTOR;\n"
                            "}\n",
                  launch[] = "scale<<<(n + 31) / 32, 32>>>(in float x[n], out float y[n], n)";

/* Checks the launch at sizes 0 and 33, with up to five more words. Fails unless the output contains
 * `says`. */
static char *check_with_options(const char *cuda, const char *text, int status, const char *says,
                                const char *const more[5])
{
    const char *const arguments[] = {simtcheck_program(),
                                     "check",
                                     cuda,
                                     text,
                                     "--engine=sim",
                                     "--size=0,33",
                                     more[0],
                                     more[1],
                                     more[2],
                                     more[3],
                                     more[4],
                                     NULL};
    struct ended ended = program_run(arguments);

    if (ended.status != status || strstr(ended.output, says) == NULL)
        fail_msg("%s: exit status %d, and not %d and '%s': %s", text, ended.status, status, says,
                 ended.output);
    return ended.output;
}

/* What is printed of scale if the two cases pass, each with six sets of values. */
#define ALL_PASS                                                                                   \
    "scale  PASS  in bounds, initialized, race-free, deterministic, as the reference\n       n = " \
    "0,33 (12 cases)"
#define RUN_PASS "scale  PASS  in bounds, initialized, as the reference\n       n = 0,33 (12 cases)"

/* Launches at sizes 0 and 33. They are compiled together. */
#define EXPECT_TOGETHER(cuda, rows) expect_launches(cuda, "--engine=sim --size=0,33", GROUP(rows))

/* The same, with tables and what was tried. */
#define EXPECT_TABLES(cuda, rows)                                                                  \
    expect_launches(cuda, "--engine=sim --size=0,33 --verbose", GROUP(rows))

#define EXPECT_CHECK(cuda, text, status, says, ...)                                                \
    free(check_with_options(cuda, text, status, says, (const char *const[5]){__VA_ARGS__}))

TEST(oracle_defines_the_expected_output)
{
    static const char oracle[] = "#include \"catalogue.h\"\n"
                                 "bool expected(const struct expectation *e)\n"
                                 "{\n"
                                 "    const float *x = e->arrays[0];\n"
                                 "    float *y = e->arrays[1];\n"
                                 "    for (uint64_t i = 0; i < e->shape->size[0]; i++)\n"
                                 "        y[i] = x[i] * FACTOR;\n"
                                 "    return true;\n"
                                 "}\n";
    char right[1024], wrong[1024];
    const char *cuda = file("scale.cu", scale);

    file("factor.h", "#define FACTOR 3.0f\n");
    snprintf(right, sizeof right, "#define FACTOR 3.0f\n%s", oracle);
    snprintf(wrong, sizeof wrong, "#define FACTOR 3.5f\n%s", oracle);
    EXPECT_CHECK(cuda, launch, 0, ALL_PASS, "--oracle", file("right.c", right));
    EXPECT_CHECK(cuda, launch, 1, "error: wrong result", "--oracle", file("wrong.c", wrong));
    EXPECT_CHECK(cuda, launch, 1, "no answer", "--oracle",
                 file("mute.c", "#include \"catalogue.h\"\n"
                                "bool expected(const struct expectation *e)\n"
                                "{\n"
                                "    return e == NULL;\n"
                                "}\n"));
    EXPECT_CHECK(cuda, launch, 2, "none.c' must define 'bool expected(", "--oracle",
                 file("none.c", "int nothing;\n"));
    EXPECT_CHECK(cuda, launch, 3, "cannot load the oracle: ", "--oracle",
                 file("else.c", "int unexpected;\n"));
    EXPECT_CHECK(cuda, launch, 2, "no.c", "--oracle", file("no.c", "int = 0;\n"));
    EXPECT_CHECK(cuda, launch, 2, "give one", "--oracle", file("right.c", NULL), "--against", cuda);
}

/* The body of an oracle in C++, which is no C. */
#define CPP_BODY                                                                                   \
    "{\n"                                                                                          \
    "    auto x = static_cast<const float *>(e->arrays[0]);\n"                                     \
    "    auto y = static_cast<float *>(e->arrays[1]);\n"                                           \
    "    for (uint64_t i = 0; i < e->shape->size[0]; i++)\n"                                       \
    "        y[i] = x[i] * FACTOR;\n"                                                              \
    "    return true;\n"                                                                           \
    "}\n"

static const char *cpp_oracle(const char *name, const char *factor, const char *declaration)
{
    char text[1024];

    snprintf(text, sizeof text, "#include \"catalogue.h\"\n#define FACTOR %s\n%s\n%s", factor,
             declaration, CPP_BODY);
    return file(name, text);
}

TEST(oracle_in_cpp_is_found_by_name)
{
    static const char usual[] = "bool expected(const struct expectation *e)";
    static const char *const ends[] = {"cpp", "cc", "cxx", "C"};
    static const char *const wrong[] = {
        "template <class T, class U> bool expected(const T *e)",
        "bool expected(const struct expectation *e, int)",
        "bool expected(struct expectation *e)",
        ("namespace mine { bool expected(const struct expectation *); }\n"
         "bool mine::expected(const struct expectation *e)"),
        "static bool other(const struct expectation *e)",
    };
    const char *cuda = file("scale.cu", scale);
    char name[32];

    file("factor.h", "#define FACTOR 3.0f\n");
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        snprintf(name, sizeof name, "right.%s", ends[k]);
        EXPECT_CHECK(cuda, launch, 0, RUN_PASS, "--oracle", cpp_oracle(name, "3.0f", usual),
                     "--only=run");
    }
    EXPECT_CHECK(cuda, launch, 1, "error: wrong result", "--oracle",
                 cpp_oracle("wrong.cpp", "3.5f", usual), "--only=run");
    EXPECT_CHECK(
        cuda, launch, 0, RUN_PASS, "--oracle",
        cpp_oracle("linked.cpp", "3.0f", "extern \"C\" bool expected(const expectation *e)"),
        "--only=run");
    EXPECT_CHECK(cuda, launch, 0, RUN_PASS, "--oracle",
                 cpp_oracle("two.cpp", "3.0f",
                            "static bool expected(int i) { return i; }\n"
                            "static bool expected(const struct expectation *e)"),
                 "--only=run");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        EXPECT_CHECK(cuda, launch, 2,
                     "cpp' must define 'bool expected(const struct expectation *)' once",
                     "--oracle", cpp_oracle("none.cpp", "3.0f", wrong[k]));
    EXPECT_CHECK(cuda, launch, 2, "cannot compile the oracle", "--oracle",
                 file("no.cpp", "int = 0;\n"));
    EXPECT_CHECK(cuda, launch, 3, "the oracle crashes (Aborted), at size 0, values ", "--oracle",
                 cpp_oracle("throws.cpp", "(throw 1, 3.0f)",
                            "bool expected(const expectation *e) { throw 1; }\n"
                            "bool unused(const expectation *e)"),
                 "--only=run");
}

/* Without the right to mount, nothing can be tested. */
TEST(oracle_in_a_folder_without_programs)
{
    char command[2048];
    const char *cuda = file("scale.cu", scale);

    if (system("unshare --user --map-root-user --mount true 2>/dev/null") != 0)
        skip();
    file("factor.h", "#define FACTOR 3.0f\n");
    snprintf(command, sizeof command,
             "mkdir -p noexec && unshare --user --map-root-user --mount sh -c '"
             "mount -t tmpfs -o noexec none noexec && export TMPDIR=$PWD/noexec && "
             "%s check %s \"%s\" --engine=sim --only=run --size=33 --oracle %s >said 2>&1; "
             "test $? = 3 && "
             "grep \"noexec: set TMPDIR to a folder on another file system\" said && "
             "%s check %s \"%s\" --engine=sim --only=run --size=33'",
             simtcheck_program(), cuda, launch,
             cpp_oracle("right.cpp", "3.0f", "bool expected(const struct expectation *e)"),
             simtcheck_program(), cuda, launch);
    shell(command);
}

static const char *const oracle_faults[][2] = {
    {"abort();", "the oracle crashes (Aborted), at size 33, values "},
    {"static volatile int depth; expected((depth++, e)); depth++;", "the oracle crashes (Seg"},
    {"for (volatile int k = 0;;) k = 1;", "the oracle is still running at the deadline of 0.2 s"},
    {"_exit(0);", "the oracle, at size 33, values "},
    {"_exit(0);", ": the worker exited with status 0"},
};

/* Two kernels that differ agree if their input is constant. */
TEST(constant_input_is_a_remark)
{
#define REMARK "note: every element of 'x' has the same value in all cases"
#define COPY(type, array) "copy<<<1, 32>>>(in " type " x[32]" array ", out " type " y[32])"
    static const struct launch_row rows[] = {
        {0, REMARK, COPY("int", " = uniform(0, 1)"), "--only run"},
        {0, "!" REMARK, COPY("int", " = uniform(0, 2)"), "--only run"},
        {0, REMARK, COPY("int", " = sorted(7, 8)"), "--only run"},
        {0, REMARK, COPY("int", " = offsets(0)"), "--only run"},
        {0, "!" REMARK, COPY("int", " = permutation"), "--only run"},
        {0, "!" REMARK, COPY("int", ""), "--only run"},
        {0, "!" REMARK, COPY("float", " = uniform(0, 1)"), "--only run"},
        {0, REMARK, COPY("float", " = uniform(2, 2)"), "--only run"},
    };
    const char *cuda = file("copy.cu", "template <class T> __global__ void copy(const T *x, T *y)\n"
                                       "{\n"
                                       "    y[threadIdx.x] = x[threadIdx.x];\n"
                                       "}\n");
    char line[512], *text;

    EXPECT_TOGETHER(cuda, rows);
    snprintf(line, sizeof line, "copy<<<1, 32>>>(in char x[32] = @%s, out char y[32])",
             text_write(in_folder("same.bin"), "00000000000000000000000000000000"));
    EXPECT_CHECK(cuda, line, 0, REMARK, "--only", "run", "--json", in_folder("r.json"));
    text = text_read(in_folder("r.json"));
    assert_non_null(strstr(text, "\"note\": \"every element of 'x'"));
    free(text);
    snprintf(line, sizeof line, "copy<<<1, 32>>>(in char x[32] = @%s, out char y[32])",
             text_write(in_folder("others.bin"), "00000000000000000000000000000001"));
    text = check_with_options(cuda, line, 0, "", (const char *const[5]){"--only", "run"});
    assert_null(strstr(text, REMARK));
    free(text);
}

/* An oracle is loaded in a worker only, so its constructors cannot end the check. */
TEST(oracle_that_ends_its_process_is_named)
{
    static const char *const ends[][2] = {{"_exit(0)", "the worker exited with status 0"},
                                          {"abort()", "the worker died: Aborted"}};
    const char *cuda = file("mark.cu", "__global__ void mark(int *y)\n"
                                       "{\n"
                                       "    y[0] = 1;\n"
                                       "}\n");
    char text[512], says[128];

    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        snprintf(text, sizeof text,
                 "#include <stdlib.h>\n#include <unistd.h>\n"
                 "__attribute__((constructor)) static void leave(void)\n{\n    %s;\n}\n"
                 "_Bool expected(const void *e)\n{\n    return e != 0;\n}\n",
                 ends[k][0]);
        snprintf(says, sizeof says, "engine sim: the oracle, while it is loaded: %s", ends[k][1]);
        EXPECT_CHECK(cuda, "mark<<<1, 1>>>(out int y[1])", 3, says, "--oracle",
                     file("leaves.c", text));
    }
}

/* What it prints is shown, and is not the kernel's. */
TEST(oracle_may_print)
{
    const char *cuda = file("mark.cu", "#include <stdio.h>\n"
                                       "__global__ void mark(int *y)\n"
                                       "{\n"
                                       "    y[0] = 1;\n"
                                       "#ifdef PRINTS\n"
                                       "    printf(\"of the kernel\");\n"
                                       "#endif\n"
                                       "}\n"),
               *oracle = file("prints.c", "#include \"catalogue.h\"\n"
                                          "#include <stdio.h>\n"
                                          "bool expected(const struct expectation *e)\n"
                                          "{\n"
                                          "    puts(\"of the oracle\");\n"
                                          "    *(int *)e->arrays[0] = 1;\n"
                                          "    return true;\n"
                                          "}\n");

    EXPECT_CHECK(cuda, "mark<<<1, 1>>>(out int y[1])", 0, "of the oracle", "--oracle", oracle,
                 "--only=run");
    EXPECT_CHECK(cuda, "mark<<<1, 1>>>(out int y[1])", 0, "mark  PASS", "--oracle", oracle, "--",
                 "-DPRINTS");
}

/* The kernel is not at fault. */
TEST(oracle_that_fails_is_named)
{
    char text[512];
    const char *cuda = file("mark.cu", "__global__ void mark(int *y)\n"
                                       "{\n"
                                       "    y[0] = 1;\n"
                                       "}\n");

    for (size_t k = 0; k < sizeof oracle_faults / sizeof *oracle_faults; k++) {
        snprintf(text, sizeof text,
                 "#include \"catalogue.h\"\n"
                 "#include <stdlib.h>\n"
                 "#include <unistd.h>\n"
                 "bool expected(const struct expectation *e)\n"
                 "{\n"
                 "    *(int *)e->arrays[0] = 1;\n"
                 "    if (e->shape->size[0] == 33) {\n"
                 "        %s\n"
                 "    }\n"
                 "    return true;\n"
                 "}\n",
                 oracle_faults[k][0]);
        EXPECT_CHECK(cuda, "mark<<<1, 1>>>(out int y[1])", 3, oracle_faults[k][1], "--oracle",
                     file("fault.c", text), "--deadline=0.2", "--only=run");
    }
}

/* A crash is a result, so it needs no core file. A blocked signal would stop no worker. */
TEST(workers_write_no_core_and_block_no_signals)
{
    static const char oracle[] = "#include \"catalogue.h\"\n"
                                 "#include <signal.h>\n"
                                 "#include <sys/resource.h>\n"
                                 "bool expected(const struct expectation *e)\n"
                                 "{\n"
                                 "    struct rlimit core;\n"
                                 "    sigset_t blocked;\n"
                                 "    getrlimit(RLIMIT_CORE, &core);\n"
                                 "    sigprocmask(SIG_BLOCK, 0, &blocked);\n"
                                 "    *(int *)e->arrays[0] = 1 + 2 * (core.rlim_cur != 0) +\n"
                                 "        4 * sigismember(&blocked, SIGTERM);\n"
                                 "    return true;\n"
                                 "}\n";
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    sigset_t all, before;
    struct rlimit core;
    const char *cuda = file("mark.cu", "__global__ void mark(int *y)\n"
                                       "{\n"
                                       "    y[0] = 1;\n"
                                       "}\n");

    getrlimit(RLIMIT_CORE, &core);
    if (setrlimit(RLIMIT_CORE, &none) != 0)
        setrlimit(RLIMIT_CORE, &(struct rlimit){core.rlim_max, core.rlim_max});
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    EXPECT_CHECK(cuda, "mark<<<1, 1>>>(out int y[1])", 0,
                 "mark  PASS  in bounds, initialized, as the reference\n", "--oracle",
                 file("limits.c", oracle), "--only=run");
    sigprocmask(SIG_SETMASK, &before, NULL);
    setrlimit(RLIMIT_CORE, &core);
}

/* What another file held would be compared with what this one holds. */
TEST(data_file_that_changes_is_reported)
{
    const char *cuda = file("copy.cu", "__global__ void copy(const int *x, int *y, int n)\n"
                                       "{\n"
                                       "    if (threadIdx.x < n)\n"
                                       "        y[threadIdx.x] = x[threadIdx.x];\n"
                                       "}\n"),
               *data = file("data", "0123456701234567"), *oracle;
    char text[1024], line[256];

    snprintf(line, sizeof line, "copy<<<1, 32>>>(in int x[m] = @%s, out int y[m], m)", data);
    snprintf(text, sizeof text,
             "#include \"catalogue.h\"\n"
             "#include <stdio.h>\n"
             "#include <string.h>\n"
             "bool expected(const struct expectation *e)\n"
             "{\n"
             "    FILE *data = fopen(\"%s\", \"a\");\n"
             "    fputs(\"0123\", data);\n"
             "    fclose(data);\n"
             "    memcpy(e->arrays[1], e->arrays[0], 16);\n"
             "    return true;\n"
             "}\n",
             data);
    oracle = file("changes.c", text);
    EXPECT_CHECK(cuda, line, 3, "data' has changed during the check", "--oracle", oracle,
                 "--only=run");
    file("data", "0123456701234567");
    snprintf(text, sizeof text, "touch -d 2001-01-01 %s\nexec cc \"$@\"\n", data);
    setenv("SIMTCHECK_CC", script_make("cc", text), 1);
    EXPECT_CHECK(cuda, line, 3, "engine sim: '/", "--oracle", oracle, "--only=run");
    unsetenv("SIMTCHECK_CC");
}

/* A terminal obeys them. */
TEST(control_characters_are_shown_as_text)
{
    const char *cuda = file("escape.cu", "#error \033[2J\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\n");
    char *said = check_with_options(cuda, launch, 2, "\\x1b[2J", (const char *const[5]){NULL});

    assert_null(strchr(said, '\033'));
    assert_null(strstr(said, "\xc2\x9b"));
    assert_non_null(strstr(said, "\\u202e\\u2066"));
    free(said);
    cuda = file("other\033[31m.cu", "__global__ void scale(const float *x, float *y, int n) {}\n");
    said = check_with_options(cuda, launch, 1, "other\\x1b[31m.cu",
                              (const char *const[5]){"--only=run"});
    assert_null(strchr(said, '\033'));
    free(said);
    EXPECT_CHECK(file("quo\"te.cu", scale), launch, 2, "rename the file or its folder", NULL);
    EXPECT_CHECK(file("line\nend.cu", scale), launch, 2, "rename the file or its folder", NULL);
    assert_int_equal(mkfifo(in_folder("pipe.cu"), 0600), 0);
    EXPECT_CHECK(in_folder("pipe.cu"), launch, 2, "it is not a regular file", NULL);
}

TEST(reference_code_defines_the_expected_output)
{
    static const char other[] = "#define FACTOR 3.0f\n"
                                "__global__ void scale(const float *x, float *y, int n)\n"
                                "{\n"
                                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (i >= n)\n"
                                "        return;\n"
                                "    y[i] = x[i] * FACTOR;\n"
                                "    if (y[i] > 0 && y[i] < 1e30f)\n"
                                "        y[i] = __int_as_float(__float_as_int(y[i]) + 1);\n"
                                "}\n",
                      failing[] = "__global__ void scale(const float *x, float *y, int n)\n"
                                  "{\n"
                                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "    if (i < n)\n"
                                  "        y[i] = 3.0f * (FAILS(x[0]) ? x[n] : x[i]);\n"
                                  "}\n";
    const char *cuda = file("scale.cu", scale);
    char *said, *case_id;
    char old[128], json[64];
    json_t *report;

    file("factor.h", "#define FACTOR 3.0f\n");
    snprintf(old, sizeof old, "%s", file("other.cu", other));
    snprintf(json, sizeof json, "%s", in_folder("against.json"));
    EXPECT_CHECK(cuda, launch, 0, ALL_PASS, "--against", cuda);
    said = check_with_options(cuda, launch, 1, "error: wrong result",
                              (const char *const[5]){"--against", old, "--json", json});
    report = json_read(json);
    assert_true(
        json_is_true(json_at(report, "launches/0/findings/0/evidence/0/counterexample/smallest")));
    json_decref(report);
    case_id = strstr(said, "--case ");
    assert_non_null(case_id);
    case_id += strlen("--case ");
    case_id[strcspn(case_id, " \n")] = '\0';
    {
        expect_run(1, "expected ", "check '%s' '%s' --case '%s' --against '%s'", cuda, launch,
                   case_id, old);
        expect_run(0, "", "check '%s' '%s' --case '%s' --against '%s'", cuda, launch, case_id,
                   cuda);
    }
    free(said);
    EXPECT_CHECK(cuda, launch, 0, "scale  PASS", "--against", old, "--tolerance", "ulp:1");
    snprintf(old, sizeof old, "%s", file("failing.cu", failing));
    EXPECT_CHECK(cuda, launch, 0, "the reference code fails in 1 of 12 cases", "--against", old,
                 "--only=run", "-DFAILS(v)=((v)==1)", "-v");
    EXPECT_CHECK(cuda, launch, 2, "so nothing was compared", "--against", old, "--only=run",
                 "-DFAILS(v)=true");
}

/* The revision includes all headers that it includes. */
TEST(git_revision_defines_the_expected_output)
{
    const char *cuda = file("scale.cu", scale);

    file("factor.h", "#define FACTOR 3.0f\n");
    shell("git init -q . && git add scale.cu factor.h && git -c user.name=test -c user.email=test "
          "commit -qm scale");
    EXPECT_CHECK(cuda, launch, 0, ALL_PASS, "--against", "git:HEAD");
    file("factor.h", "#define FACTOR 2.0f\n");
    EXPECT_CHECK(cuda, launch, 1, "error: wrong result", "--against", "git:HEAD");
    EXPECT_CHECK(cuda, launch, 1, "error: wrong result", "--against", "git:HEAD", "-I", folder);
    EXPECT_CHECK(cuda, launch, 2, "git says", "--against", "git:nowhere");
    EXPECT_CHECK(cuda, launch, 2, "is not a revision", "--against", "git:--output=written");
    EXPECT_CHECK(in_folder("no.cu"), launch, 2, "cannot read", "--against", "git:HEAD");
    EXPECT_CHECK(file("new.cu", scale), launch, 2, "does not exist at HEAD", "--against",
                 "git:HEAD");
    shell("test ! -e written && rm -rf .git");
    EXPECT_CHECK(cuda, launch, 2, "git says", "--against", "git:HEAD");
}

/* Git's hooks set variables that name a repository. */
TEST(repository_of_the_file_is_the_one_that_counts)
{
    const char *cuda = file("scale.cu", scale);

    file("factor.h", "#define FACTOR 2.0f\n");
    shell("rm -rf .git && git init -q . && git add scale.cu factor.h && git -c user.name=test -c "
          "user.email=test commit -qm scale && cp -r .git other");
    file("factor.h", "#define FACTOR 3.0f\n");
    shell("git -c user.name=test -c user.email=test commit -qam scale");
    file("factor.h", "#define FACTOR 2.0f\n");
    setenv("GIT_DIR", in_folder("other"), 1);
    setenv("GIT_WORK_TREE", folder, 1);
    EXPECT_CHECK(cuda, launch, 1, "error: wrong result", "--only=run", "--against", "git:HEAD");
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
}

/* The old code must not get the new headers. */
TEST(old_code_with_headers_of_the_work_tree_is_rejected)
{
    const char *cuda;
    char named[512], path[128], define[192];

    snprintf(named, sizeof named, "#include FACTOR_FILE%s", strchr(scale, '\n'));
    cuda = file("named.cu", named);

    shell("rm -rf .git && mkdir inc && echo '#define FACTOR 2.0f' >inc/named.h && git init -q . && "
          "git add named.cu inc && git -c user.name=test -c user.email=test commit -qm named");
    snprintf(path, sizeof path, "%s/inc", folder);
    file("inc/named.h", "#define FACTOR 3.0f\n");
    snprintf(define, sizeof define, "-I%s", path);
    EXPECT_CHECK(cuda, launch, 1, "error: wrong result", "--against=git:HEAD",
                 "-DFACTOR_FILE=\"named.h\"", define, "--only=run");
    snprintf(define, sizeof define, "-DFACTOR_FILE=\"%s/named.h\"", path);
    EXPECT_CHECK(cuda, launch, 2, "named.h' of the work tree, not of HEAD", "--against=git:HEAD",
                 define);
    setenv("CPATH", path, 1);
    EXPECT_CHECK(cuda, launch, 2, "inc' of the work tree, not of HEAD", "--against=git:HEAD",
                 "-DFACTOR_FILE=\"named.h\"");
    unsetenv("CPATH");
    shell("rm -rf .git");
}

TEST(tolerance_accepts_nearby_floats)
{
    const char *cuda = file("sum.cu", "__global__ void sum(const float *x, float *y, int n)\n"
                                      "{\n"
                                      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "    if (i < n)\n"
                                      "        atomicAdd(y, x[i]);\n"
                                      "}\n");
    static const char sum[] = "sum<<<(n + 31) / 32, 32>>>(in float x[n] = uniform(1, 9), "
                              "zeros float y[1], n)";

    EXPECT_CHECK(cuda, sum, 1, "error: order-dependent result", NULL);
    EXPECT_CHECK(cuda, sum, 0, "sum  PASS  in bounds, initialized, race-free", "--tolerance",
                 "ulp:8");
    EXPECT_CHECK(cuda, sum, 2, "is not a tolerance: write ulp:4", "--tolerance", "8");
    EXPECT_CHECK(cuda, sum, 2, "must name an array or a line: order:ARRAY,", "--allow",
                 "instructions");
}

/* Several files form one source, and a launch sees what earlier ones wrote. */
TEST(several_files_and_launches_are_combined)
{
    const char *first = file("first.cu", "__device__ int calls;\n"
                                         "__constant__ int step[1];\n"
                                         "__global__ void count(int n)\n"
                                         "{\n"
                                         "    if (threadIdx.x < n)\n"
                                         "        atomicAdd(&calls, step[0] + STEP);\n"
                                         "}\n"),
               *second = file("second.cu", "__global__ void tell(int *out)\n"
                                           "{\n"
                                           "    out[0] = calls;\n"
                                           "}\n");
#define COUNTED(stream, other)                                                                     \
    "check %s %s 'in int step[1] = sorted(1, 2); count<<<1, 64>>>(n); count<<<1, 64" stream        \
    ">>>(n); tell<<<1, 1" other ">>>(out int out[1])' --engine sim --size 1,33 -DSTEP=1 -I %s",    \
        first, second, folder

    expect_run(0, "  PASS  in bounds, initialized, race-free, deterministic",
               COUNTED(", 0, s", ", 0, s"));
    expect_run(1, "they are in different streams", COUNTED(", 0, s", ", 0, t"));
    expect_run(0, "  PASS  in bounds, initialized, race-free, deterministic", COUNTED("", ""));
}

/* Each line would let something pass that was not tested. */
TEST(unchecked_outputs_do_not_pass)
{
    static const char text[] = "#include <cuda_fp16.h>\n"
                               "struct factor { __half a; int n; };\n"
                               "__global__ void scale(factor f, float *y)\n"
                               "{\n"
                               "    if (threadIdx.x < f.n)\n"
                               "        y[threadIdx.x] = __half2float(f.a);\n"
                               "}\n"
                               "__global__ void tail(float *y, int n)\n"
                               "{\n"
                               "    y[n] = 0;\n"
                               "}\n",
                      says[] = "#include \"catalogue.h\"\n"
                               "bool expected(const struct expectation *e)\n"
                               "{\n"
                               "    for (uint64_t i = 0; i < e->shape->size[0]; i++)\n"
                               "        ((float *)e->arrays[0])[i] = 1.5f;\n"
                               "    return true;\n"
                               "}\n",
                      scaled[] = "scale<<<1, 64>>>({half 1.5f, int n}, out float y[n])";
    const char *cuda = file("half.cu", text), *oracle = file("half.c", says);

    EXPECT_CHECK(cuda, scaled, 0, ALL_PASS, "--oracle", oracle);
    EXPECT_CHECK(
        cuda, "scale<<<1, 64>>>({half 1.5f, int n}, out float y[n]); tail<<<n / 1000, 1>>>(y, n)",
        2, "tail is never launched", NULL);
    EXPECT_CHECK(cuda, scaled, 2,
                 "--size 64x64 has several dimensions, but the launch does not use nx and ny",
                 "--size", "64x64");
    EXPECT_CHECK(cuda, "tail<<<1, 1>>>(out float y[n + 1], 2.5f)", 2,
                 "argument 2 of tail is not a float", NULL);
}

/* A race of equal writes passes only if each of its pairs was checked. */
TEST(unrecorded_race_pairs_do_not_pass)
{
    static const struct launch_row rows[] = {
        {1, "many  FAIL  |race (!)|4 cases with further findings, which are not listed",
         "many<<<1, 64>>>(zeros int y[64])", "--allow same-value:y"},
        {0, "few  PASS  |same-value race|accepted: --allow same-value:y",
         "few<<<1, 64>>>(zeros int y[64])", "--allow same-value:y"},
    };
    char text[4096] = "";

    for (int kernel = 0; kernel < 2; kernel++) {
        snprintf(text + strlen(text), 128,
                 "__global__ void %s(int *y)\n{\n    if (threadIdx.x >= 2)\n        return;\n",
                 kernel == 0 ? "many" : "few");
        for (int k = 0; k < (kernel == 0 ? 40 : 20); k++)
            snprintf(text + strlen(text), 64, "    y[%d] = 7;\n", k);
        strcat(text, "}\n");
    }
    EXPECT_TABLES(file("many.cu", text), rows);
}

/* `h` puts a value in o[0] that depends on whether a block sees the other block's flag. Neither
 * sequential nor reverse order shows that. */
static const char orders[] = "__global__ void h(volatile int *f, int *o)\n"
                             "{\n"
                             "    int me = blockIdx.x;\n"
                             "    f[me] = 1;\n"
                             "    if (f[1 - me] == 0)\n"
                             "        atomicAdd(o, 1);\n"
                             "}\n"
                             "/* Sets o[0] if that block is the first. */\n"
                             "template <int BLOCK> __global__ void firsts(int *c, int *o)\n"
                             "{\n"
                             "    if (atomicAdd(c, 1) == 0 && blockIdx.x == BLOCK)\n"
                             "        o[0] = 1;\n"
                             "}\n"
                             "__global__ void adds(int *o)\n"
                             "{\n"
                             "    atomicAdd(o, threadIdx.x + blockIdx.x);\n"
                             "}\n";

TEST(rare_order_dependence_is_reported)
{
#define FLAGS "h<<<2, 1>>>(zeros int f[2], zeros int o[1])"
#define FIRST_OF_40 "firsts<17><<<40, 1>>>(zeros int c[1], zeros int o[1])"
#define DIFFER "error: order-dependent result|o[0] is "
    static const struct launch_row rows[] = {
        {1, "under schedule sequential|error: order-dependent result|:sequential:", FLAGS,
         "--only races"},
        {1, DIFFER, FLAGS, "--only determinism --schedules 400"},
        {1, DIFFER, FLAGS, "--only determinism --schedule delay-2"},
        {0, "  PASS  deterministic\n|bit-identical outputs in 2 cases", FIRST_OF_40,
         "--only determinism"},
        {1, DIFFER, FIRST_OF_40, "--only determinism --schedules 400"},
        /* although all accesses are atomic */
        {1, "error: order-dependent result", "firsts<1><<<3, 1>>>(zeros int c[1], zeros int o[1])",
         "--only races"},
        /* in any order */
        {0, " 1 (2) -      race-free", "adds<<<3, 4>>>(zeros int o[1])", NULL},
    };

    EXPECT_TABLES(file("orders.cu", orders), rows);
}

/* The result is the last of equal elements. Random values never equal these. */
TEST(order_dependence_of_equal_values_is_reported)
{
    static const char last[] = "template <int LOW, int HIGH>\n"
                               "__global__ void last(const int *x, int *k, int n)\n"
                               "{\n"
                               "    int i = threadIdx.x;\n"
                               "    if (i < n && x[i] >= LOW && x[i] <= HIGH)\n"
                               "        atomicExch(k, i);\n"
                               "}\n";
#define LAST_DIFFERS(values) "error: order-dependent result|k[0] is |:33:" values ":"
#define LAST(low, high) "last<" low ", " high "><<<1, 64>>>(in int x[n], zeros int k[1], n)"
    static const struct launch_row rows[] = {
        {1, LAST_DIFFERS("zeros"), LAST("0", "0"), NULL},
        {1, LAST_DIFFERS("ones"), LAST("1", "1"), NULL},
        {1, LAST_DIFFERS("minimum"), LAST("-2147483647 - 1", "-2147483647 - 1"), NULL},
        {1, LAST_DIFFERS("whole-0"), LAST("2", "256"), NULL},
    };

    EXPECT_TOGETHER(file("last.cu", last), rows);
}

/* A race of equal writes does not change the bits. */
TEST(race_with_few_values_is_reported)
{
    static const char marks[] = "template <int VALUE>\n"
                                "__global__ void marks(const int *x, int *o, int n)\n"
                                "{\n"
                                "    int i = threadIdx.x;\n"
                                "    if (i < n && x[i] == VALUE)\n"
                                "        o[0] = 7;\n"
                                "}\n";
#define MARKS(value) "marks<" value "><<<1, 64>>>(in int x[33], zeros int o[1], 33)"
    static const struct launch_row rows[] = {
        {1, "error: data race|case: any size|:zeros:", MARKS("0"), "--only races"},
        {1, "error: data race|case: any size|:ones:", MARKS("1"), "--only races"},
        {0, "  PASS  race-free\n", MARKS("12345"), "--only races"},
    };

    EXPECT_TOGETHER(file("marks.cu", marks), rows);
}

/* Tests values that equal a sentinel or a NaN, and a race that leaves an output unwritten. */
TEST(race_with_equal_values_is_reported)
{
    static const char kernels[] = "__device__ bool is(int v) { return v == -1; }\n"
                                  "__device__ bool is(long long v) { return v == -1; }\n"
                                  "__device__ bool is(float v) { return v != v; }\n"
                                  "template <typename Type>\n"
                                  "__global__ void counts(const Type *x, int *o, int n)\n"
                                  "{\n"
                                  "    int i = threadIdx.x;\n"
                                  "    if (i < n && is(x[i]))\n"
                                  "        o[0]++;\n"
                                  "}\n"
                                  "__global__ void slots(const int *x, int *y, int n)\n"
                                  "{\n"
                                  "    int i = threadIdx.x;\n"
                                  "    if (i < n)\n"
                                  "        y[x[i] == 0 ? 0 : i] = i;\n"
                                  "}\n";
#define COUNTS(type) "counts<<<1, 64>>>(in " type " x[33], zeros int o[1], 33)"
    static const struct launch_row rows[] = {
        {1, "error: data race|case: any size|:filled:", COUNTS("int"), "--only races"},
        {1, "error: data race|case: any size|:filled:", COUNTS("float"), "--only races"},
        {1, "error: data race|case: any size|:filled:", COUNTS("long long"), "--only races"},
        {1, "error: data race|case: any size|:zeros:",
         "slots<<<1, 64>>>(in int x[33], out int y[33], 33)", "--only races"},
    };

    EXPECT_TOGETHER(file("counts.cu", kernels), rows);
}

/* A kernel that leaves an output unwritten for some values fails, because it ended normally. */
TEST(unwritten_output_with_few_values_is_reported)
{
    const char *cuda = file("skips.cu", "__global__ void skips(const int *x, int *y, int n)\n"
                                        "{\n"
                                        "    int i = threadIdx.x;\n"
                                        "    if (i < n && x[i] != 0)\n"
                                        "        y[i] = x[i];\n"
                                        "}\n");

    EXPECT_CHECK(cuda, "skips<<<1, 64>>>(in int x[33], out int y[33], 33)", 1,
                 "error: unwritten output", NULL);
    EXPECT_CHECK(cuda, "skips<<<1, 64>>>(in int x[33], zeros int y[33], 33)", 0,
                 "skips  PASS  in bounds, initialized, race-free, deterministic", NULL);
}

/* Values with which the kernel never ends are tried once; other values are still tried. */
TEST(values_that_cause_a_timeout_are_skipped)
{
    static const char waits[] = "template <bool RACE>\n"
                                "__global__ void waits(const int *x, int *o, int n)\n"
                                "{\n"
                                "    int i = threadIdx.x;\n"
                                "    while (i < n && x[i] == 0 && clock64() >= 0)\n"
                                "        ;\n"
                                "    if (RACE && i < n && x[i] == 1)\n"
                                "        o[0] = i;\n"
                                "}\n";
#define WAITS(race) "waits<" race "><<<1, 64>>>(in int x[33], zeros int o[1], 33)"
    /* The deadline passes in each case that waits, so each of these has one model. */
    static const struct launch_row rows[] = {
        {1, "error: data race|:ones:", WAITS("true"),
         "--only=races --model lockstep --deadline 0.3"},
        {0, "independent: 2 cases with special values are not judged", WAITS("false"),
         "--only=races --model independent --deadline 0.3"},
        {0, "\n2 cases with special values are not compared", WAITS("false"),
         "--only=determinism --deadline 0.3"},
    };

    EXPECT_TABLES(file("waits.cu", waits), rows);
}

/* One of six sets has zeros, by which the kernel divides. That set is neither compared nor counted.
 */
TEST(values_that_cause_a_fault_are_not_compared)
{
    const char *cuda = file("divides.cu", "__global__ void divides(const int *x, int *y, int n)\n"
                                          "{\n"
                                          "    int i = threadIdx.x;\n"
                                          "    if (i < n)\n"
                                          "        y[i] = 7 / x[i];\n"
                                          "}\n"),
               *line = "divides<<<1, 64>>>(in int x[33], out int y[33], 33)";

    EXPECT_CHECK(cuda, line, 0, "with up to 6 sets", "--verbose");
    EXPECT_CHECK(cuda, line, 0, "divides  PASS  race-free\n", "--only", "races");
    EXPECT_CHECK(
        cuda, line, 0,
        "independent: 2 cases with special values are not judged, because the kernel fails with "
        "values of that kind and may reject them\n"
        "    the first: any size, values zeros, independent, random-2: division-by-zero: ",
        "--only", "races", "--verbose");
    EXPECT_CHECK(
        cuda, line, 0,
        "2 cases with special values are not compared, because the kernel fails with values of "
        "that kind and "
        "may reject them\n"
        "    the first: any size, values zeros, lockstep, sequential: division-by-zero: ",
        "--only", "determinism", "--verbose");
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

TEST(ulp_distance_counts_representable_values)
{
    assert_int_equal(oracle_distance(ELEMENT_F32, 0x3f800000, 0x3f800003), 3);
    assert_int_equal(oracle_distance(ELEMENT_F32, 0x80000000, 0), 0);
    assert_int_equal(oracle_distance(ELEMENT_F32, 0x80000001, 2), 3);
    assert_int_equal(oracle_distance(ELEMENT_F32, 0x7fc00000, 0xffc00001), 0);
    assert_true(oracle_distance(ELEMENT_F32, 0x7fc00000, 0) == UINT64_MAX);
    assert_int_equal(oracle_distance(ELEMENT_F16, 0x7bfe, 0x7bff), 1);
    assert_true(oracle_distance(ELEMENT_F16, 0x7bff, 0x7c00) == UINT64_MAX);
    assert_true(oracle_distance(ELEMENT_BF16, 0xff80, 0xff7f) == UINT64_MAX);
    assert_true(oracle_distance(ELEMENT_F32, 0x7f800000, 0x7f7fffff) == UINT64_MAX);
    assert_true(oracle_distance(ELEMENT_F16, 0x7c00, 0xfc00) == UINT64_MAX);
    assert_true(oracle_distance(ELEMENT_F64, bits_of(INFINITY), bits_of(DBL_MAX)) == UINT64_MAX);
    assert_int_equal(oracle_distance(ELEMENT_F64, bits_of(-INFINITY), bits_of(-INFINITY)), 0);
    assert_int_equal(oracle_distance(ELEMENT_BF16, 0x7f81, 0xff81), 0);
    assert_int_equal(oracle_distance(ELEMENT_F64, bits_of(1), bits_of(nextafter(1, 2))), 1);
    assert_true(oracle_distance(ELEMENT_I32, 1, 2) == UINT64_MAX);
    assert_int_equal(oracle_distance(ELEMENT_I64, 7, 7), 0);
}

static bool expect_zeros(const struct expectation *expectation)
{
    return expectation->arrays[0] != NULL;
}

/* Numbers are printed in their own type. */
TEST(differences_are_reported_in_their_type)
{
    static const struct {
        enum element element;
        uint64_t bits;
        const char *got;
    } rows[] = {
        {ELEMENT_I8, 0xff, "-1"},
        {ELEMENT_I16, 0xfffe, "-2"},
        {ELEMENT_I32, 7, "7"},
        {ELEMENT_I64, UINT64_MAX, "-1"},
        {ELEMENT_F16, 1, "0x0001 (half)"},
        {ELEMENT_BF16, 2, "0x0002 (bfloat16)"},
        {ELEMENT_F32, 0x3f800000, "1"},
        {ELEMENT_F64, UINT64_C(0x3ff0000000000000), "1"},
    };
    const struct variant variant = {.expected = expect_zeros};
    const struct shape shape = {{1, 1, 1}, {1, 1}, 0, 0, {0, 0}};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct invocation invocation = {
            .buffer_count = 1,
            .buffers = {
                {.name = "y", .role = ROLE_OUTPUT, .element = rows[k].element, .count = 1}}};
        uint64_t bits = rows[k].bits;
        void *const buffers[] = {&bits};
        const struct result result = {
            .variant = &variant, .shape = &shape, .invocation = &invocation, .buffers = buffers};
        struct difference difference;
        assert_int_equal(judge_expected(&result, &difference), JUDGEMENT_DIFFERS);
        assert_string_equal(difference.got, rows[k].got);
        assert_string_equal(difference.place, "y[0]");
        assert_true(values_of_data(rows[k].element, &bits, 0) == rows[k].bits);
    }
}

TEST_MAIN("references", set_up, folder_remove)
