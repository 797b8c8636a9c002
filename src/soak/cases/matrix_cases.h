/* SPDX-License-Identifier: MIT
 *
 * Every spelling of every matrix instruction, with operands for each lane of a warp. A lane's
 * operands are words of 64 bits: its registers, or its part of the 4 KiB of shared memory that a
 * warp has.
 */
#ifndef SIMTCHECK_SOAK_MATRIX_CASES_H
#define SIMTCHECK_SOAK_MATRIX_CASES_H

#include "forms.h"
#include "matrix_operands.h"

#include <stdio.h>

enum { MATRIX_CASE_WORDS = 24, MATRIX_CASE_RESULTS = 16, MATRIX_CASE_BLOCK = 256 };

/* What an entry does with the instruction. */
enum matrix_use { USE_MULTIPLY, USE_LOAD, USE_STORE, USE_MOVE };

struct matrix_case {
    const struct form *form;
    char opcode[96];
    enum matrix_use use;
    struct matrix_shape shape;                /* of USE_MULTIPLY */
    uint32_t registers, bits;                 /* of the others */
    uint8_t types[MATRIX_CASE_WORDS], counts; /* of each word: enum matrix_type */
    uint32_t
        repeats[MATRIX_CASE_WORDS]; /* the word that this one repeats, as fragments of wmma do */
    uint32_t selector;
};

/* Returns all of them, in the order of `matrix_forms`. The list lives until the program ends. */
const struct matrix_case *matrix_cases(size_t *count);

/* Returns an operand of a lane, in the warp of that number. */
uint64_t matrix_case_operand(const struct matrix_case *matrix, uint32_t warp, uint32_t lane,
                             uint32_t word);

/* Returns the bytes of the shared array `room` that the PTX uses. */
uint32_t matrix_case_room(const struct matrix_case *matrix);

/* Writes PTX that runs the instruction with the operands at address `i`, and writes the results to
 * address `o`. `t` is the thread in the block of MATRIX_CASE_BLOCK. Other registers that the PTX
 * needs are declared in it. */
void matrix_case_write(FILE *to, const struct matrix_case *matrix);

#endif
