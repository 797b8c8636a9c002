/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_COMMANDS_INTERRUPT_H
#define SIMTCHECK_COMMANDS_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* From now on an interrupt, or the end of the terminal or of the processor time that a limit
 * allows, stops what runs, in order. What the program was started to ignore stays ignored. */
void interrupt_catch(void);

/* Has there been one? */
bool interrupt_came(void);

/* Between these, one is not heard by this thread; it comes behind them. For what would be left
 * behind half done, where nothing is caught. */
void interrupt_hold(sigset_t *before);
void interrupt_release(const sigset_t *before);

#endif
