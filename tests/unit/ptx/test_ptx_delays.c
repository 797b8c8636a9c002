/* SPDX-License-Identifier: MIT
 *
 * The PTX rewriter adds a delay before each access that threads may share, and changes nothing
 * else. It rejects what it does not know.
 */
#include "check.h"

#include "ptx_delays.h"

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

/* Returns the module with delays, which the caller frees. Returns null, with the reason, if the
 * rewriter rejects it. */
static char *rewrite(const char *ptx, unsigned int *points, char reason[256])
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = ptx_add_delays(ptx, 0, out, points, reason, 256);

    fclose(out);
    if (good)
        return text;
    free(text);
    return NULL;
}

static char *read_sample(const char *name)
{
    char path[4096], *text;
    FILE *stream;
    long size;

    snprintf(path, sizeof path, "%s/%s", PTX_FOLDER, name);
    stream = fopen(path, "r");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    size = ftell(stream);
    rewind(stream);
    text = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, stream), (size_t)size);
    fclose(stream);
    return text;
}

/* Returns true if a line of the sample accesses memory that threads share. It uses what the
 * compiler is known to write for the sample, not the rewriter's rules. */
static bool is_access(const char *line)
{
    static const char *const accesses[] = {
        "ld.global.",
        "st.global.",
        "ld.volatile.global.",
        "st.volatile.global.",
        "ld.shared.",
        "st.shared.",
        "ld.u32",
        "ld.u8",
        "st.u32",
        "st.u64",
        "st.b64",
        "st.b32",
        "atom.global.",
        "atom.shared.",
        "red.global.",
        "red.shared.",
        "ld.volatile.shared.",
        "st.volatile.shared.",
    };

    line += strspn(line, " \t");
    if (*line == '@')
        line += strcspn(line, " \t"), line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (strncmp(line, accesses[i], strlen(accesses[i])) == 0)
            return true;
    return false;
}

static unsigned int count_accesses(const char *ptx)
{
    unsigned int count = 0;
    for (const char *line = ptx; line != NULL; line = strchr(line, '\n'), line += line != NULL)
        count += is_access(line);
    return count;
}

/* Removes the delays. `misplaced` receives the number of delays that do not precede an access. */
static char *without_delays(const char *rewritten, unsigned int *misplaced)
{
    char *text = strdup(rewritten), *block, *declared;

    *misplaced = 0;
    while ((block = strstr(text, "{ // delay")) != NULL) {
        char *end = strstr(block, "\t}\n\t");
        assert_non_null(end);
        end += strlen("\t}\n\t");
        *misplaced += !is_access(end);
        memmove(block, end, strlen(end) + 1);
    }
    declared = strstr(text, "\n.weak .global .align 16 .b32 simt_delays[4];");
    assert_non_null(declared);
    memmove(declared, declared + strlen("\n.weak .global .align 16 .b32 simt_delays[4];"),
            strlen(declared + strlen("\n.weak .global .align 16 .b32 simt_delays[4];")) + 1);
    return text;
}

TEST(delays_are_inserted_only_before_accesses)
{
    static const char *const samples[] = {"sample-11.8.ptx", "sample-13.0.ptx"};

    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        char *sample = read_sample(samples[s]), reason[256] = "", *rewritten, *restored;
        unsigned int points = 0, misplaced;
        rewritten = rewrite(sample, &points, reason);
        if (rewritten == NULL)
            print_message("%s: %s\n", samples[s], reason);
        assert_non_null(rewritten);
        print_message("%s: %u delays\n", samples[s], points);
        assert_true(points >= 15);
        assert_int_equal(points, count_accesses(sample));
        restored = without_delays(rewritten, &misplaced);
        assert_int_equal(misplaced, 0);
        assert_string_equal(restored, sample);
        free(restored);
        free(rewritten);
        free(sample);
    }
}

static unsigned int points_of(const char *body)
{
    char ptx[1024], reason[256] = "", *rewritten;
    unsigned int points = 0;

    snprintf(ptx, sizeof ptx, "%s.visible .entry k()\n{\n%s\n}\n", head, body);
    rewritten = rewrite(ptx, &points, reason);
    if (rewritten == NULL)
        print_message("%s: %s\n", body, reason);
    assert_non_null(rewritten);
    free(rewritten);
    return points;
}

TEST(state_space_decides_what_is_an_access)
{
    assert_int_equal(points_of("ld.param.u64 %rd1, [k_param_0];"), 0);
    assert_int_equal(points_of("st.local.u32 [%rd1], %r1; ld.const.u32 %r1, [c];"), 0);
    assert_int_equal(points_of("mov.u32 %r1, %tid.x; bar.sync 0; membar.gl; ret;"), 0);
    assert_int_equal(points_of("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"), 1);
    assert_int_equal(points_of("ld.shared.u8 %r1, [%r2]; st.volatile.shared.u8 [%r2], %r1;"), 2);
    assert_int_equal(points_of("ld.u32 %r1, [%rd1]; st.b64 [%rd1], %rd2;"), 2); /* generic */
    assert_int_equal(points_of("@%p1 st.global.u32 [%rd1], %r1;"), 1);
    assert_int_equal(points_of("@!%p1 ld.global.u32 %r1, [%rd1];"), 1);
    assert_int_equal(points_of("atom.global.add.u32 %r1, [%rd1], 1; red.shared.or.b32 [%r1], 1;"),
                     2);
    assert_int_equal(points_of("ld.acquire.gpu.global.u32 %r1, [%rd1];"), 1);
    assert_int_equal(points_of("$L1: ld.global.u32 %r1, [%rd1]; bra $L1;"), 1);
    assert_int_equal(points_of(".reg.b32 x; prototype_1 : .callprototype (.param .b32 _) _ ();"),
                     0);
    assert_int_equal(points_of("// ld.global.u32 %r1, [%rd1];\n/* st.global; { */ ret;"), 0);
    assert_int_equal(points_of(".loc 1 7 3 // }\n{ .reg .b32 %t; ld.global.u32 %t, [%rd1]; }"), 1);
}

