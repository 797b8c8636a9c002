/* SPDX-License-Identifier: MIT
 *
 * Operands of matrix instructions in the registers of a warp.
 */
#ifndef SIMTCHECK_SIM_MATRIX_REGISTERS_H
#define SIMTCHECK_SIM_MATRIX_REGISTERS_H

#include "machine.h"

#include "matrix.h"

/* The registers of an operand, from the frames of all lanes, and which lanes' values are
 * undefined. */
struct operand_values {
    uint64_t words[MATRIX_REGISTERS][LANES]; /* LANES values of 4 or 8 bytes */
    void *registers[MATRIX_REGISTERS];
    uint32_t undefined[MATRIX_REGISTERS], any_undefined, origin;
};

/* `slots` and `count`: the registers of the operand, of `bytes` each. */
void read_operand(struct operand_values *values, char *const frames[LANES], const uint32_t *slots,
                  uint32_t count, uint32_t bytes);
void write_operand(const struct operand_values *values, char *const frames[LANES],
                   const uint32_t *slots, uint32_t count, uint32_t bytes);

/* Records a fault of a warp that lacks lanes. */
_Noreturn void leave_partial_warp(const struct warp *warp, const struct op *op);

/* Which rows and columns of d are undefined: a row if one of a is, and so on. */
struct undefined_lines {
    uint32_t rows[4], columns[4][MATRIX_COLUMNS / 32]; /* by product; bits by line */
};

/* Adds the lines of an operand in registers. */
void find_undefined_lines(struct undefined_lines *lines, const struct operand_values *values,
                          const struct matrix_fragment *fragment, bool is_a);
/* Marks the undefined elements of d. */
void find_undefined_results(const struct matrix_shape *shape, struct operand_values *d,
                            const struct undefined_lines *lines, const struct operand_values *c);

#endif
