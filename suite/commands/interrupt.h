/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_COMMANDS_INTERRUPT_H
#define SIMTCHECK_COMMANDS_INTERRUPT_H

#include <stdbool.h>

/* From now on an interrupt, or the end of the terminal or of the processor time that a limit
 * allows, stops what runs, in order. What the program was started to ignore stays ignored. */
void interrupt_catch(void);

/* Has there been one? */
bool interrupt_came(void);

#endif
