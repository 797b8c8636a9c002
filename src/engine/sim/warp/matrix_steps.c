/* SPDX-License-Identifier: MIT */
#include "matrix_steps.h"

#include "access.h"
#include "faults.h"
#include "group.h"
#include "matrix_registers.h"
#include "undefined.h"

#include "matrix.h"

#include <string.h>

/* ---- Products ---- */

static void multiply(char *const frames[LANES], const struct op *op)
{
    const struct matrix_code *code = op->matrix;
    const struct matrix_shape *shape = code->shape;
    static struct operand_values a, b, c, d;
    uint32_t metadata[LANES] = {0}, bytes = shape->a.bits == 64 ? 8 : 4;

    read_operand(&a, frames, code->a, code->a_count, bytes);
    read_operand(&b, frames, code->b, code->b_count, bytes);
    read_operand(&c, frames, code->c, code->c_count, bytes);
    for (uint32_t lane = 0; shape->sparse != 0 && lane < LANES; lane++) {
        use_undefined(frames[lane], code->metadata, UINT32_C(1) << lane,
                      "gives the metadata of a sparse matrix");
        memcpy(&metadata[lane], frames[lane] + code->metadata + lane * sizeof *metadata,
               sizeof *metadata);
    }
    for (uint32_t r = 0; r < code->d_count; r++) {
        d.registers[r] = d.words[r];
        d.undefined[r] = 0;
    }
    matrix_multiply(shape, d.registers, (const void *const *)a.registers,
                    (const void *const *)b.registers, (const void *const *)c.registers, metadata,
                    code->selector);
    if ((a.any_undefined | b.any_undefined | c.any_undefined) != 0) {
        struct undefined_lines lines = {.rows = {0}};
        d.origin = a.any_undefined != 0 ? a.origin : b.any_undefined != 0 ? b.origin : c.origin;
        find_undefined_lines(&lines, &a, &shape->a, true);
        find_undefined_lines(&lines, &b, &shape->b, false);
        find_undefined_results(shape, &d, &lines, &c);
    }
    for (uint32_t r = 0; op->exact != NULL && r < code->d_count; r++)
        d.undefined[r] = UINT32_MAX;
    if (op->exact != NULL)
        d.origin = undefined_inexact(op->place, op->exact->refusal);
    write_operand(&d, frames, code->d, code->d_count, bytes);
}

/* ---- 8x8 matrices of 16-bit elements ---- */

/* Where a 16-bit element of a matrix is: in a register of a lane, or in a word of the lane that has
 * the row. */
struct half {
    uint32_t number, lane, half; /* of a register or word; 0: the lower half */
};

static struct half in_register(uint32_t matrix, uint32_t row, uint32_t column)
{
    return (struct half){matrix, 4 * row + column / 2, column % 2};
}

static struct half in_row(uint32_t matrix, uint32_t row, uint32_t column)
{
    return (struct half){column / 2, 8 * matrix + row, column % 2};
}

static void move_half(struct operand_values *to, struct half there,
                      const struct operand_values *from, struct half here)
{
    memcpy((char *)to->words[there.number] + 4 * there.lane + 2 * there.half,
           (const char *)from->words[here.number] + 4 * here.lane + 2 * here.half, 2);
    if (from->undefined[here.number] >> here.lane & 1)
        to->undefined[there.number] |= UINT32_C(1) << there.lane;
}

static void move(char *const frames[LANES], const struct op *op)
{
    const struct matrix_code *code = op->matrix;
    uint32_t count = code->step == STEP_COLLECT ? code->a_count : code->d_count;
    static struct operand_values from, to;

    read_operand(&from, frames, code->a, code->a_count, 4);
    memset(to.undefined, 0, sizeof to.undefined);
    memset(to.words, 0, sizeof to.words);
    to.origin = from.origin;
    for (uint32_t m = 0; m < count; m++)
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t j = 0; j < 8; j++) {
                struct half turned = code->is_turned || code->step == STEP_TRANSPOSE
                                         ? in_register(m, j, i)
                                         : in_register(m, i, j);
                if (code->step == STEP_SPREAD)
                    move_half(&to, turned, &from, in_row(m, i, j));
                else if (code->step == STEP_COLLECT)
                    move_half(&to, in_row(m, i, j), &from, turned);
                else
                    move_half(&to, in_register(m, i, j), &from, turned);
            }
    write_operand(&to, frames, code->d, code->d_count, 4);
}

void matrix_step(struct warp *warp, const struct op *op)
{
    char *frames[LANES];

    if (warp->alive != UINT32_MAX)
        leave_partial_warp(warp, op);
    for (uint32_t lane = 0; lane < LANES; lane++)
        frames[lane] = frame_of(warp, lane)->slots;
    if (op->matrix->step >= STEP_GROUP_MULTIPLY)
        group_step(warp, op, frames);
    else if (op->matrix->step == STEP_MULTIPLY)
        multiply(frames, op);
    else if (op->matrix->step != STEP_MEET)
        move(frames, op);
}

void matrix_address(char *slots, const struct op *op, uint32_t lanes)
{
    const struct matrix_fragment *fragment = op->matrix->fragment;
    const uint32_t *strides = (const uint32_t *)(const void *)(slots + op->b);
    uint64_t *to = (uint64_t *)(void *)(slots + op->d);
    /* PTX ISA, matrix storage for wmma: the size of a lane's registers. For strides, the CUDA C++
     * guide only asks for 16 bytes, and kernels rely on that. */
    uint32_t whole = fragment->registers * (fragment->bits == 64 ? 8u : 4u);
    uint32_t apart = whole < 16 ? whole : 16;

    use_undefined(slots, op->a, lanes, "accesses a matrix at an address");
    use_undefined(slots, op->b, lanes, "accesses a matrix with a stride");
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct matrix_place place = matrix_place(fragment, lane, op->truth);
        uint32_t line = op->matrix->is_turned ? place.column : place.row;
        uint32_t within = op->matrix->is_turned ? place.row : place.column;
        uint64_t base = op->is_wide ? ((const uint64_t *)(const void *)(slots + op->a))[lane]
                                    : ((const uint32_t *)(const void *)(slots + op->a))[lane];
        check_tile(op + 1, lane, base + (uint64_t)op[1].offset, whole);
        if (strides[lane] * (uint64_t)fragment->bits / 8 % apart != 0)
            raise_fault(FAULT_MISALIGNED, lane, SAYS_MATRIX_STRIDE, .bytes = apart,
                        .writes = (op[1].access & ACCESS_WRITE) != 0,
                        .numbers = {strides[lane] * (int64_t)fragment->bits / 8});
        to[lane] = base + ((uint64_t)line * strides[lane] + within) * fragment->bits / 8;
    }
    head_of(slots, op->d)->undefined &= ~lanes;
}
