/* SPDX-License-Identifier: MIT */
#include "error_report.h"

#include "printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char reported[16384];
static size_t reported_size;
static const char *from;

void error_report_from(const char *place)
{
    from = place;
}

void error_keep(const char *text)
{
    const size_t length = strlen(text), room = sizeof reported - reported_size;

    if (length + 1 < room) { /* The list needs a null more at its end. */
        memcpy(reported + reported_size, text, length);
        reported_size += length + 1;
    }
}

bool error_report(const char *format, ...)
{
    char *text = NULL;
    va_list values;
    int length;

    fflush(stdout); /* The message follows earlier output if both go to one file. */
    flockfile(stderr);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(values, format);
    length = vasprintf(&text, format, values);
    va_end(values);
    if (length >= 0 && from != NULL) {
        char *bare = text;
        length = asprintf(&text, "%s: %s", from, bare);
        free(bare);
    }
    fflush(stderr);
    if (length >= 0) {
        printable_write(STDERR_FILENO, text, (size_t)length);
        error_keep(text);
        free(text);
    }
    fputc('\n', stderr);
    funlockfile(stderr);
    return false;
}

const char *error_reported(void)
{
    return reported;
}

bool error_write(char *error, size_t size, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(error, size, format, values);
    va_end(values);
    return false;
}
