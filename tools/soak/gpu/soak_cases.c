/* SPDX-License-Identifier: MIT */
#include "soak_cases.h"

#include "atomic_cases.h"
#include "kernel_cases.h"
#include "matrix_cases.h"
#include "operands.h"
#include "soak_group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ---- */

/* Compilers take a time that grows faster than the number of functions in a module. */
enum { MODULES_OF_TEXT = 8 };

extern const char *const instruction_texts[];
extern const size_t instruction_texts_count;

static struct soak_case instruction_soak(size_t k)
{
    const struct instruction_case *instruction = &instruction_cases[k];

    return (struct soak_case){.instruction = instruction,
                              .opcode = instruction->opcode,
                              .words = OPERANDS_WORDS,
                              .results = 2,
                              .turn = 33, /* each lane and thread gets other operands */
                              .is_approximate = operands_approximate(instruction->opcode)};
}

static const struct matrix_case *all_matrices(size_t *count)
{
    static const struct matrix_case *matrices;
    static size_t matrix_count;

    if (matrices == NULL)
        matrices = matrix_cases(&matrix_count);
    *count = matrix_count;
    return matrices;
}

static struct soak_case matrix_soak(size_t k)
{
    size_t count;
    const struct matrix_case *matrix = &all_matrices(&count)[k];

    return (struct soak_case){.matrix = matrix,
                              .opcode = matrix->opcode,
                              .words = MATRIX_CASE_WORDS,
                              .results = matrix->use == USE_MULTIPLY ? matrix->shape.d.registers
                                         : matrix->use == USE_LOAD   ? matrix->registers
                                         : matrix->use == USE_STORE  ? matrix->counts
                                                                     : 1,
                              .turn = 32}; /* lanes keep theirs */
}

/* Of all widths of wgmma, only the smallest, one in the middle and the largest are run. */
static const struct group_case *chosen_groups(size_t *count)
{
    static struct group_case *groups;
    static size_t chosen;
    size_t all;

    if (groups == NULL) {
        groups = group_cases("", &all);
        for (size_t k = 0; k < all; k++)
            if (groups[k].shape.n == 8 || groups[k].shape.n == 64 || groups[k].shape.n == 256)
                groups[chosen++] = groups[k];
    }
    *count = chosen;
    return groups;
}

static struct soak_case group_soak(size_t k)
{
    size_t count;
    const struct group_case *group = &chosen_groups(&count)[k];

    return (struct soak_case){.group = group,
                              .opcode = group->opcode,
                              .words = SOAK_GROUP_WORDS,
                              .results = group->shape.d.registers / 2,
                              .turn = SOAK_BLOCK}; /* threads keep theirs */
}

static struct soak_case atomic_soak(size_t k)
{
    size_t count;
    const struct atomic_case *atomic = &atomic_cases(&count)[k];

    return (struct soak_case){.atomic = atomic,
                              .opcode = atomic->opcode,
                              .words = OPERANDS_WORDS,
                              .results = ATOMIC_RESULTS,
                              .turn = 32}; /* lanes keep theirs */
}

static struct soak_case kernel_soak(size_t k)
{
    size_t count;
    const struct kernel_case *kernel = &kernel_cases(&count)[k];

    return (struct soak_case){.kernel = kernel,
                              .opcode = kernel->name,
                              .words = KERNEL_WORDS,
                              .results = KERNEL_RESULTS,
                              .turn = KERNEL_BLOCK}; /* threads keep theirs */
}

/* Cases of one kind, in several modules. */
struct kind {
    const char *name;
    size_t modules, count;
    struct soak_case (*get)(size_t k);
    bool needs_90a;
    const char *absent;
    bool (*has)(size_t k); /* null: all */
};

enum { KINDS = 6 };

/* ptxas 13.0 makes wrong code of set.gt.f32.u16 and others in a module with a division or root that
 * it rounds in a subroutine. */
static bool is_division(size_t k)
{
    static const char *const names[] = {"div.", "rcp.", "sqrt.", "rsqrt."};
    bool is = false;

    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        is = is || strncmp(instruction_cases[k].opcode, names[n], strlen(names[n])) == 0;
    return is;
}

static bool is_no_division(size_t k)
{
    return !is_division(k);
}

