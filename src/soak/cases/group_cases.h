/* SPDX-License-Identifier: MIT
 *
 * Every spelling of wgmma.mma_async. Each has its own layout of both operands in shared memory, as
 * random as the spelling's number.
 */
#ifndef SIMTCHECK_SOAK_GROUP_CASES_H
#define SIMTCHECK_SOAK_GROUP_CASES_H

#include "forms.h"
#include "matrix_operands.h"

#include <stdio.h>

enum {
    GROUP_A_BYTES = 8192, /* of shared memory, for operand A; then come those of B */
    GROUP_B_BYTES = 32768,
    GROUP_BYTES = GROUP_A_BYTES + GROUP_B_BYTES,
    GROUP_A_REGISTERS = 4,
};

/* A layout of an operand in shared memory, in bytes. */
struct group_layout {
    uint32_t start, leading, stride, swizzle, base;
    bool by_column;
};

struct group_case {
    const struct form *form;
    char opcode[96];
    struct matrix_shape shape;
    struct group_layout a, b;
    bool a_in_memory, counts, negates_a, negates_b;
    uint32_t selector;
};

/* Returns those whose opcode has a part, such as "" or ".bf16", in the order of `group_forms`. The
 * caller frees the list. */
struct group_case *group_cases(const char *part, size_t *count);

/* Returns 32 bits of elements. `kind` selects what floats are like. */
uint32_t group_case_word(enum matrix_type type, uint32_t kind, uint64_t random);

/* Returns the type of operand C's and the result's registers. */
const char *group_case_type(const struct group_case *group);

/* Writes PTX that runs the instruction and waits for it. Registers: `t` is the thread, `s` the
 * address of the shared memory, `a0` to `a3` have operand A, `e` the metadata, and `d0`, `d1` and
 * so on operand C, then the result. `q` and predicate `p` are for its use. */
void group_case_write(FILE *to, const struct group_case *group);

#endif
