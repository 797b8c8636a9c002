/* SPDX-License-Identifier: MIT */
#include "soak_cases.h"

#include "matrix_cases.h"
#include "operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_MODULES = 4 };

/* ---- Lists ---- */

extern const char *const instruction_texts[];
extern const size_t instruction_text_count;

static uint32_t matrix_results(const struct matrix_case *matrix)
{
    return matrix->use == USE_MULTIPLY ? matrix->shape.d.registers
           : matrix->use == USE_LOAD   ? matrix->registers
           : matrix->use == USE_STORE  ? matrix->counts
                                       : 1;
}

static struct soak_case instruction_soak(const struct instruction_case *instruction)
{
    return (struct soak_case){.instruction = instruction,
                              .opcode = instruction->opcode,
                              .words = OPERANDS_WORDS,
                              .results = 2,
                              .is_approximate = operands_approximate(instruction->opcode)};
}

static struct soak_case matrix_soak(const struct matrix_case *matrix)
{
    return (struct soak_case){.matrix = matrix,
                              .opcode = matrix->opcode,
                              .words = MATRIX_CASE_WORDS,
                              .results = matrix_results(matrix)};
}

/* Fills a module with the cases number first, first + modules, and so on, of those in step. */
static void fill(struct soak_module *module, const struct matrix_case *matrices, size_t limit,
                 size_t first, size_t modules, size_t step)
{
    module->cases = calloc(limit / modules + 1, sizeof *module->cases);
    for (size_t k = first; module->cases != NULL && k < limit; k += modules)
        if (k / modules % step == 0)
            module->cases[module->count++] = matrices != NULL
                                                 ? matrix_soak(&matrices[k])
                                                 : instruction_soak(&instruction_cases[k]);
}

const struct soak_module *soak_modules(size_t step, size_t *count)
{
    size_t matrix_count, all = instruction_text_count + MATRIX_MODULES;
    const struct matrix_case *matrices = matrix_cases(&matrix_count);
    struct soak_module *modules = calloc(all, sizeof *modules);

    for (size_t m = 0; modules != NULL && m < all; m++) {
        struct soak_module *module = &modules[m];

        module->first = m > 0 ? modules[m - 1].first + modules[m - 1].count : 0;
        module->needs_90a = m >= instruction_text_count;
        module->name = module->needs_90a ? "matrix instructions" : "arithmetic instructions";
        if (module->needs_90a)
            fill(module, matrices, matrix_count, m - instruction_text_count, MATRIX_MODULES, step);
        else
            fill(module, NULL, instruction_count, m, instruction_text_count, step);
    }
    *count = modules != NULL ? all : 0;
    return modules;
}

/* ---- Operands ---- */

void soak_tuple(const struct soak_case *one, uint32_t number, uint64_t tuple[SOAK_MAX_WORDS])
{
    /* Numbers in this step meet all pairs of special values in turn. */
    enum { STEP = 5 };

    if (one->instruction != NULL)
        operands_tuple(one->instruction, STEP * number, tuple);
    for (uint32_t w = 0; one->matrix != NULL && w < one->words; w++)
        tuple[w] = w < one->matrix->counts
                       ? matrix_case_operand(one->matrix, number / 32, number % 32, w)
                       : 0;
}

void soak_tuple_text(const struct soak_case *one, uint32_t number, char *text, size_t size)
{
    uint64_t tuple[SOAK_MAX_WORDS];
    FILE *to = fmemopen(text, size, "w");

    text[0] = '\0';
    if (to == NULL)
        return;
    soak_tuple(one, number, tuple);
    if (one->instruction != NULL) {
        for (int k = 0; k < 4 && one->instruction->types[k] != NULL; k++)
            fprintf(to, "%s%s:%" PRIx64, k > 0 ? " " : "", one->instruction->types[k], tuple[k]);
        if (one->instruction->takes_carry)
            fprintf(to, " carry:%u", (unsigned int)(tuple[4] & 1));
    } else {
        fprintf(to, "lane %u:", (unsigned int)(number % 32));
        for (uint32_t w = 0; w < one->matrix->counts; w++)
            fprintf(to, " %" PRIx64, tuple[w]);
    }
    fclose(to);
}

/* ---- PTX ---- */

void soak_kernel_name(size_t k, char name[32])
{
    snprintf(name, 32, "soak%zu", k);
}