static void list_kinds(struct kind kinds[KINDS])
{
    size_t matrix_count, group_count, atomic_count, kernel_count;

    all_matrices(&matrix_count);
    chosen_groups(&group_count);
    atomic_cases(&atomic_count);
    kernel_cases(&kernel_count);
    kinds[0] = (struct kind){.name = "arithmetic instructions",
                             .modules = MODULES_OF_TEXT * instruction_texts_count,
                             .count = instruction_count,
                             .get = instruction_soak,
                             .has = is_no_division};
    kinds[1] =
        (struct kind){"matrix instructions", 4, matrix_count, matrix_soak, false, NULL, NULL};
    kinds[2] = (struct kind){"wgmma instructions", 4, group_count, group_soak, true, NULL, NULL};
    kinds[3] =
        (struct kind){"atomic instructions", 1, atomic_count, atomic_soak, false, NULL, NULL};
    kinds[4] =
        (struct kind){"kernels of the catalogue", 1, kernel_count, kernel_soak, false, NULL, NULL};
    if (kernel_count == 0)
        kinds[4].absent = "simtcheck was built without a compiler of CUDA C++";
    kinds[5] = (struct kind){.name = "divisions and roots",
                             .modules = instruction_texts_count,
                             .count = instruction_count,
                             .get = instruction_soak,
                             .has = is_division};
}

/* Fills module m of a kind with the cases number m, m + modules, and so on: of those the one with
 * index `first`, and every `step`-th from there. */
static void fill(struct soak_module *module, const struct kind *kind, size_t m, size_t first,
                 size_t step)
{
    *module = (struct soak_module){
        .name = kind->name,
        .cases = calloc(kind->count / kind->modules + 1, sizeof *module->cases),
        .first = module->first,
        .needs_90a = kind->needs_90a,
        .shares_kernel = kind->get == instruction_soak,
        .absent = kind->absent,
    };
    for (size_t k = m; module->cases != NULL && k < kind->count; k += kind->modules)
        if (k / kind->modules % step == first && (kind->has == NULL || kind->has(k)))
            module->cases[module->count++] = kind->get(k);
}

const struct soak_module *soak_modules(size_t first, size_t step, size_t *count)
{
    struct kind kinds[KINDS];
    struct soak_module *modules;
    size_t filled = 0;

    *count = 0;
    list_kinds(kinds);
    for (size_t k = 0; k < KINDS; k++)
        *count += kinds[k].modules;
    modules = calloc(*count, sizeof *modules);
    for (size_t k = 0; modules != NULL && k < KINDS; k++)
        for (size_t m = 0; m < kinds[k].modules; m++, filled++) {
            struct soak_module *module = &modules[filled];

            module->first = filled > 0 ? module[-1].first + module[-1].count : 0;
            fill(module, &kinds[k], m, first, step);
        }
    *count = filled;
    return modules;
}

/* ---- Operands ---- */

void soak_tuple(const struct soak_case *one, uint32_t number, uint64_t tuple[SOAK_MAX_WORDS])
{
    /* Numbers in this step meet all pairs of special values in turn. */
    enum { STEP = 5 };

    if (one->instruction != NULL)
        operands_tuples(one->instruction, STEP * number, 1, tuple);
    if (one->atomic != NULL)
        atomic_case_tuple(one->atomic, STEP * number, tuple);
    for (uint32_t w = 0; one->matrix != NULL && w < one->words; w++)
        tuple[w] = w < one->matrix->counts
                       ? matrix_case_operand(one->matrix, number / 32, number % 32, w)
                       : 0;
    for (uint32_t w = 0; one->group != NULL && w < one->words; w++)
        tuple[w] = soak_group_operand(one->group, number, w);
    for (uint32_t w = 0; one->kernel != NULL && w < one->words; w++)
        tuple[w] = kernel_case_operand(one->kernel, number, w);
}

static void write_operands(FILE *to, const struct instruction_case *instruction,
                           const uint64_t *tuple)
{
    for (int k = 0; k < 4 && instruction->types[k] != NULL; k++)
        fprintf(to, "%s%s:%" PRIx64, k > 0 ? " " : "", instruction->types[k], tuple[k]);
    if (instruction->takes_carry)
        fprintf(to, " carry:%u", (unsigned int)(tuple[4] & 1));
}

void soak_tuple_text(const struct soak_case *one, uint32_t number, uint32_t word, char *text,
                     size_t size)
{
    uint64_t tuple[SOAK_MAX_WORDS];
    FILE *to = fmemopen(text, size, "w");

    text[0] = '\0';
    if (to == NULL)
        return;
    soak_tuple(one, number, tuple);
    if (one->instruction != NULL)
        write_operands(to, one->instruction, tuple);
    else if (one->atomic != NULL)
        write_operands(to, &one->atomic->instruction, tuple);
    else if (one->kernel != NULL)
        kernel_case_describe(to, one->kernel, number, word);
    else if (one->group != NULL)
        soak_group_describe(to, one->group, number);
    else {
        fprintf(to, "lane %u:", (unsigned int)(number % 32));
        for (uint32_t w = 0; w < one->matrix->counts; w++)
            fprintf(to, " %" PRIx64, tuple[w]);
    }
    fclose(to);
}

