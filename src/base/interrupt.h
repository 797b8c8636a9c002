/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_BASE_INTERRUPT_H
#define SIMTCHECK_BASE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* From now on, an interrupt stops the run in order. So does the end of the terminal, or of the
 * processor time that a limit allows. Signals that were ignored at start-up stay ignored. */
void interrupt_catch(void);

/* Returns true if an interrupt has arrived. */
bool interrupt_came(void);

/* Between these calls this thread receives no interrupt; it receives a pending one after them. Use
 * them where an interrupt would leave incomplete work and no handler is installed. */
void interrupt_hold(sigset_t *before);
void interrupt_release(const sigset_t *before);

#endif
