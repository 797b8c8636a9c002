/* SPDX-License-Identifier: MIT
 *
 * Matrix instructions of a warpgroup.
 */
#include "decoder.h"

#include "matrix.h"

#include <string.h>

enum { GROUP_THREADS = 128 };

static bool is_immediate(const struct operand *operand, int64_t value)
{
    return operand->kind == OPERAND_INTEGER && (int64_t)operand->value == value;
}

/* Reads imm-scale or imm-trans: one of two numbers. Returns true if it is the second. */
static bool read_choice(struct decoder *decoder, size_t *k, const char *name, int64_t first,
                        int64_t second)
{
    const struct operand *operand = decode_operand(decoder, (*k)++);

    if (!is_immediate(operand, first) && !is_immediate(operand, second))
        decode_fail(decoder, "takes %s %d or %d as operand %zu", name, (int)first, (int)second, *k);
    return is_immediate(operand, second);
}

/* Reads the scales and layouts, which are the last operands. */
static void decode_choices(struct decoder *decoder, size_t k, bool a_in_memory,
                           struct matrix_code *code, struct matrix_shape *shape)
{
    if (shape->a.type <= MATRIX_E5M2) {
        shape->negates_a = read_choice(decoder, &k, "imm-scale-a", 1, -1);
        shape->negates_b = read_choice(decoder, &k, "imm-scale-b", 1, -1);
    }
    if (shape->a.type <= MATRIX_BF16 && a_in_memory)
        code->a_by_column = read_choice(decoder, &k, "imm-trans-a", 0, 1);
    if (shape->a.type <= MATRIX_BF16)
        code->b_by_column = read_choice(decoder, &k, "imm-trans-b", 0, 1);
    decode_count(decoder, k, k);
}

static void decode_sparse(struct decoder *decoder, struct matrix_code *code,
                          const struct matrix_shape *shape)
{
    const struct operand *selector = decode_operand(decoder, 4);
    uint32_t most = 4 / (shape->k / shape->sparse / 4u);

    code->metadata = decode_plain_value(decoder, 3, "b32");
    if (selector->kind != OPERAND_INTEGER || (uint64_t)selector->value >= most)
        decode_fail(decoder, "takes a sparsity selector from 0 to %u", most - 1);
    code->selector = (uint32_t)selector->value;
}

/* wgmma.mma_async d, a, b-desc, scale-d, ...; .sp: d, a, b-desc, metadata, selector, scale-d, ...
 */
void decode_wgmma(struct decoder *decoder)
{
    struct arena *arena = decoder->module->arena;
    bool a_in_memory = decode_operand(decoder, 1)->kind != OPERAND_VECTOR;
    struct matrix_code code = {.step = STEP_GROUP_MULTIPLY};
    struct matrix_shape *shape = arena_take(arena, 1, sizeof *shape);
    uint32_t *descriptors = arena_take(arena, 2, sizeof *descriptors);
    size_t scale;
    struct op *op;

    if (!matrix_read(decoder->instruction->opcode, shape))
        decode_fail(decoder, "has no such shape");
    scale = shape->sparse != 0 ? 5 : 3;
    decode_count(decoder, scale + 1, scale + 5);
    code.shape = shape;
    code.b = descriptors;
    code.b_count = 1u + a_in_memory;
    descriptors[0] = decode_plain_value(decoder, 2, "b64");
    if (a_in_memory) {
        descriptors[1] = decode_plain_value(decoder, 1, "b64");
    } else {
        code.a = decode_registers(decoder, 1, shape->a.registers, 4, false);
        code.a_count = shape->a.registers;
    }
    if (shape->sparse != 0)
        decode_sparse(decoder, &code, shape);
    code.scale = decode_value(decoder, decode_operand(decoder, scale), decode_type(decoder, "pred"),
                              false, &code.scale_flip);
    decode_choices(decoder, scale + 1, a_in_memory, &code, shape);
    code.c = decode_registers(decoder, 0, shape->d.registers, 4, false);
    code.d = decode_registers(decoder, 0, shape->d.registers, 4, true);
    code.c_count = code.d_count = shape->d.registers;
    op = decode_matrix_step(decoder, &code);
    op->a = code.scale;
    decoder->code->needs_order = true;
    if (shape->a.type <= MATRIX_F64)
        decode_exact_matrix(decoder, op);
}

/* The warps of a group meet at a wait, because a product needs all of them. */
void decode_wgmma_wait(struct decoder *decoder)
{
    const struct operand *pending = decode_operand(decoder, 0);
    struct matrix_code code = {.step = STEP_GROUP_ARRIVE};
    uint32_t number = decode_steady_slot(decoder, SPECIAL_GROUP_BARRIER, 4, 0);
    uint32_t count = decode_constant(decoder, GROUP_THREADS, 4);
    const struct matrix_code *kept;
    struct op *op;

    decode_count(decoder, 1, 1);
    if (pending->kind != OPERAND_INTEGER || pending->value > INT32_MAX)
        decode_fail(decoder, "takes a number of groups");
    code.pending = (uint32_t)pending->value;
    kept = decode_matrix_step(decoder, &code)->matrix;
    op = decode_op(decoder, OP_BARRIER);
    op->a = number;
    op->b = count;
    op->c = decoder->zero;
    op->has_count = true;
    op->matrix = kept;
    code.step = STEP_GROUP_WAIT;
    decode_matrix_step(decoder, &code);
}

static void add_step(struct decoder *decoder, enum matrix_step step)
{
    struct matrix_code code = {.step = step};

    decode_count(decoder, 0, 0);
    decode_matrix_step(decoder, &code);
}

void decode_wgmma_fence(struct decoder *decoder)
{
    add_step(decoder, STEP_GROUP_FENCE);
}

void decode_wgmma_commit(struct decoder *decoder)
{
    add_step(decoder, STEP_GROUP_COMMIT);
}

/* PTX ISA, setmaxnreg: the number of registers has no effect on results. */
void decode_maxnreg(struct decoder *decoder)
{
    const struct operand *count = decode_operand(decoder, 0);
    struct matrix_code code = {.step = STEP_MEET};

    decode_count(decoder, 1, 1);
    if (count->kind != OPERAND_INTEGER || count->value < 24 || count->value > 256 ||
        count->value % 8 != 0)
        decode_fail(decoder, "takes a multiple of 8 from 24 to 256");
    decode_matrix_step(decoder, &code);
}
