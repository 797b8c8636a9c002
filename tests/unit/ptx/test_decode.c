/* SPDX-License-Identifier: MIT
 *
 * The PTX decoder: what it rejects, with which message, and how it decodes the rest.
 */
#include "check.h"

#include "accept.h"
#include "decode_describe.h"
#include "decode_rows.h"
#include "decode_tables.h"
#include "decoder.h"

#include <time.h>

enum { ERROR_SIZE = 512 };

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

/* Formats a text, which the caller frees. */
static char *written(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *written(const char *format, ...)
{
    va_list values;
    char *text;

    va_start(values, format);
    assert_true(vasprintf(&text, format, values) >= 0);
    va_end(values);
    return text;
}

static bool decoded(struct module_code *code, const char *ptx, char error[ERROR_SIZE])
{
    return decode_alone(code, "t.ptx", ptx, strlen(ptx), error, ERROR_SIZE);
}

/* Decodes the PTX. Fails the test if it is rejected. Frees the PTX. */
static struct module_code accepted(char *ptx)
{
    struct module_code code;
    char error[ERROR_SIZE];

    if (!decoded(&code, ptx, error))
        fail_msg("%s\nis rejected: %s", ptx, error);
    free(ptx);
    return code;
}

static void accept(char *ptx)
{
    struct module_code code = accepted(ptx);

    decode_alone_free(&code);
}

/* Returns true if the PTX is rejected with that message. Otherwise prints what happens. Frees the
 * PTX. */
static bool is_rejected(char *ptx, const char *sentence)
{
    struct module_code code;
    char error[ERROR_SIZE] = "";
    bool accepted = decoded(&code, ptx, error);
    bool good = !accepted && strncmp(error, "t.ptx:", 6) == 0 && strcmp(error + 6, sentence) == 0;

    if (!good)
        print_error("%s\n  gives    %s\n  and not  t.ptx:%s\n", ptx, accepted ? "code" : error,
                    sentence);
    decode_alone_free(&code);
    free(ptx);
    return good;
}

/* ---- Rejected PTX ---- */

TEST(test_invalid_files_are_rejected)
{
    int bad = 0;

    for (const struct rejection *row = rejected_files; row->ptx != NULL; row++)
        bad += !is_rejected(written("%s", row->ptx), row->sentence);
    assert_int_equal(bad, 0);
}

TEST(test_invalid_directives_are_rejected)
{
    int bad = 0;

    for (const struct rejection *row = rejected_directives; row->ptx != NULL; row++)
        bad += !is_rejected(written("%s%s", head, row->ptx), row->sentence);
    assert_int_equal(bad, 0);
}

/* Returns a kernel whose instructions start in line 7. */
static char *kernel(const char *instructions)
{
    return written(
        "%s.shared .align 4 .b32 shared[4]; .func f(.param .b64 a) { ret; } .extern .func "
        "cudaFree; "
        ".extern .func (.param .b32 r) __nv_sqrtf(.param .b32 x); "
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v); "
        ".global .align 8 .b8 global[64]; .const .align 8 .b8 constant[64]; .func g { ret; }\n"
        ".visible .entry k(.param .u64 k_param_0)\n{ .local .align 8 .b8 local[64]; "
        ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; "
        ".reg .f32 %%f<8>; .reg .f64 %%d<8>; .reg .b128 %%q<8>;\n%s\nret;\n}\n",
        head, instructions);
}

TEST(test_invalid_instructions_are_rejected)
{
    int bad = 0;

    for (const struct rejection *row = rejected_instructions; row->ptx != NULL; row++)
        bad += !is_rejected(kernel(row->ptx), row->sentence);
    assert_int_equal(bad, 0);
}

/* Returns a text with a piece repeated `count` times, which the caller frees. */
static char *repeated(const char *begin, const char *piece, size_t count, const char *end)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    fputs(begin, to);
    for (size_t i = 0; i < count; i++)
        fputs(piece, to);
    fputs(end, to);
    fclose(to);
    return text;
}

