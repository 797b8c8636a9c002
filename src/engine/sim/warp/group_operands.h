/* SPDX-License-Identifier: MIT
 *
 * Operands of wgmma in shared memory, which a matrix descriptor describes (PTX ISA 9.0, 9.7.15.5).
 */
#ifndef SIMTCHECK_SIM_GROUP_OPERANDS_H
#define SIMTCHECK_SIM_GROUP_OPERANDS_H

#include "machine.h"

#include "matrix.h"

/* The lines that a warp reads: 16 rows of a, or all columns of b. */
struct group_operand {
    const struct matrix_fragment *fragment;
    bool is_a, by_column; /* by_column: neighbours in memory are in different lines */
    uint64_t bits;        /* the descriptor */
    uint32_t start, leading, stride, swizzle, base; /* its fields, in bytes */
    uint32_t first, lines, length;                  /* length: elements of a line */
};

/* Reads a descriptor of an op. Raises a fault if it is malformed. */
struct group_operand group_operand(const struct op *op, bool is_a, uint32_t warp, uint64_t bits);
/* Makes the accesses of the operand, and adds what it reads to the digest. An operand in registers
 * has none. `race`: the operation; null if no races are detected. */
uint64_t group_access(struct warp *warp, const struct op *op, const struct group_operand *operand,
                      const struct race_operation *race, uint64_t digest);
/* Reads the operand without checks. Returns the origin of unwritten bytes, or 0, and marks the
 * lines that have some. */
uint32_t group_read(const struct group_operand *operand, const struct op *op,
                    struct matrix_lines *lines, uint32_t *undefined);

#endif