/* Directives without a semicolon end with their last argument, not with the line. */
TEST(statements_on_one_line_are_parsed)
{
    static const char *const modules[] = {
        ".version 8.0 .target sm_80, debug .address_size 64 .visible .entry f() {\n"
        "st.global.u32 [%rd1], %r1; ret; }\n",
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\" .entry f() {\n"
        ".loc 1 2 3 st.global.u32 [%rd1], %r1; ret; }\n",
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\", 5, 6\n.entry f() {\n"
        ".loc 1 2 3, function_name $L__info+4, inlined_at 1 9 9 st.global.u32 [%rd1], %r1; }\n",
    };
    char reason[256];
    for (size_t m = 0; m < sizeof modules / sizeof *modules; m++) {
        unsigned int points = 0;
        char *text = rewrite(modules[m], &points, reason);
        assert_non_null(text);
        assert_int_equal(points, 1);
        assert_non_null(strstr(text, "simt_delays[4];"));
        free(text);
    }
    assert_null(rewrite(".version 8.0\n.target sm_80\n.address_size 64\n.entry f() { /* no end",
                        &(unsigned int){0}, reason));
    assert_null(rewrite(".version 8.0\n.target sm_80\n.address_size 64\n.entry f() { add /* no end",
                        &(unsigned int){0}, reason));
}

/* Text outside functions does not change. */
TEST(declarations_are_preserved)
{
    char ptx[1024], reason[256] = "", *rewritten;
    unsigned int points;

    snprintf(ptx, sizeof ptx,
             "%s.visible .global .align 4 .b8 text[4] = {123, 59, 125, 0};\n"
             ".extern .func (.param .b32 r) f(.param .b64 a);\n"
             ".func g() { ret; }\n"
             ".section .debug_str { .b8 1 }\n",
             head);
    rewritten = rewrite(ptx, &points, reason);
    assert_non_null(rewritten);
    assert_int_equal(points, 0);
    free(rewritten);
}

TEST(unsupported_ptx_is_rejected)
{
    static const struct {
        const char *ptx;
        const char *says;
        bool whole;
    } rejected[] = {
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2;", "wgmma", false},
        {"cp.async.ca.shared.global [%r1], [%rd1], 16;", "cp.async", false},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "ldmatrix", false},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}];", "tex", false},
        {"st.async.shared::cluster.b32 [%r1], %r2, [%r3];", "st.async", false},
        {"ld.shared::cluster.u32 %r1, [%r2];", "shared::cluster", false},
        {"frobnicate.u32 %r1;", "frobnicate", false},
        {".frobnicate 3;", ".frobnicate", false},
        {"ld.global.u32 %r1, [%rd1]", "semicolon", false},
        {"/* never closed", "unterminated comment", false},
        {".version 8.0\n.target sm_60\n.address_size 64\n", "sm_70", true},
        {".version 99.0\n.target sm_80\n.address_size 64\n", "version 99", true},
        {".version 8.0\n.target sm_80\n", "not a PTX module", true},
        {"int main() { return 0; }\n", "declaration 'int' is not supported", true},
        {"", "not a PTX module", true},
        {".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\nret;\n", "no closing",
         true},
        {".version 8.0\n.target sm_80\n.address_size 64\n.weak .global .b32 simt_delays[4];\n",
         "already has delays", true},
    };

    for (size_t r = 0; r < sizeof rejected / sizeof *rejected; r++) {
        char ptx[1024], reason[256] = "";
        unsigned int points;
        if (rejected[r].whole)
            snprintf(ptx, sizeof ptx, "%s", rejected[r].ptx);
        else
            snprintf(ptx, sizeof ptx, "%s.entry k()\n{\n%s\n}\n", head, rejected[r].ptx);
        char *rewritten = rewrite(ptx, &points, reason);
        if (rewritten != NULL || strstr(reason, rejected[r].says) == NULL)
            print_message("%s: %s\n", rejected[r].ptx, reason);
        assert_null(rewritten);
        assert_non_null(strstr(reason, rejected[r].says));
        assert_int_equal(strncmp(reason, "line ", 5), 0);
        free(rewritten);
    }
}

/* The program prints file and line, and leaves no partial file. */
TEST(program_reports_rejected_ptx_with_file_and_line)
{
    char in[] = "/tmp/simtcheck-ptx-XXXXXX", out[64];
    int fd = mkstemp(in);
    FILE *stream = fdopen(fd, "w");
    struct ended ended;

    fprintf(stream, "%s.entry k()\n{\n\tfrobnicate.u32 %%r1;\n}\n", head);
    fclose(stream);
    snprintf(out, sizeof out, "%s.out", in);
    ended = run_line("%s '%s' '%s'", ADD_DELAYS, in, out);
    assert_int_equal(ended.status, 1);
    assert_non_null(strstr(ended.output, in));
    assert_non_null(strstr(ended.output, "line 6: instruction 'frobnicate.u32' is not supported"));
    assert_null(fopen(out, "r"));
    free(ended.output);
    expect_run(2, "cannot read '/nonexistent.ptx'", "%s /nonexistent.ptx '%s'", ADD_DELAYS, out);
    expect_run(2, "usage", "%s '%s'", ADD_DELAYS, in);
    remove(in);
}

TEST_MAIN("ptx_delays", NULL, NULL)
