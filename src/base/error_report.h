/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_BASE_ERROR_REPORT_H
#define SIMTCHECK_BASE_ERROR_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Prints one line on standard error: the program's name and the message. Returns false. */
bool error_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds a message that is printed elsewhere to those that error_reported() returns. */
void error_keep(const char *text);

/* Sets what the messages begin with, such as "my.launches:3", until the next call. The text must
 * stay valid. Null: nothing. */
void error_report_from(const char *place);

/* Returns the messages so far, each with a null character after it. An empty one ends the list.
 * Messages after the first 16 KiB are left out. */
const char *error_reported(void);

/* Writes the message to `error`, for the caller to report. Returns false. */
bool error_write(char *error, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
