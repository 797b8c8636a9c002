/* SPDX-License-Identifier: MIT
 *
 * Random and special operands of matrix instructions.
 */
#ifndef SIMTCHECK_SOAK_MATRIX_OPERANDS_H
#define SIMTCHECK_SOAK_MATRIX_OPERANDS_H

#include "matrix.h"

/* Returns a number that looks random. */
uint64_t operand_random(uint64_t x);
uint32_t operand_bits(enum matrix_type type);
/* Returns an element made of random bits. `kind` selects what floats are like, for example near
 * one, or large. Kinds repeat after nine. */
uint64_t operand_element(enum matrix_type type, uint32_t kind, uint64_t random);
/* Returns metadata of a sparse matrix: pairs of places in a group of four. With tf32 they are two
 * halves of one element. */
uint64_t operand_metadata(enum matrix_type type, uint64_t random);

#endif
