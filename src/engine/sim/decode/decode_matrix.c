/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions. Those that access memory become loads or stores of single lanes, and a step
 * in which the lanes exchange what they have loaded.
 */
#include "decoder.h"

#include "matrix.h"
#include "outcome.h"

#include <string.h>

static void *keep(struct decoder *decoder, const void *from, size_t bytes)
{
    void *kept = arena_take(decoder->module->arena, 1, bytes);

    memcpy(kept, from, bytes);
    return kept;
}

/* Returns the slots of the registers in braces. One register may come without braces. */
const uint32_t *decode_registers(struct decoder *decoder, size_t k, uint32_t count, uint32_t bytes,
                                 bool is_result)
{
    const struct operand *operand = decode_operand(decoder, k), *parts = operand;
    const struct type *type = decode_type(decoder, bytes == 8 ? "b64" : "b32");
    uint32_t *slots = arena_take(decoder->module->arena, count, sizeof *slots), flip;

    if (operand->kind == OPERAND_VECTOR)
        parts = operand->parts;
    if ((operand->kind == OPERAND_VECTOR ? operand->part_count : 1) != count)
        decode_fail(decoder, "takes %u registers as operand %zu", count, k + 1);
    for (uint32_t r = 0; r < count; r++)
        slots[r] = is_result ? decode_result(decoder, &parts[r], type, false)
                             : decode_value(decoder, &parts[r], type, false, &flip);
    return slots;
}

struct op *decode_matrix_step(struct decoder *decoder, const struct matrix_code *code)
{
    struct matrix_code *kept = keep(decoder, code, sizeof *code);
    uint32_t mask = decode_constant(decoder, UINT32_MAX, 4);
    struct op *op = decode_op(decoder, OP_COLLECTIVE);

    kept->opcode = decoder->instruction->opcode;
    op->what = SIMT_MATRIX;
    op->c = mask;
    op->matrix = kept;
    return op;
}

static uint32_t register_bytes(const struct matrix_fragment *fragment)
{
    return fragment->bits == 64 ? 8 : 4;
}

static const uint32_t *fragment_registers(struct decoder *decoder, size_t k,
                                          const struct matrix_fragment *fragment, bool is_result)
{
    return decode_registers(decoder, k, fragment->registers, register_bytes(fragment), is_result);
}

