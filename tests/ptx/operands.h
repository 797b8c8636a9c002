/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_TESTS_OPERANDS_H
#define SIMTCHECK_TESTS_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

uint64_t operands_hash(uint32_t tuple, uint32_t k);

/* Returns the bits of operand k of a tuple, in that PTX type. The bits above it are random. */
uint64_t operands_value(const char *type, uint32_t tuple, uint32_t k);

/* Compares two results of an approximate instruction with that first operand. Returns true if their
 * difference is within the error that the PTX ISA allows to both. */
bool operands_near(const char *opcode, const char *type, uint64_t operand, uint64_t mine,
                   uint64_t theirs);

#endif
