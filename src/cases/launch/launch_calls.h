/* SPDX-License-Identifier: MIT
 *
 * Reads the call of a kernel: its name, its configuration and its arguments.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_CALLS_H
#define SIMTCHECK_CASES_LAUNCH_CALLS_H

#include "launch_reader.h"

/* Reads a call and adds it to the launch. Returns false on error. */
bool launch_calls_read(struct launch_reader *text);

/* What struct launch_reader says of read_object. */
bool launch_calls_read_object(struct launch_reader *text, struct launch_argument *argument);

/* Reads an argument and adds it to the arguments of the launch. Returns false on error. */
bool launch_calls_read_argument(struct launch_reader *text);

#endif
