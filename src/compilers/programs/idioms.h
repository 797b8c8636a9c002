/* SPDX-License-Identifier: MIT
 *
 * Programs written by hand, as program_read() takes them: nested minima and maxima against an
 * operand, negation and absolute value, clamps, logic of three operands, bytes and halves of words,
 * products and quotients, carries, selections, loops, exchanges, floats.
 */
#ifndef SIMTCHECK_COMPILERS_IDIOMS_H
#define SIMTCHECK_COMPILERS_IDIOMS_H

#include <stddef.h>

/* Ended by null. */
extern const char *const idioms[];

/* The same for operations that have no PTX: one for each row of cuda_operations.h, and some that
 * combine them. */
extern const char *const idioms_cuda[];

#endif
