/* SPDX-License-Identifier: MIT
 *
 * Hand-written programs in the syntax of program_read(). They cover nested minima and maxima
 * against an operand, negation, absolute value and clamps. They cover logic of three operands,
 * bytes and halves of words, products, quotients and carries. They also cover selections, loops,
 * exchanges and floats.
 */
#ifndef SIMTCHECK_COMPILERS_IDIOMS_H
#define SIMTCHECK_COMPILERS_IDIOMS_H

#include <stddef.h>

/* Ends with null. */
extern const char *const idioms[];

/* Programs for operations without PTX: one for each row of cuda_operations.h, and some that combine
 * them. */
extern const char *const idioms_cuda[];

#endif
