/* SPDX-License-Identifier: MIT
 *
 * The signals that end a job: its deadline, and a stack overrun without an access on the way.
 */
#ifndef SIMTCHECK_HOST_DEADLINE_H
#define SIMTCHECK_HOST_DEADLINE_H

#include <stdbool.h>

/* Sets up the handlers; false with errno set when it cannot. */
bool deadline_open(void);

/* A job starts that may take so many seconds; 0: no job. */
void deadline_set(double seconds);

#endif
