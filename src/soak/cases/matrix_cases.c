/* SPDX-License-Identifier: MIT */
#include "matrix_cases.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MEMORY_WORDS = 16 };

/* ---- Operands ---- */

static uint64_t random_of(uint32_t warp, uint32_t lane, uint32_t word, uint32_t element)
{
    return operand_random(operand_random((uint64_t)warp << 32 | lane << 16 | word << 8) + element);
}

uint64_t matrix_case_operand(const struct matrix_case *matrix, uint32_t warp, uint32_t lane,
                             uint32_t w)
{
    enum matrix_type type = (enum matrix_type)matrix->types[w];
    uint32_t bits = operand_bits(type);
    uint64_t made = 0;

    if (matrix->use != USE_MULTIPLY)
        return random_of(warp, lane, w, 0);
    w = matrix->repeats[w];
    if (matrix->shape.sparse != 0 && w + 1 == matrix->counts)
        return operand_metadata((enum matrix_type)matrix->shape.a.type,
                                random_of(warp, lane, w, 0));
    if (bits == 64)
        return operand_element(type, warp, random_of(warp, lane, w, 0));
    for (uint32_t k = 0; k < 32 / bits; k++)
        made |=
            (operand_element(type, warp, random_of(warp, lane, w, k)) & ((UINT64_C(1) << bits) - 1))
            << k * bits;
    return made;
}

/* ---- Spellings ---- */

/* Adds the registers of an operand to the tuple. wmma holds some of them more than once. */
static void add_words(struct matrix_case *matrix, const struct matrix_fragment *fragment)
{
    uint32_t wide = fragment->bits == 64 ? 64 : 32, first = matrix->counts;
    uint32_t elements = (uint32_t)fragment->rows * fragment->columns * matrix->shape.products;
    uint32_t distinct = elements * fragment->bits / LANES / wide;

    for (uint32_t r = 0; r < fragment->registers; r++, matrix->counts++) {
        matrix->types[matrix->counts] = fragment->type;
        matrix->repeats[matrix->counts] = first + r % distinct;
    }
}

static bool has(const char *opcode, const char *part)
{
    return strstr(opcode, part) != NULL;
}

/* Returns the registers that wmma.load and wmma.store name. */
static uint32_t wmma_registers(const char *opcode, uint32_t *bits)
{
    static const struct {
        const char *shape, *type;
        uint8_t a, b, c;
    } rows[] = {
        {"m16n16k16", "bf16", 4, 4, 0},
        {"m32n8k16", "bf16", 8, 2, 0},
        {"m8n32k16", "bf16", 2, 8, 0},
        {"m16n16k16", "8", 2, 2, 0},
        {"m32n8k16", "8", 4, 1, 0},
        {"m8n32k16", "8", 1, 4, 0},
        {"", ".f16", 8, 8, 4},
        {"m16n16k8", "tf32", 4, 4, 0},
        {"m8n8k4", "f64", 1, 1, 2},
        {"m8n8k32", "4", 1, 1, 0},
        {"m8n8k128", "b1", 1, 1, 0},
        {"m8n8", "s32", 0, 0, 2},
        {"", "32", 0, 0, 8},
    };
    const char *type = strrchr(opcode, '.');

    *bits = has(opcode, "f64") ? 64 : 32;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (has(opcode, rows[k].shape) && has(type, rows[k].type))
            return has(opcode, "load.a")   ? rows[k].a
                   : has(opcode, "load.b") ? rows[k].b
                                           : rows[k].c;
    return 0;
}