/* ---- PTX ---- */

size_t soak_kernel(const struct soak_module *module, size_t number)
{
    return module->shares_kernel ? module->first : number;
}

void soak_kernel_name(size_t kernel, char name[32])
{
    snprintf(name, 32, "soak%zu", kernel);
}

/* Calls the function of an instruction with the operands at `i`, and stores the results at `o`.
 * `first` is the number of the module's first instruction. */
static void write_call(FILE *to, size_t first)
{
    fprintf(to,
            "\t.reg .b64 v<7>;\n\tld.param.u32 Sk, [number];\n\tsub.u32 Sk, Sk, %zu;\n"
            "\tmov.u64 Sa, functions;\n\tmad.wide.u32 Sa, Sk, 8, Sa;\n\tld.global.u64 Sa, [Sa];\n"
            "\t{\n\t.param .b64 a, b, c, e, k;\n\t.param .align 8 .b8 r[16];\n",
            first);
    for (int k = 0; k < OPERANDS_WORDS; k++)
        fprintf(to, "\tld.global.u64 v%d, [i+%d];\n\tst.param.b64 [%c], v%d;\n", k, 8 * k,
                "abcek"[k], k);
    fprintf(to,
            "TYPE: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b64 _, .param .b64 _,\n"
            "\t.param .b64 _, .param .b64 _, .param .b64 _);\n"
            "\tcall.uni (r), Sa, (a, b, c, e, k), TYPE;\n"
            "\tld.param.b64 v5, [r];\n\tld.param.b64 v6, [r+8];\n\t}\n"
            "\tst.global.u64 [o], v5;\n\tst.global.u64 [o+8], v6;\n");
}

/* Compares the results at `o` with the expected ones. Reports the first difference of the case on
 * each SM, so that one wrong case does not hide others. */
static void write_comparison(FILE *to, const struct soak_case *one)
{
    fprintf(to,
            "\tld.param.u64 Se, [expected];\n\tmad.wide.u32 Se, Su, %u, Se;\n"
            "\tmov.u64 Sa, o;\n\tmov.u32 Sw, 0;\nWORD:\n\t.pragma \"nounroll\";\n"
            "\tld.global.u64 Sx, [Sa];\n\tld.global.u64 Sy, [Se];\n"
            "\tld.param.u32 Sk, [planted];\n\tsetp.eq.u32 Sp, Sk, Sm;\n"
            "\tsetp.eq.and.u32 Sp, Su, 7, Sp;\n\t@Sp xor.b64 Sx, Sx, 1;\n"
            "\t@Sp st.global.u64 [Sa], Sx;\n"
            "\tsetp.eq.u64 Sp, Sx, Sy;\n\t@Sp bra SAME;\n"
            "\tatom.global.add.u64 Sb, [St+8], 1;\n\tsetp.ne.u64 Sp, Sb, 0;\n\t@Sp bra SAME;\n"
            "\tatom.global.add.u32 Sk, [Sr], 1;\n\tsetp.ge.u32 Sp, Sk, %d;\n\t@Sp bra SAME;\n"
            "\tmad.wide.u32 Sb, Sk, %zu, Sr;\n\tld.param.u32 Sk, [number];\n"
            "\tst.global.u32 [Sb+64], Sk;\n\tst.global.u32 [Sb+68], Sm;\n"
            "\tst.global.u32 [Sb+72], Su;\n\tst.global.u32 [Sb+76], Sw;\n"
            "\tst.global.u64 [Sb+80], Sx;\n\tst.global.u64 [Sb+88], Sy;\nSAME:\n"
            "\tadd.u64 Sa, Sa, 8;\n\tadd.u64 Se, Se, 8;\n\tadd.u32 Sw, Sw, 1;\n"
            "\tsetp.lt.u32 Sp, Sw, %u;\n\t@Sp bra WORD;\n\tbar.warp.sync 0xffffffff;\n",
            8 * one->results, SOAK_MAX_RECORDS, sizeof(struct soak_difference), one->results);
}

/* Runs the case with the operands at `i`, and writes the results to `o`. */
static void write_case(FILE *to, const struct soak_case *one, size_t number)
{
    fprintf(to, "\t{\n");
    if (one->matrix != NULL) {
        fprintf(to, "\t.shared .align 16 .b8 room[%u];\n", matrix_case_room(one->matrix));
        matrix_case_write(to, one->matrix);
    } else if (one->atomic != NULL) {
        atomic_case_write(to, one->atomic);
    } else if (one->group != NULL) {
        soak_group_write(to, one->group);
    } else if (one->kernel != NULL) {
        fprintf(to, "\t.reg .b32 u;\n\tmov.u32 u, Su;\n");
        kernel_case_write(to, one->kernel);
    } else {
        write_call(to, number);
    }
    fprintf(to, "\t}\n");
}

