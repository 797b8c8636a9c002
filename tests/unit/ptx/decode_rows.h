/* SPDX-License-Identifier: MIT
 *
 * Writes an instruction for each row of a table of forms, for test_decode.c.
 */
#ifndef SIMTCHECK_TESTS_TRANSLATE_ROWS_H
#define SIMTCHECK_TESTS_TRANSLATE_ROWS_H

#include "forms.h"

#include <stdio.h>

/* Writes up to `few` spellings of each row, with operands. They use the registers %p1, %h1, %r1,
 * %rd1, %f1, %d1, %q1, %p2, %r2 and %rd2. They also use the label L, the branch table T, and the
 * function g. Returns how many spellings it has written. */
size_t write_spellings(FILE *to, const struct form *table, size_t few);

#endif