TEST(test_depths)
{
    static const char inlined[] = ".loc 1 1 1, function_name f, inlined_at 1 1 1\n";
    char *braces = repeated("", "{", 63, ""), *closed = repeated(braces, "}", 63, "");
    char *deeper = repeated("", "{", 64, ";");
    char *calls = repeated(".loc 1 1 1\n", inlined, 1000, "");
    char *more_calls = repeated(".loc 1 1 1\n", inlined, 1001, "");

    accept(kernel(closed));
    assert_true(is_rejected(kernel(deeper), "7: scopes are nested more than 64 deep"));
    accept(kernel(calls));
    assert_true(is_rejected(kernel(more_calls),
                            "1008: this location is inlined through more than 1000 calls"));
    free(more_calls);
    free(calls);
    free(deeper);
    free(closed);
    free(braces);
}

TEST(test_many_branches)
{
    char *table = repeated("L: T: .branchtargets L", ", L", 1023, ";");
    char *most = repeated(table, "\nbrx.idx %r1, T;", 1024, "");
    char *more = repeated(table, "\nbrx.idx %r1, T;", 1025, "");

    accept(kernel(most));
    assert_true(is_rejected(
        kernel(more), "1032: the brx instructions of one function have more than 1048576 targets"));
    free(more);
    free(most);
    free(table);
}

/* A label is no instruction that reads the load's value. */
TEST(test_label_before_selp)
{
    accept(kernel("ld.global.u32 %r1, [global]; L: selp.b32 %r2, %r1, 0, %p1;"
                  "selp.b32 %r3, %r1, 0, %p1; @%p2 bra L;"));
}

TEST(test_many_parameters)
{
    char *most = repeated(".entry k(.param .b8 p", ", .param .b8 p", 1023, ") { ret; }");
    char *more = repeated(".entry k(.param .b8 p", ", .param .b8 p", 1024, ") { ret; }");

    accept(written("%s%s", head, most));
    assert_true(
        is_rejected(written("%s%s", head, more),
                    "4: more than 1024 parameters, or more than 524288 bytes of parameters"));
    free(most);
    free(more);
}

TEST(test_local_memory)
{
    char *most = repeated(".func f { .local .align 4096 .b8 x", ", x", 255, "; ret; }");
    char *more = repeated(".func f { .local .align 4096 .b8 x", ", x", 256, "; ret; }");

    accept(written("%s%s", head, most));
    assert_true(
        is_rejected(written("%s%s", head, more), "4: `f` has more than 1 MiB of local memory"));
    free(most);
    free(more);
}

/* ---- Accepted PTX ---- */

/* Returns true if the text contains the row's pieces. Prints the first missing one. */
static bool holds(const char *text, const struct acceptance *row)
{
    const char *at = text;

    for (size_t k = 0; k < MAX_PIECES && row->pieces[k] != NULL; k++) {
        at = strstr(at, row->pieces[k]);
        if (at == NULL) {
            print_error("%s\nbecomes\n%s\nwithout\n%s\n", row->ptx, text, row->pieces[k]);
            return false;
        }
        at += strlen(row->pieces[k]);
    }
    return true;
}

TEST(test_modules_are_accepted)
{
    int bad = 0;

    for (const struct acceptance *row = accepted_modules; row->ptx != NULL; row++) {
        struct module_code code = accepted(written("%s%s", head, row->ptx));
        char *text;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        describe(to, &code);
        fclose(to);
        bad += !holds(text, row);
        free(text);
        decode_alone_free(&code);
    }
    assert_int_equal(bad, 0);
}

/* ---- Rows of the tables ---- */

static const struct form *const tables[] = {arithmetic_forms, memory_forms, async_forms,
                                            control_forms, cluster_forms};

static bool means_the_same(const struct form *a, const struct form *b)
{
    return strcmp(a->operands, b->operands) == 0 && strcmp(a->meaning, b->meaning) == 0;
}