static void complete(struct matrix_case *matrix)
{
    const char *meaning = matrix->form->meaning, *opcode = matrix->opcode;

    matrix->bits = 32;
    if (strcmp(meaning, "@mma") == 0) {
        matrix_read(opcode, &matrix->shape);
        add_words(matrix, &matrix->shape.a);
        add_words(matrix, &matrix->shape.b);
        add_words(matrix, &matrix->shape.c);
        if (matrix->shape.sparse != 0) {
            matrix->types[matrix->counts] = MATRIX_S32;
            matrix->repeats[matrix->counts] = matrix->counts;
            matrix->counts++;
        }
        return;
    }
    matrix->counts = MEMORY_WORDS;
    matrix->use = has(meaning, "load") || has(meaning, "ldm") ? USE_LOAD
                  : has(meaning, "movm")                      ? USE_MOVE
                                                              : USE_STORE;
    if (has(opcode, "wmma"))
        matrix->registers = wmma_registers(opcode, &matrix->bits);
    else
        matrix->registers = has(opcode, ".x4") ? 4 : has(opcode, ".x2") ? 2 : 1;
}

/* Spaces have the same meaning, and layouts do not change a product. */
static bool is_redundant(const char *opcode)
{
    return has(opcode, ".shared::cta") || has(opcode, ".global") ||
           (has(opcode, "wmma.load") && !has(opcode, ".shared")) ||
           (has(opcode, "wmma.store") && !has(opcode, ".shared")) ||
           (has(opcode, "matrix.") && !has(opcode, ".shared") && !has(opcode, "mov"));
}

const struct matrix_case *matrix_cases(size_t *count)
{
    static struct matrix_case *spellings;
    static size_t spelling_count;

    for (const struct form *form = matrix_forms; form->pattern != NULL; form++) {
        struct matrix_case matrix;
        struct match match;
        for (size_t k = 0;; k++) {
            matrix = (struct matrix_case){.form = form};
            if (!forms_spelling(form, k, matrix.opcode, sizeof matrix.opcode))
                break;
            if (!forms_match(matrix.opcode, &match) || match.form != form ||
                is_redundant(matrix.opcode))
                continue;
            complete(&matrix);
            for (uint32_t s = 0;; s++) { /* each sparsity selector */
                matrix.selector = s;
                spellings = realloc(spellings, (spelling_count + 1) * sizeof *spellings);
                spellings[spelling_count++] = matrix;
                if (matrix.shape.sparse == 0 ||
                    s + 1 >= 4u / (matrix.shape.k / matrix.shape.sparse / 4u))
                    break;
            }
        }
    }
    *count = spelling_count;
    return spellings;
}

/* ---- PTX ---- */

static void write_vector(FILE *to, char letter, uint32_t first, uint32_t count)
{
    fputc('{', to);
    for (uint32_t r = 0; r < count; r++)
        fprintf(to, "%s%c%u", r > 0 ? "," : "", letter, first + r);
    fputc('}', to);
}

static const char *register_type(uint32_t bits)
{
    return bits == 64 ? "b64" : "b32";
}

/* Declares registers of the instruction's own types, w<n>, and fills them from the tuple. */
static void write_inputs(FILE *to, const struct matrix_case *matrix)
{
    for (uint32_t w = 0; w < matrix->counts; w++) {
        enum matrix_type type = (enum matrix_type)matrix->types[w];
        fprintf(to, "\t.reg .%s w%u;\n\tld.global.%s w%u, [i+%u];\n",
                type == MATRIX_F32   ? "f32"
                : type == MATRIX_F64 ? "f64"
                                     : "b32",
                w,
                type == MATRIX_F32   ? "f32"
                : type == MATRIX_F64 ? "f64"
                                     : "b32",
                w, 8 * w);
    }
}

static void write_multiply(FILE *to, const struct matrix_case *matrix)
{
    const struct matrix_shape *shape = &matrix->shape;
    uint32_t a = shape->a.registers, b = shape->b.registers, c = shape->c.registers;
    const char *type = shape->d.type == MATRIX_F32   ? "f32"
                       : shape->d.type == MATRIX_F64 ? "f64"
                                                     : "b32";

    write_inputs(to, matrix);
    fprintf(to, "\t.reg .%s r<%u>;\n\t%s ", type, shape->d.registers, matrix->opcode);
    write_vector(to, 'r', 0, shape->d.registers);
    fputc(',', to);
    write_vector(to, 'w', 0, a);
    fputc(',', to);
    write_vector(to, 'w', a, b);
    fputc(',', to);
    write_vector(to, 'w', a + b, c);
    if (shape->sparse != 0)
        fprintf(to, ",w%u,%u", a + b + c, matrix->selector);
    fprintf(to, ";\n");
    for (uint32_t r = 0; r < shape->d.registers; r++)
        fprintf(to, "\tst.global.%s [o+%u], r%u;\n", type, 8 * r, r);
}

