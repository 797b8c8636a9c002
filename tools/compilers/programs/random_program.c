/* SPDX-License-Identifier: MIT */
#include "random_program.h"

#include "input_values.h"

#include <inttypes.h>

enum {
    MIN_OPERATORS = 2,
    MAX_OPERATORS = 11,
    MAX_OF_CHAIN = 4,
    CHAINS_IN_100 = 60,   /* chains, in 100 programs; known failures shrink to chains */
    FOLDED_IN_100 = 70,   /* folded operations, in 100 of the other programs */
    LANES_IN_100 = 10,    /* operations between lanes, there */
    IN_CHAIN_IN_100 = 70, /* operands for find_operand() to chain, in 100 */
};

/* The frequency of an operation in this array is its weight. */
static const enum operation_id folded[] = {
    OPERATION_min_s32, OPERATION_min_s32, OPERATION_min_s32,    OPERATION_min_s32,
    OPERATION_max_s32, OPERATION_max_s32, OPERATION_max_s32,    OPERATION_max_s32,
    OPERATION_min_u32, OPERATION_max_u32, OPERATION_abs_s32,    OPERATION_neg_b32,
    OPERATION_neg_b32, OPERATION_eq_s32,  OPERATION_eq_s32,     OPERATION_eq_s32,
    OPERATION_ne_s32,  OPERATION_ne_s32,  OPERATION_lt_s32,     OPERATION_le_s32,
    OPERATION_gt_s32,  OPERATION_ge_s32,  OPERATION_select_b32, OPERATION_lt_u32,
};

/* Exchanges between the lanes of a warp or the threads of a block. */
static const enum operation_id between_lanes[] = {
    OPERATION_shuffle_b32, OPERATION_shared_b32,     OPERATION_async_b32,
    OPERATION_product_b32, OPERATION_transposed_b32,
};

static const uint64_t constants[] = {
    0,   1,          2,          3,          7,          8,          15,         16,         31,
    32,  33,         127,        128,        255,        256,        0xffff,     0x7fff,     0x8000,
    100, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0xffffff80, 0x3f800000, 0x7fc00000,
};

struct draw {
    uint64_t seed, counter;
    struct program *program;
};

static uint32_t below(struct draw *draw, size_t limit)
{
    return (uint32_t)((values_hash(draw->seed, draw->counter++) >> 33) % limit);
}

static void add(struct draw *draw, struct node node)
{
    draw->program->nodes[draw->program->count++] = node;
}

static enum program_type type_at(const struct program *program, uint32_t k)
{
    return operations[program->nodes[k].operation].result;
}

/* Finds an operand of that type. Returns false when no node has it. Compilers fold chains, so the
 * first operand is more often the last node, and the others are more often leaves. */
static bool find_operand(struct draw *draw, enum program_type type, size_t o, uint8_t *operand)
{
    uint8_t found[PROGRAM_NODES];
    uint32_t count = 0, leaves = 0;

    for (uint32_t k = 0; k < draw->program->count; k++)
        if (type_at(draw->program, k) == type) {
            found[count++] = (uint8_t)k;
            leaves += operation_is_leaf(&operations[draw->program->nodes[k].operation]);
        }
    if (count == 0)
        return false;
    if (below(draw, 100) >= IN_CHAIN_IN_100)
        *operand = found[below(draw, count)];
    else
        *operand = o == 0 ? found[count - 1] : found[below(draw, leaves > 0 ? leaves : count)];
    return true;
}

/* Adds an operation on existing nodes. Returns false when an operand's type is missing. */
static bool add_operation(struct draw *draw, enum operation_id id)
{
    struct node node = {.operation = id};

    for (size_t o = 0; o < operation_operands(&operations[id]); o++)
        if (!find_operand(draw, operations[id].operands[o], o, &node.operands[o]))
            return false;
    add(draw, node);
    return true;
}

static enum operation_id draw_operation(struct draw *draw)
{
    const enum operation_id first = CONSTANT_B64 + 1;

    uint32_t kind = below(draw, 100);