/* Each spelling of each row must match that row, or one with the same meaning. */
TEST(test_spellings_match_their_rows)
{
    char opcode[256];
    int bad = 0;

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct form *form = tables[t]; form->pattern != NULL; form++)
            for (size_t k = 0; forms_spelling(form, k, opcode, sizeof opcode); k++) {
                struct match match;
                bool found = forms_match(opcode, &match);
                if (found && (match.form == form || means_the_same(match.form, form)))
                    continue;
                print_error("%s, of %s, is %s\n", opcode, form->pattern,
                            found ? match.form->pattern : "not found");
                bad++;
            }
    assert_int_equal(bad, 0);
    assert_false(forms_spelling(arithmetic_forms, 0, opcode, 3));
}

/* ptxas accepts modifiers in almost any order. Types, spaces and layouts must keep theirs. */
TEST(test_modifiers_in_any_order)
{
    static const struct {
        const char *opcode, *pattern_of;
    } orders[] = {
        {"ld.global.u32.cg", "ld.global.cg.u32"},
        {"ld.global.acquire.gpu.b32", "ld.acquire.gpu.global.b32"},
        {"st.u32.release.gpu.global", "st.release.gpu.global.u32"},
        {"atom.u32.add.global", "atom.global.add.u32"},
        {"red.add.gpu.relaxed.global.u32", "red.relaxed.gpu.global.add.u32"},
        {"add.f32.rn", "add.rn.f32"},
        {"cvt.f32.f64.rn", "cvt.rn.f32.f64"},
        {"setp.lt.and.ftz.f32", "setp.lt.and.ftz.f32"},
        {"setp.ftz.lt.and.f32", "setp.lt.and.ftz.f32"},
        {"mma.sync.aligned.row.col.m16n8k8.f32.f16.f16.f32",
         "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"},
    };
    static const char *const wrong[] = {"cvt.rn.f64.f32",
                                        "cp.async.ca.global.shared",
                                        "mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32",
                                        "ld.global.global.u32",
                                        "add.f32.f32",
                                        "add.rn"};
    struct match match, usual;

    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        assert_true(forms_match(orders[k].opcode, &match));
        assert_true(forms_match(orders[k].pattern_of, &usual));
        assert_ptr_equal(match.form, usual.form);
        assert_string_equal(match.type[0], usual.type[0]);
        assert_string_equal(match.type[1], usual.type[1]);
        assert_memory_equal(match.choice, usual.choice, sizeof match.choice);
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_false(forms_match(wrong[k], &match));
}

/* Every row must be decoded to at least one op. */
TEST(test_rows_are_decoded)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        struct module_code code;
        size_t size, lines;
        char *text;
        FILE *to = open_memstream(&text, &size);
        fputs("L: T: .branchtargets L;\n", to);
        lines = write_spellings(to, tables[t], 12);
        fclose(to);
        code = accepted(kernel(text));
        assert_true(lines > 0);
        assert_true(code.functions[code.module.function_count - 1].op_count > lines);
        decode_alone_free(&code);
        free(text);
    }
}

/* ---- What instructions do ---- */

/* By letters: r: the instruction reads memory that threads share, and w: writes it. c: it is to be
 * checked for another reason. a: other threads may observe it. */
