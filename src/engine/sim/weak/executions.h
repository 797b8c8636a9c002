/* SPDX-License-Identifier: MIT
 *
 * All executions of a small kernel under weak memory, one after the other. An execution is a
 * sequence of choices: which thread goes on, which write a read takes, and where a write goes. Its
 * number has these choices as digits, the first one lowest. The base of a digit is the number of
 * possibilities.
 */
#ifndef SIMTCHECK_SIM_EXECUTIONS_H
#define SIMTCHECK_SIM_EXECUTIONS_H

#include <stdint.h>

void executions_start(uint64_t number);
/* Returns the next choice, below `count`. */
uint32_t executions_choose(uint32_t count);
/* Returns the number of the execution after this one, as in struct engine_outcome. */
uint64_t executions_next(void);

#endif
