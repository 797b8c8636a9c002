/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include "clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress_say(struct progress *progress, const char *format, ...)
{
    double now = clock_seconds();
    va_list values;

    if (!isatty(STDERR_FILENO))
        return;
    fflush(stdout); /* may be the same terminal */
    progress->shown = now;
    progress->is_visible = true;
    fputs("\r\033[K", stderr);
    if (progress->launches > 1)
        fprintf(stderr, "launch %" PRIu64 " of %" PRIu64 ", ", progress->launch,
                progress->launches);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, ", %.0f s", now - progress->start);
    fflush(stderr);
}

bool progress_is_due(const struct progress *progress)
{
    enum { TIMES_A_SECOND = 10 };

    return isatty(STDERR_FILENO) && clock_seconds() - progress->shown >= 1.0 / TIMES_A_SECOND;
}

void progress_end(struct progress *progress)
{
    if (progress->is_visible)
        fputs("\r\033[K", stderr);
    progress->is_visible = false;
    progress->shown = 0; /* the next text is shown at once */
}