/* Calls the function of an instruction with the operands at `i`, and stores the results at `o`. */
static void write_call(FILE *to, size_t function)
{
    fprintf(to, "\t.reg .b64 v<7>;\n\t{\n\t.param .b64 a, b, c, e, k;\n"
                "\t.param .align 8 .b8 r[16];\n");
    for (int k = 0; k < OPERANDS_WORDS; k++)
        fprintf(to, "\tld.global.u64 v%d, [i+%d];\n\tst.param.b64 [%c], v%d;\n", k, 8 * k,
                "abcek"[k], k);
    fprintf(to,
            "\tcall.uni (r), f%zu, (a, b, c, e, k);\n"
            "\tld.param.b64 v5, [r];\n\tld.param.b64 v6, [r+8];\n\t}\n"
            "\tst.global.u64 [o], v5;\n\tst.global.u64 [o+8], v6;\n",
            function);
}

/* Compares the results at `o` with the expected ones, and reports differences. */
static void write_comparison(FILE *to, const struct soak_case *one)
{
    fprintf(to,
            "\tld.param.u64 Se, [expected];\n\tmad.wide.u32 Se, Su, %u, Se;\n"
            "\tmov.u64 Sa, o;\n\tmov.u32 Sw, 0;\nWORD:\n\t.pragma \"nounroll\";\n"
            "\tld.global.u64 Sx, [Sa];\n\tld.global.u64 Sy, [Se];\n"
            "\tld.param.u32 Sk, [planted];\n\tsetp.eq.u32 Sp, Sk, Sm;\n"
            "\tsetp.eq.and.u32 Sp, Su, 7, Sp;\n\t@Sp xor.b64 Sx, Sx, 1;\n"
            "\tsetp.eq.u64 Sp, Sx, Sy;\n\t@Sp bra SAME;\n"
            "\tred.global.add.u64 [St+8], 1;\n\tatom.global.add.u32 Sk, [Sr], 1;\n"
            "\tsetp.ge.u32 Sp, Sk, %d;\n\t@Sp bra SAME;\n"
            "\tmad.wide.u32 Sb, Sk, %zu, Sr;\n\tld.param.u32 Sk, [number];\n"
            "\tst.global.u32 [Sb+64], Sk;\n\tst.global.u32 [Sb+68], Sm;\n"
            "\tst.global.u32 [Sb+72], Su;\n\tst.global.u32 [Sb+76], Sw;\n"
            "\tst.global.u64 [Sb+80], Sx;\n\tst.global.u64 [Sb+88], Sy;\nSAME:\n"
            "\tadd.u64 Sa, Sa, 8;\n\tadd.u64 Se, Se, 8;\n\tadd.u32 Sw, Sw, 1;\n"
            "\tsetp.lt.u32 Sp, Sw, %u;\n\t@Sp bra WORD;\n\tbar.warp.sync 0xffffffff;\n",
            8 * one->results, SOAK_MAX_RECORDS, sizeof(struct soak_difference), one->results);
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
    if (one->matrix != NULL)
        fprintf(to, "\t.shared .align 16 .b8 room[%u];\n", matrix_case_room(one->matrix));
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
    fprintf(to, "\t{\n");
    if (one->matrix != NULL)
        matrix_case_write(to, one->matrix);
    else
        write_call(to, (size_t)(one->instruction - instruction_cases));
    fprintf(to, "\t}\n");
    write_comparison(to, one);
    fprintf(to, "\tred.global.add.u64 [St], 1;\n\tld.param.u32 Sk, [stride];\n"
                "\tadd.u32 Sn, Sn, Sk;\n\tbra LOOP;\nDONE:\n\tret;\n}\n");
}

/* Writes the functions that the module's cases call. Both are in the order of their numbers. */
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
}

char *soak_module_text(const struct soak_module *module, const char *sm)
{
    char *text = NULL;
    size_t size, first;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    if (module->needs_90a)
        fprintf(to, ".version 8.7\n.target sm_90a\n.address_size 64\n");
    else if (module->count > 0) {
        first = (size_t)(module->cases[0].instruction - instruction_cases);
        write_functions(to, module, instruction_texts[first % instruction_text_count]);
    }
    for (size_t k = 0; k < module->count; k++)
        write_kernel(to, &module->cases[k], module->first + k, sm);
    fclose(to);
    return text;
}