    if (kind < FOLDED_IN_100)
        return folded[below(draw, sizeof folded / sizeof *folded)];
    if (kind < FOLDED_IN_100 + LANES_IN_100)
        return between_lanes[below(draw, sizeof between_lanes / sizeof *between_lanes)];
    return first + below(draw, FIRST_CUDA_OPERATION - first);
}

static void add_leaves(struct draw *draw)
{
    uint32_t inputs = 2 + below(draw, 2);

    if (below(draw, 2) == 0)
        add(draw, (struct node){.operation = CONSTANT_B32, .value = 0});
    for (uint32_t k = below(draw, 6); k < 2; k++)
        add(draw,
            (struct node){.operation = CONSTANT_B32,
                          .value = constants[below(draw, sizeof constants / sizeof *constants)]});
    if (below(draw, 3) == 0)
        add(draw, (struct node){.operation = INPUT_B64, .value = below(draw, PROGRAM_IN / 2)});
    for (uint32_t k = 0; k < inputs; k++)
        add(draw, (struct node){.operation = INPUT_B32, .value = k});
}

/* Adds a chain of operations that compilers fold. Each link applies to the one before and to a, b
 * or a constant, usually 0. */
static void add_chain(struct draw *draw)
{
    enum { LEAVES = 3 };
    uint32_t links = MIN_OPERATORS + below(draw, MAX_OF_CHAIN - MIN_OPERATORS + 1);

    add(draw, (struct node){.operation = INPUT_B32, .value = 0});
    add(draw, (struct node){.operation = INPUT_B32, .value = 1});
    add(draw,
        (struct node){.operation = CONSTANT_B32,
                      .value = below(draw, 4) > 0
                                   ? 0
                                   : constants[below(draw, sizeof constants / sizeof *constants)]});
    for (uint32_t made = 0; made < links; made++) {
        enum operation_id id = folded[below(draw, sizeof folded / sizeof *folded)];
        uint8_t last = (uint8_t)(draw->program->count - 1);
        struct node node = {.operation = id,
                            .operands = {made == 0 ? (uint8_t)below(draw, 2) : last}};
        bool is_condition = type_at(draw->program, last) == PRED;
        if (is_condition || id == OPERATION_select_b32) {
            if (!is_condition) {
                made--; /* The selection has no condition. */
                continue;
            }
            node = (struct node){.operation = OPERATION_select_b32, .operands = {last}};
            node.operands[2] = (uint8_t)below(draw, LEAVES);
        }
        node.operands[1] = (uint8_t)below(draw, LEAVES);
        if (operation_operands(&operations[node.operation]) == 1)
            node.operands[1] = 0;
        add(draw, node);
    }
}

static void add_any(struct draw *draw)
{
    uint32_t wanted = MIN_OPERATORS + below(draw, MAX_OPERATORS - MIN_OPERATORS + 1);

    add_leaves(draw);
    for (uint32_t made = 0; made < wanted;)
        made += add_operation(draw, draw_operation(draw));
}

/* Adds a selection that turns a condition into 1 or 0. */
static void add_selection(struct draw *draw)
{
    uint8_t condition = (uint8_t)(draw->program->count - 1);

    add(draw, (struct node){.operation = CONSTANT_B32, .value = 1});
    add(draw, (struct node){.operation = CONSTANT_B32, .value = 0});
    add(draw,
        (struct node){.operation = OPERATION_select_b32,
                      .operands = {condition, (uint8_t)(condition + 1), (uint8_t)(condition + 2)}});
}

void program_draw(uint64_t seed, uint64_t number, struct program *program)
{
    struct draw draw = {values_hash(seed, number), 0, program};

    *program = (struct program){.count = 0};
    snprintf(program->name, sizeof program->name, "r%" PRIu64 "_%" PRIu64, seed % 1000000, number);
    if (below(&draw, 100) < CHAINS_IN_100)
        add_chain(&draw);
    else
        add_any(&draw);
    if (type_at(program, program->count - 1) == PRED)
        add_selection(&draw);
    program_tidy(program);
}
