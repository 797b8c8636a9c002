/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_TESTS_OPERANDS_H
#define SIMTCHECK_TESTS_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

uint64_t operands_hash(uint32_t tuple, uint32_t k);

/* The bits of operand k of a tuple, of that type of PTX; above them random ones. */
uint64_t operands_value(const char *type, uint32_t tuple, uint32_t k);

/* Is that result of an approximate instruction, of that first operand, as near another as the PTX
 * ISA allows both to be to the exact one? */
bool operands_near(const char *opcode, const char *type, uint64_t operand, uint64_t mine,
                   uint64_t theirs);

#endif