static const struct {
    const char *instruction, *effects;
} effects[] = {
    {"ld.global.u32 %r1, [%rd1];", "r"},
    {"ld.const.u32 %r1, [%rd1];", ""},
    {"ld.local.u32 %r1, [local];", ""},
    {"ld.param.u64 %rd1, [k_param_0];", ""},
    {"st.shared.u32 [shared], %r1;", "wa"},
    {"st.local.u32 [local], %r1;", ""},
    {"atom.global.add.u32 %r1, [%rd1], %r2;", "rwa"},
    {"red.global.add.u32 [%rd1], %r2;", "rwa"},
    {"mov.u32 %r1, %r2;", ""},
    {"mov.b64 %rd1, {%r1, %r2};", ""},
    {"mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;", ""},
    {"createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;", ""},
    {"cvta.shared.u64 %rd1, %rd2;", ""},
    {"cvta.to.shared.u64 %rd1, %rd2;", ""},
    {"isspacep.shared %p1, %rd1;", ""},
    {"fence.acq_rel.gpu;", ""},
    {"fence.proxy.async;", ""},
    {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "rwa"},
    {"cp.async.commit_group;", ""},
    {"cp.async.wait_all;", ""},
    {"mbarrier.init.shared.b64 [%r1], %r2;", "ca"},
    {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;", "rwa"},
    {"cp.async.bulk.commit_group;", "a"},
    {"cp.async.bulk.wait_group 0;", "a"},
    {"mapa.u64 %rd1, %rd2, %r1;", ""},
    {"getctarank.u64 %r1, %rd2;", ""},
    {"barrier.cluster.arrive;", "ca"},
    {"barrier.cluster.wait;", "ca"},
    {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", "rwa"},
    {"bra L;", ""},
    {"brx.idx %r1, T;", ""},
    {"ret;", ""},
    {"exit;", ""},
    {"trap;", ""},
    {"call g;", "a"},
    {"{ .param .b64 a; .param .b64 b; .param .b32 r; call (r), vprintf, (a, b); }", "ca"},
    {"{ .param .b32 a; .param .b32 r; call (r), __nv_sqrtf, (a); }", ""},
    {"bar.sync 0;", "c"},
    {"barrier.sync 1, 64;", "ca"},
    {"bar.arrive 1, 64;", "ca"},
    {"bar.warp.sync -1;", "a"},
    {"shfl.sync.idx.b32 %r1, %r2, 1, 31, -1;", "a"},
    {"vote.sync.any.pred %p1, %p2, -1;", "a"},
    {"match.any.sync.b32 %r1, %r2, -1;", "a"},
    {"redux.sync.add.u32 %r1, %r2, -1;", "a"},
    {"elect.sync _|%p1, -1;", "a"},
    {"activemask.b32 %r1;", ""},
    {"nanosleep.u32 5;", ""},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};", "a"},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "ra"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};", "wa"},
    {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "a"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r1, %r2}, [%rd1];", "ra"},
    {"wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%rd1], {%d1, %d2};", "wa"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, "
     "1, 0, 0;",
     "ra"},
    {"wgmma.fence.sync.aligned;", "a"},
    {"wgmma.commit_group.sync.aligned;", "a"},
    {"wgmma.wait_group.sync.aligned 0;", "ca"},
    {"setmaxnreg.inc.sync.aligned.u32 64;", "a"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "r"},
    {"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "r"},
    {"suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", "r"},
    {"sust.b.1d.b32.trap [%rd1, {%r2}], %r1;", "wa"},
    {"sured.b.1d.add.u32.trap [%rd1, {%r2}], %r1;", "rwa"},
    {"txq.width.b32 %r1, [%rd1];", ""},
    {"suq.width.b32 %r1, [%rd1];", ""},
    {"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x3f, !%p2;", ""},
    {"div.u32 %r1, %r2, %r3;", ""},
};

/* Writes a kernel to a file. Its instruction is in a.cu:10. Returns the PTX. */
static char *write_kernel(const char *name, const char *before, const char *instruction)
{
    char *body = written("%s\n.loc 1 10 1\n%s\nL: T: .branchtargets L;", before, instruction);
    char *text = kernel(body), *ptx;
    FILE *to = fopen(in_folder(name), "w");

    ptx = written(".version 8.6\n.target sm_90a\n.address_size 64\n.file 1 \"a.cu\"\n%s",
                  text + strlen(head));
    assert_non_null(to);
    fputs(ptx, to);
    assert_int_equal(fclose(to), 0);
    free(body);
    free(text);
    return ptx;
}

/* Returns true if the kernel records a path step before something that other threads observe. */
static bool has_act(char *ptx)
{
    struct module_code code = accepted(ptx);
    const struct function_code *entry = &code.functions[code.module.function_count - 1];
    bool found = false;

    for (uint32_t k = 0; k < entry->op_count; k++)
        found = found || (entry->ops[k].kind == OP_PATH && entry->ops[k].what == STEP_ACT);
    decode_alone_free(&code);
    return found;
}

TEST(test_effects_of_instructions)
{
    static const char *const kernels[] = {"k"};
    int bad = 0;

    for (size_t k = 0; k < sizeof effects / sizeof *effects; k++) {
        const char *instruction = effects[k].instruction;
        const char *const path = in_folder("effects.ptx");
        struct access_lines lines;
        struct decoded *decoded;
        char found[8], *letter = found, error[ERROR_SIZE];
        accept(write_kernel("effects.ptx", "", instruction));
        decoded = decode_open(&path, 1, error, sizeof error);
        assert_non_null(decoded);
        assert_true(decode_access_lines(decoded, &lines));
        if (lines.count > 0 && lines.all[0].reads)
            *letter++ = 'r';
        if (lines.count > 0 && lines.all[0].writes)
            *letter++ = 'w';
        if (decode_is_idle(decoded, kernels, 1) != (lines.count == 0))
            *letter++ = 'c';
        if (has_act(write_kernel("acts.ptx", "@%p1 bra N;\nbar.sync 0;\nN:", instruction)))
            *letter++ = 'a';
        *letter = '\0';
        if (strcmp(found, effects[k].effects) != 0)
            print_error("%s has '%s', not '%s'\n", instruction, found, effects[k].effects);
        bad += strcmp(found, effects[k].effects) != 0;
        decode_close(decoded);
        free(lines.all);
    }
    assert_int_equal(bad, 0);
}

/* Returns true if the table above has an instruction with that meaning. */
static bool has_effects(const char *meaning)
{
    for (size_t k = 0; k < sizeof effects / sizeof *effects; k++) {
        const char *instruction = effects[k].instruction;
        char opcode[100];
        struct match match;
        snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(instruction, " ;"), instruction);
        if (forms_match(opcode, &match) && strcmp(match.form->meaning, meaning) == 0)
            return true;
    }
    return false;
}

