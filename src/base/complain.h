/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_COMMANDS_COMPLAIN_H
#define SIMTCHECK_COMMANDS_COMPLAIN_H

#include <stdbool.h>

/* Says on standard error, behind the program's name, in one line what is wrong. Returns false. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
