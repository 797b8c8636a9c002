/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_BASE_ERROR_REPORT_H
#define SIMTCHECK_BASE_ERROR_REPORT_H

#include <stdbool.h>

/* Says on standard error, behind the program's name, in one line what is wrong. Returns false. */
bool error_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