TEST(test_effects_of_each_meaning)
{
    static const char *const meanings[] = {
#define MEANING(name, acts) "@" #name,
        MEANINGS(MEANING)
#undef MEANING
    };
    int bad = 0;

    for (size_t m = 0; m < sizeof meanings / sizeof *meanings; m++)
        if (!has_effects(meanings[m])) {
            print_error("effects[] has no instruction with the meaning %s\n", meanings[m]);
            bad++;
        }
    assert_int_equal(bad, 0);
}

/* ---- Names ---- */

TEST(test_names)
{
    enum { NAMES = 1000 };
    struct arena arena = {0};
    struct names names = {0};
    char text[NAMES][16];
    int things[NAMES][2], inner[NAMES];

    assert_null(names_get(&names, "n0", 0));
    for (int i = 0; i < NAMES; i++) {
        snprintf(text[i], sizeof text[i], "n%d", i);
        names_enter(&names, &arena, text[i], 0, &things[i][0]);
        names_enter(&names, &arena, text[i], 1, &things[i][1]);
    }
    for (int i = 0; i < NAMES; i += 3)
        names_enter(&names, &arena, text[i], 1, &inner[i]);
    for (int i = 0; i < NAMES; i++) {
        const struct named *entry = names_find(&names, text[i], strlen(text[i]), 1);
        assert_ptr_equal(names_get(&names, text[i], 0), &things[i][0]);
        assert_null(names_get(&names, text[i], 2));
        assert_ptr_equal(entry->thing, i % 3 == 0 ? &inner[i] : &things[i][1]);
        entry = names_hidden(entry);
        assert_ptr_equal(entry != NULL ? entry->thing : NULL, i % 3 == 0 ? &things[i][1] : NULL);
    }
    for (int i = 0; i < NAMES; i += 3)
        names_drop(&names, text[i], 1);
    for (int i = 0; i < NAMES; i++)
        assert_ptr_equal(names_get(&names, text[i], 1), &things[i][1]);
    arena_free(&arena);
}

/* ---- Time and memory ---- */

/* The number of the decoder's allocations that still succeed; -1: all. The linker redirects them
 * here. */
