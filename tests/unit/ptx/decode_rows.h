/* SPDX-License-Identifier: MIT
 *
 * An instruction for each row of a table of forms, for test_decode.c.
 */
#ifndef SIMTCHECK_TESTS_TRANSLATE_ROWS_H
#define SIMTCHECK_TESTS_TRANSLATE_ROWS_H

#include "forms.h"

#include <stdio.h>

/* Writes some `few` spellings of each row, as far as it has them, with operands: %p1, %h1, %r1,
 * %rd1, %f1, %d1 and %q1, %p2, %r2 and %rd2 likewise, the label L, the table T of branches, and the
 * function g. Returns how many. */
size_t write_spellings(FILE *to, const struct form *table, size_t few);

#endif