static void write_kernel(FILE *to, const struct soak_case *one, size_t number, const char *sm)
{
    char name[32];

    soak_kernel_name(number, name);
    fprintf(to,
            "\n.visible .entry %s(.param .u64 tuples, .param .u64 expected, .param .u64 scratch,\n"
            "\t.param .u64 report, .param .u32 first, .param .u32 block_step, .param .u32 stride,\n"
            "\t.param .u32 tally, .param .u32 number, .param .u32 planted)\n{\n"
            "\t.reg .b64 i, o, Sa, Sb, Se, Sr, St, Sx, Sy;\n\t.reg .b32 t, Sk, Sm, Sn, Su, Sw;\n"
            "\t.reg .pred Sp;\n",
            name);
    fprintf(to,
            "\tmov.u32 t, %%tid.x;\n\tmov.u32 Sm, %s;\n\tmov.u32 Sn, %%ctaid.x;\n"
            "\tld.param.u64 o, [scratch];\n\tmad.lo.u32 Sk, Sn, %d, t;\n"
            "\tmad.wide.u32 o, Sk, %u, o;\n\tld.param.u64 Sr, [report];\n"
            "\tld.param.u32 Sk, [tally];\n\tcvt.u64.u32 St, Sk;\n\tadd.u64 St, St, Sr;\n"
            "\tmad.wide.u32 St, Sm, %zu, St;\n"
            "\tld.param.u32 Sk, [block_step];\n\tmad.lo.u32 Sn, Sn, Sk, t;\nLOOP:\n"
            "\tsetp.ge.u32 Sp, Sn, %d;\n\t@Sp bra DONE;\n\tld.param.u32 Su, [first];\n"
            "\tadd.u32 Su, Su, Sn;\n\trem.u32 Su, Su, %d;\n"
            "\tld.param.u64 i, [tuples];\n\tmad.wide.u32 i, Su, %u, i;\n",
            sm, SOAK_BLOCK, 8 * one->results, sizeof(struct soak_tally), SOAK_TUPLES, SOAK_TUPLES,
            8 * one->words);
    for (uint32_t w = 0; w < one->results; w++)
        fprintf(to, "\tst.global.u64 [o+%u], 0;\n", 8 * w);
    write_case(to, one, number);
    write_comparison(to, one);
    fprintf(to, "\tred.global.add.u64 [St], 1;\n\tld.param.u32 Sk, [stride];\n"
                "\tadd.u32 Sn, Sn, Sk;\n\tbra LOOP;\nDONE:\n\tret;\n}\n");
}

/* Writes the functions that the module's cases call, and a table of them. The functions in the text
 * and the cases are in the order of their numbers. */
static void write_functions(FILE *to, const struct soak_module *module, const char *text)
{
    static const char start[] = ".visible .func", end[] = "\n}\n";
    const char *next = strstr(text, start);

    fwrite(text, 1, (size_t)(next - text), to);
    for (size_t k = 0; next != NULL && k < module->count; next = strstr(next + 1, start)) {
        char name[32];

        snprintf(name, sizeof name, " f%td(", module->cases[k].instruction - instruction_cases);
        if (strncmp(strchr(next, ')') + 1, name, strlen(name)) != 0)
            continue;
        next += strlen(".visible ");
        fwrite(next, 1, (size_t)(strstr(next, end) + strlen(end) - next), to);
        k++;
    }
    fprintf(to, "\n.global .u64 functions[%zu] = {", module->count);
    for (size_t k = 0; k < module->count; k++)
        fprintf(to, "%sf%td", k > 0 ? ", " : "", module->cases[k].instruction - instruction_cases);
    fprintf(to, "};\n");
}

char *soak_module_text(const struct soak_module *module, const char *sm)
{
    char *text = NULL;
    size_t size, first;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    if (module->count > 0 && module->cases[0].instruction != NULL) {
        first = (size_t)(module->cases[0].instruction - instruction_cases);
        write_functions(to, module, instruction_texts[first % instruction_texts_count]);
    } else
        fprintf(to, ".version 8.7\n.target %s\n.address_size 64\n",
                module->needs_90a ? "sm_90a" : "sm_90");
    for (size_t k = 0; k < module->count; k++)
        if (module->cases[k].kernel != NULL)
            kernel_case_function(to, module->cases[k].kernel);
    for (size_t k = 0; k < (module->shares_kernel && module->count > 0 ? 1 : module->count); k++)
        write_kernel(to, &module->cases[k], module->first + k, sm);
    fclose(to);
    return text;
}
