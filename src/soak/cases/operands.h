/* SPDX-License-Identifier: MIT
 *
 * Operands of arithmetic instructions. They follow TestFloat: first every pair of special values,
 * then half special and half random ones.
 */
#ifndef SIMTCHECK_SOAK_OPERANDS_H
#define SIMTCHECK_SOAK_OPERANDS_H

#include "instruction_case.h"

/* Four operands, and the condition code in bit 0 of the last word. */
enum { OPERANDS_WORDS = 5 };

/* Makes `count` tuples of OPERANDS_WORDS words, from that number on. Bits above an operand's type
 * are random. */
void operands_tuples(const struct instruction_case *instruction, uint32_t first, uint32_t count,
                     uint64_t *tuples);

/* Returns whether the PTX ISA allows the instruction an error. */
bool operands_approximate(const char *opcode);

/* Compares two results of an approximate instruction with that first operand. Returns true if their
 * difference is within the error that the PTX ISA allows to both. */
bool operands_near(const char *opcode, const char *type, uint64_t operand, uint64_t mine,
                   uint64_t theirs);

#endif
