/* SPDX-License-Identifier: MIT */
#include "error_report.h"

#include "printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool error_report(const char *format, ...)
{
    va_list values;
    char *text = NULL;
    int length;

    fflush(stdout); /* The message follows earlier output if both go to one file. */
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(values, format);
    length = vasprintf(&text, format, values);
    va_end(values);
    fflush(stderr);
    if (length >= 0) {
        printable_write(STDERR_FILENO, text, (size_t)length);
        free(text);
    }
    fputc('\n', stderr);
    return false;
}

bool error_write(char *error, size_t size, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(error, size, format, values);
    va_end(values);
    return false;
}