/* Copies the warp's 4 KiB between its tuples or results and shared memory. */
static void write_copy(FILE *to, bool is_in)
{
    fprintf(to, "\t.reg .b64 %s;\n", is_in ? "x" : "y");
    for (uint32_t w = 0; w < MEMORY_WORDS; w++) {
        if (is_in)
            fprintf(to, "\tld.global.b64 x, [i+%u];\n\tst.shared.b64 [s+%u], x;\n", 8 * w, 8 * w);
        else
            fprintf(to, "\tld.shared.b64 y, [s+%u];\n\tst.global.b64 [o+%u], y;\n", 8 * w, 8 * w);
    }
    fprintf(to, "\tbar.warp.sync 0xffffffff;\n");
}

/* The address of the instruction: `m` is the warp's memory. Each lane of ldmatrix and stmatrix has
 * a row of its own. */
static void write_memory(FILE *to, const struct matrix_case *matrix)
{
    bool is_wmma = has(matrix->opcode, "wmma"), loads = matrix->use == USE_LOAD;
    const char *type = register_type(matrix->bits);
    uint32_t stride = has(matrix->opcode, "k128") ? 128 : 32;

    if (has(matrix->opcode, "wmma") && has(matrix->opcode, ".f32"))
        type = "f32";
    if (has(matrix->opcode, "wmma") && has(matrix->opcode, ".f64"))
        type = "f64";
    fprintf(to, "\t.reg .%s r<%u>;\n", type, matrix->registers);
    write_copy(to, true);
    if (!is_wmma)
        fprintf(to, "\txor.b32 q, l, 21;\n\tmad.lo.u32 m, q, 48, m;\n");
    for (uint32_t r = 0; !loads && r < matrix->registers; r++)
        fprintf(to, "\tld.global.%s r%u, [i+%u];\n", type, r, 8 * r);
    fprintf(to, "\t%s ", matrix->opcode);
    if (!loads)
        fprintf(to, "[m],");
    write_vector(to, 'r', 0, matrix->registers);
    if (loads)
        fprintf(to, ",[m]");
    if (is_wmma)
        fprintf(to, ",%u", stride);
    fprintf(to, ";\n\tbar.warp.sync 0xffffffff;\n");
    for (uint32_t r = 0; loads && r < matrix->registers; r++)
        fprintf(to, "\tst.global.%s [o+%u], r%u;\n", type, 8 * r, r);
    if (!loads)
        write_copy(to, false);
}

uint32_t matrix_case_room(const struct matrix_case *matrix)
{
    return matrix->use == USE_LOAD || matrix->use == USE_STORE ? 32768 : 16;
}

void matrix_case_write(FILE *to, const struct matrix_case *matrix)
{
    fprintf(to, "\t.reg .b32 n, l, s, m, q;\n\tmov.u32 l, %%laneid;\n\tmov.u32 s, room;\n"
                "\tshr.u32 m, t, 5;\n\tmad.lo.u32 m, m, 4096, s;\n\tmad.lo.u32 s, t, 128, s;\n");
    if (matrix->use == USE_MULTIPLY)
        write_multiply(to, matrix);
    else if (matrix->use == USE_MOVE)
        fprintf(to, "\tld.global.b32 n, [i];\n\t%s n, n;\n\tst.global.b32 [o], n;\n",
                matrix->opcode);
    else
        write_memory(to, matrix);
}
