/* SPDX-License-Identifier: MIT */
#include "error_report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

bool error_report(const char *format, ...)
{
    va_list values;

    fflush(stdout); /* The message follows earlier output if both go to one file. */
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
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