/* mma d, a, b, c; mma.sp d, a, b, c, metadata, selector; */
void decode_mma(struct decoder *decoder)
{
    const char *opcode = decoder->instruction->opcode;
    struct matrix_code code = {.step = STEP_MULTIPLY};
    struct matrix_shape shape;
    struct op *op;

    if (!matrix_read(opcode, &shape))
        decode_fail(decoder, "has no such shape");
    decode_count(decoder, shape.sparse != 0 ? 6 : 4, shape.sparse != 0 ? 6 : 4);
    code.shape = keep(decoder, &shape, sizeof shape);
    code.a = fragment_registers(decoder, 1, &shape.a, false);
    code.b = fragment_registers(decoder, 2, &shape.b, false);
    code.c = fragment_registers(decoder, 3, &shape.c, false);
    if (shape.sparse != 0) {
        const struct operand *selector = decode_operand(decoder, 5);
        uint32_t most = 4 / (shape.k / shape.sparse / 4u);
        code.metadata = decode_plain_value(decoder, 4, "b32");
        if (selector->kind != OPERAND_INTEGER || (uint64_t)selector->value >= most)
            decode_fail(decoder, "takes a sparsity selector from 0 to %u", most - 1);
        code.selector = (uint32_t)selector->value;
    }
    code.d = fragment_registers(decoder, 0, &shape.d, true);
    code.a_count = shape.a.registers;
    code.b_count = shape.b.registers;
    code.c_count = shape.c.registers;
    code.d_count = shape.d.registers;
    op = decode_matrix_step(decoder, &code);
    if (shape.a.type <= MATRIX_F64)
        decode_exact_matrix(decoder, op);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static uint32_t matrices(const struct decoder *decoder)
{
    return decode_has(decoder, "x4") ? 4 : decode_has(decoder, "x2") ? 2 : 1;
}

/* Lane l holds the address of row l % 8 of matrix l / 8. */
static void rows_access(struct decoder *decoder, enum op_kind kind,
                        const struct decoded_address *address, const uint32_t *words)
{
    struct op *op = decode_op(decoder, kind);

    decode_access(decoder, op, address);
    op->space = SPACE_SHARED;
    op->parts = words;
    op->count = 4;
    op->bytes = op->to_bytes = 4;
    op->truth = (uint32_t)((UINT64_C(1) << 8 * matrices(decoder)) - 1);
    if (kind == OP_STORE_ROWS)
        op->access |= ACCESS_WRITE;
}

static void exchange_rows(struct decoder *decoder, bool is_load)
{
    uint32_t count = matrices(decoder);
    struct decoded_address address = decode_address(decoder, decode_operand(decoder, is_load));
    struct matrix_code code = {.step = is_load ? STEP_SPREAD : STEP_COLLECT,
                               .is_turned = decode_has(decoder, "trans")};
    uint32_t *words = arena_take(decoder->module->arena, 4, sizeof *words);

    decode_count(decoder, 2, 2);
    for (uint32_t k = 0; k < 4; k++)
        words[k] = decode_temporary(decoder, 4);
    if (is_load) {
        code.d = decode_registers(decoder, 0, count, 4, true);
        code.a = words;
        code.d_count = count;
        code.a_count = 4;
        rows_access(decoder, OP_LOAD_ROWS, &address, words);
        decode_matrix_step(decoder, &code);
    } else {
        code.a = decode_registers(decoder, 1, count, 4, false);
        code.d = words;
        code.a_count = count;
        code.d_count = 4;
        decode_matrix_step(decoder, &code);
        rows_access(decoder, OP_STORE_ROWS, &address, words);
    }
}

void decode_ldmatrix(struct decoder *decoder)
{
    exchange_rows(decoder, true);
}

void decode_stmatrix(struct decoder *decoder)
{
    exchange_rows(decoder, false);
}

void decode_movmatrix(struct decoder *decoder)
{
    struct matrix_code code = {.step = STEP_TRANSPOSE, .d_count = 1, .a_count = 1};

    decode_count(decoder, 2, 2);
    code.a = decode_registers(decoder, 1, 1, 4, false);
    code.d = decode_registers(decoder, 0, 1, 4, true);
    decode_matrix_step(decoder, &code);
}

/* ---- wmma.load, wmma.store ---- */

/* Returns the fragment that the instruction loads or stores. */
static const struct matrix_fragment *named_fragment(struct decoder *decoder)
{
    static const char *const products[][2] = {
        /* the type of a fragment, and the types of the product that it is part of */
        {"bf16", "f32.bf16.bf16.f32"},
        {"tf32", "f32.tf32.tf32.f32"},
        {"f64", "f64.f64.f64.f64"},
        {"s8", "s32.s8.s8.s32"},
        {"u8", "s32.u8.u8.s32"},
        {"s4", "s32.s4.s4.s32"},
        {"u4", "s32.u4.u4.s32"},
        {"b1", "s32.b1.b1.s32"},
        {"f16", "f16.f16"},
        {"f32", "f32.f32"},
        {"s32", "s32.s8.s8.s32"},
    };
    const char *opcode = decoder->instruction->opcode, *shape = strstr(opcode, ".m"), *types = NULL;
    char product[96];
    struct matrix_shape made;

    while (shape != NULL && (shape[2] < '0' || shape[2] > '9'))
        shape = strstr(shape + 1, ".m");
    for (size_t k = 0; types == NULL && k < sizeof products / sizeof *products; k++)
        if (decode_has(decoder, products[k][0]))
            types = products[k][1];
    if (types == NULL || shape == NULL)
        decode_fail(decoder, "has no such type");
    snprintf(product, sizeof product, "wmma.mma%.*s.%s", (int)strcspn(shape + 1, ".") + 1, shape,
             types);
    if (!matrix_read(product, &made))
        decode_fail(decoder, "has no such shape");
    return keep(decoder,
                decode_has(decoder, "a")   ? &made.a
                : decode_has(decoder, "b") ? &made.b
                                           : &made.c,
                sizeof made.a);
}

/* The elements of a register that one access of a lane loads or stores. */
struct accessed {
    const struct matrix_fragment *fragment;
    struct decoded_address address;
    uint32_t stride, temporary; /* slots of the elements from a line to the next, of an address */
    bool by_column;
};

static void element_access(struct decoder *decoder, const struct accessed *accessed,
                           enum op_kind kind, uint32_t element, uint32_t bytes, uint32_t slot)
{
    struct matrix_code code = {.fragment = accessed->fragment, .is_turned = accessed->by_column};
    struct decoded_address at = {accessed->temporary, true, accessed->address.offset};
    uint32_t *part = keep(decoder, &slot, sizeof slot);
    struct op *op = decode_op(decoder, OP_MATRIX_ADDRESS);

    op->matrix = keep(decoder, &code, sizeof code);
    op->a = accessed->address.slot;
    op->is_wide = accessed->address.is_wide;
    op->b = accessed->stride;
    op->truth = element;
    op->d = accessed->temporary;
    op = decode_op(decoder, kind);
    decode_access(decoder, op, &at);
    op->parts = part;
    op->count = 1;
    op->bytes = op->to_bytes = (uint8_t)bytes;
    if (kind == OP_STORE)
        op->access |= ACCESS_WRITE;
}

/* Joins or splits a register of elements that are not neighbours in memory. */
static void join(struct decoder *decoder, enum op_kind kind, uint32_t slot, const uint32_t *parts,
                 uint32_t count)
{
    struct op *op = decode_op(decoder, kind);

    op->parts = parts;
    op->count = (uint8_t)count;
    op->bytes = 4;
    if (kind == OP_PACK)
        op->d = slot;
    else
        op->a = slot;
}

static void access_fragment(struct decoder *decoder, bool is_load)
{
    const struct matrix_fragment *fragment = named_fragment(decoder);
    uint32_t each = fragment->bits >= 32 ? 1 : 32u / fragment->bits;
    bool by_column = decode_has(decoder, "col");
    /* Neighbours in a register are neighbours of a row or of a column. */
    bool apart =
        each > 1 && (by_column ? fragment->element[0].row == 0 : fragment->element[0].column == 0);
    struct matrix_code meet = {.step = STEP_MEET};
    size_t given = decoder->instruction->operand_count;
    struct accessed accessed = {fragment, {0}, 0, decode_temporary(decoder, 8), by_column};
    const uint32_t *slots = fragment_registers(decoder, !is_load, fragment, is_load);
    uint32_t *parts = arena_take(decoder->module->arena, 4, sizeof *parts);

    decode_count(decoder, 2, 3);
    if (each > 4 && apart)
        decode_fail(decoder, "has no such layout");
    accessed.address = decode_address(decoder, decode_operand(decoder, is_load));
    accessed.stride =
        given == 3 ? decode_plain_value(decoder, 2, "u32")
                   : decode_constant(decoder, by_column ? fragment->rows : fragment->columns, 4);
    for (uint32_t k = 0; apart && k < each; k++)
        parts[k] = decode_temporary(decoder, fragment->bits / 8u);
    decode_matrix_step(decoder, &meet);
    for (uint32_t r = 0; r < fragment->registers; r++) {
        enum op_kind kind = is_load ? OP_LOAD : OP_STORE;
        if (!apart) {
            element_access(decoder, &accessed, kind, r * each, register_bytes(fragment), slots[r]);
            continue;
        }
        if (!is_load)
            join(decoder, OP_UNPACK, slots[r], parts, each);
        for (uint32_t k = 0; k < each; k++)
            element_access(decoder, &accessed, kind, r * each + k, fragment->bits / 8u, parts[k]);
        if (is_load)
            join(decoder, OP_PACK, slots[r], parts, each);
    }
}

void decode_wmma_load(struct decoder *decoder)
{
    access_fragment(decoder, true);
}

void decode_wmma_store(struct decoder *decoder)
{
    access_fragment(decoder, false);
}
