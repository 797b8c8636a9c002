/* SPDX-License-Identifier: MIT
 *
 * Prints decoded PTX as text, for test_decode.c.
 */
#ifndef SIMTCHECK_TESTS_DECODE_DESCRIBE_H
#define SIMTCHECK_TESTS_DECODE_DESCRIBE_H

#include "decode.h"

#include <stdio.h>

/* Writes a line for each variable. Each function has a line with its properties, and a line for
 * each op:
 *
 *     x: const, 8 bytes = 01 00 @0 y+4
 *     k: 3 registers; special 0; shared s 0+4; parameters 0+8; local 0+16
 *     2 load if, global, 4x4 at +16, a.cu:10 in b.cu:20
 *
 * Special registers are values of enum special. Ranges are OFFSET+BYTES. Branch targets are op
 * numbers. */
void describe(FILE *to, const struct module_code *code);

#endif
