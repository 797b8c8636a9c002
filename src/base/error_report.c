/* SPDX-License-Identifier: MIT */
#include "error_report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

bool error_report(const char *format, ...)
{
    va_list values;

    fflush(stdout); /* what is told comes behind what was printed, if both go to one file */
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    return false;
}