static long granted = -1;
static size_t taken; /* bytes of memory so far */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    taken += count * size;
    if (granted > 0)
        granted--;
    return granted != 0 ? __real_calloc(count, size) : NULL;
}

/* Does the same as accepted(). Time and memory must grow at most linearly with the text. */
static struct module_code accepted_soon(char *ptx)
{
    size_t most = taken + 1000 * strlen(ptx) + 1000000;
    clock_t start = clock();
    struct module_code code = accepted(ptx);

    assert_true(taken < most);
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
    return code;
}

/* Unused declarations must cost nothing. */
TEST(test_declarations_are_cheap)
{
    struct module_code code =
        accepted_soon(kernel(".reg .b32 %x<1048576>; mov.u32 %x1048575, %x5;"));

    decode_alone_free(&code);
    code = accepted_soon(written("%s.global .b8 x[1073741824];", head));
    decode_alone_free(&code);
}

TEST(test_large_function)
{
    enum { LABELS = 20000 };
    struct module_code code;
    const struct function_code *entry;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    fputs(".reg .b32 %x<1000000>;\n", to);
    for (int l = 0; l < LABELS; l++)
        fprintf(to,
                "$L%d:\n.loc 1 %d 1\nadd.u32 %%x%d, %%x%d, %d;\natom.add.u32 %%x7, [%%rd1], %%x8;\n"
                "@%%p1 bra $L%d;\nT%d: .branchtargets $L%d, $L%d;\nbrx.idx %%x1, T%d;\n",
                l, l, l, 999999 - l, l, LABELS - 1 - l, l, l, LABELS - 1 - l, LABELS - 1 - l);
    fclose(to);
    code = accepted_soon(kernel(text));
    entry = &code.functions[code.module.function_count - 1];
    assert_int_equal(entry->ops[entry->op_count - 2].kind, OP_EXIT);
    decode_alone_free(&code);
    free(text);
}

/* A function whose many variables are all used. */
TEST(test_many_variables)
{
    enum { VARIABLES = 50000 };
    struct module_code code;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (int v = 0; v < VARIABLES; v++)
        fprintf(to, ".param .b32 a%d; st.param.b32 [a%d], %%r1;\n", v, v);
    fclose(to);
    code = accepted_soon(kernel(text));
    decode_alone_free(&code);
    free(text);
}

/* A long chain of functions that call one another. No recursion in the decoder may follow it. */
TEST(test_chain_of_functions)
{
    enum { FUNCTIONS = 100000 };
    struct module_code code;
    const struct function_code *entry;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    fprintf(to, "%s.shared .b32 s;\n.func f0 { .reg .b32 %%r; mov.u32 %%r, s; }\n", head);
    for (int f = 1; f < FUNCTIONS; f++)
        fprintf(to, ".func f%d { call f%d; }\n", f, f - 1);
    fprintf(to, ".entry k() { call f%d; }\n", FUNCTIONS - 1);
    fclose(to);
    code = accepted_soon(text);
    entry = &code.functions[FUNCTIONS];
    assert_int_equal(entry->shared_count, 1);
    assert_string_equal(entry->shared[0].name, "s");
    assert_ptr_equal(entry->ops[1].callee, &code.functions[FUNCTIONS - 1]);
    decode_alone_free(&code);
}

/* Many functions pass a parameter on, each to the next one. The parameter counts as one whose
 * address is taken, without extra time. */
TEST(test_chain_of_parameters)
{
    enum { FUNCTIONS = 100000 };
    struct module_code code;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    fputs(head, to);
    for (int f = 0; f < FUNCTIONS; f++)
        fprintf(to, ".func f%d(.param .b32 a);\n", f);
    fputs(".entry k() { .param .b32 a; call f0, (a); }\n", to);
    for (int f = 0; f < FUNCTIONS - 1; f++)
        fprintf(to, ".func f%d(.param .b32 a) { call f%d, (a); }\n", f, f + 1);
    fprintf(to, ".func f%d(.param .b32 a) { .reg .b64 %%r; mov.u64 %%r, a; }\n", FUNCTIONS - 1);
    fclose(to);
    code = accepted_soon(text);
    assert_string_equal(code.functions[FUNCTIONS].name, "k");
    assert_int_equal(code.functions[FUNCTIONS].local_count, 1);
    decode_alone_free(&code);
}

