/* SPDX-License-Identifier: MIT
 *
 * The parts of a litmus test's text. Each function returns false after a mistake, which the reader
 * keeps.
 */
#ifndef SIMTCHECK_LITMUS_READ_PARTS_H
#define SIMTCHECK_LITMUS_READ_PARTS_H

#include "litmus.h"
#include "reader.h"

/* Reads one cell of the table of instructions: labels and at most one instruction. A label is
 * written to `label`, which is empty otherwise. `is_there` is false for a cell without an
 * instruction. */
bool litmus_read_instruction(struct reader *in, struct litmus_test *test,
                             struct litmus_instruction *instruction, char label[LITMUS_LABEL],
                             bool *is_there);

/* Reads `exists`, `~exists` or `forall`, and the condition after it. */
bool litmus_read_condition(struct reader *in, struct litmus_test *test);

/* Reads an integer, or a register as `r0`. */
bool litmus_read_number(struct reader *in, int *number);
bool litmus_read_register(struct reader *in, int *number);

/* Reads the name of a variable. As in herd, one that was not declared is global and begins with 0.
 */
bool litmus_read_variable(struct reader *in, struct litmus_test *test, int *variable);

#endif
