/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_COMMANDS_LAUNCH_BIND_H
#define SIMTCHECK_COMMANDS_LAUNCH_BIND_H

#include "entry.h"
#include "launch_text.h"

/* Reads a launch as the user writes it. False after saying on standard error what is wrong, and in
 * which column. */
bool launch_read(const char *text, struct launch_text *launch);

/* Are there as many arguments as the kernel in the PTX has parameters, and arrays where there are
 * pointers? A scalar gets its parameter's type. `name` is that of entry_read(). False after one
 * sentence on standard error. */
bool launch_bind(struct launch_text *launch, const char *ptx, const char *name,
                 struct entry *entry);

#endif