static const struct function_code *function_of(const struct module_code *code, const char *name)
{
    for (size_t f = 0; f < code->module.function_count; f++)
        if (strcmp(code->functions[f].name, name) == 0)
            return &code->functions[f];
    fail_msg("there is no function %s", name);
    return NULL;
}

/* A module with named entries: the decoder handles those, and what they reach by calls, addresses
 * and variables. It ignores the rest, supported or not. */
TEST(test_only_named_entries_are_decoded)
{
    static const char others[] =
        ".extern .func cudaFree;\n.func called { ret; }\n.func held { ret; }\n"
        ".func idle { call cudaFree; }\n.global .u64 table[1] = {held};\n"
        ".entry child() { ret; }\n.entry other() { .shared .b8 s[300000]; .reg .b32 %r; "
        "mov.u32 %r, s; tex.2d.v4.f32.f32 {%f1, %f2}, [t, {%f1, %f2}]; call idle; }\n"
        ".entry k() { .reg .b64 %rd; call called; mov.u64 %rd, child; }\n"
        ".global .u64 simt_entry_name = k;";
    static const char *const decoded_functions[] = {"called", "held", "child", "k"};
    char error[ERROR_SIZE], *ptx = written("%s%s", head, others);
    struct module_code code;

    if (!decoded(&code, ptx, error))
        fail_msg("rejected: %s", error);
    for (size_t f = 0; f < sizeof decoded_functions / sizeof *decoded_functions; f++)
        assert_non_null(function_of(&code, decoded_functions[f])->ops);
    assert_null(function_of(&code, "idle")->ops);
    assert_null(function_of(&code, "other")->ops);
    decode_alone_free(&code);
    memcpy(strstr(ptx, "call called"), "call idle  ", 11);
    assert_false(decoded(&code, ptx, error));
    assert_non_null(strstr(error, "cudaFree"));
    decode_alone_free(&code);
    free(ptx);
}

TEST(test_texture_references_are_for_the_simulator)
{
    static const struct {
        const char *ptx, *reason;
    } files[] = {{".global .b64 image;\n.entry k() { ret; }\n", NULL},
                 {".global .texref image;\n.entry k() { ret; }\n",
                  "the CUDA runtime cannot set image, a texture, sampler or surface reference"}};

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char error[ERROR_SIZE] = "", *ptx = written("%s%s", head, files[k].ptx);
        const char *path = in_folder("references.ptx");
        FILE *file = fopen(path, "w");
        struct decoded *found;

        assert_non_null(file);
        fputs(ptx, file);
        fclose(file);
        found = decode_open(&path, 1, error, sizeof error);
        assert_non_null(found);
        assert_int_equal(decode_runs_on_gpu(found, error, sizeof error), files[k].reason == NULL);
        assert_string_equal(error, files[k].reason != NULL ? files[k].reason : "");
        decode_close(found);
        free(ptx);
    }
}

/* Each allocation fails in turn. There must be one message, and no leak (AddressSanitizer's build
 * reports leaks). */
TEST(test_out_of_memory_is_reported)
{
    char *many = repeated("", "add.u32 %r1, %r1, 1;\n", 2000, ""), *ptx = kernel(many);
    bool good = false;
    long requests;

    for (requests = 1; !good && requests < 1000; requests++) {
        char error[ERROR_SIZE] = "";
        struct module_code code;
        granted = requests;
        good = decoded(&code, ptx, error);
        granted = -1;
        decode_alone_free(&code);
        if (!good)
            assert_non_null(strstr(error, "out of memory"));
    }
    assert_true(good);
    assert_in_range(requests, 10, 999);
    free(ptx);
    free(many);
}

TEST_MAIN("decode", folder_make, folder_remove)
