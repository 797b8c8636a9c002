/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include "clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void show(struct progress *progress, double now, const char *format, va_list values)
{
    progress->shown = now;
    progress->is_visible = true;
    fputs("\r\033[K", stderr);
    if (progress->launches > 1)
        fprintf(stderr, "launch %" PRIu64 " of %" PRIu64 ", ", progress->launch,
                progress->launches);
    vfprintf(stderr, format, values);
    fprintf(stderr, ", %.0f s", now - progress->start);
    fflush(stderr);
}

void progress_say(struct progress *progress, const char *format, ...)
{
    va_list values;

    if (!isatty(STDERR_FILENO))
        return;
    fflush(stdout); /* may be the same terminal */
    va_start(values, format);
    show(progress, clock_seconds(), format, values);
    va_end(values);
}

void progress_show(struct progress *progress, const char *format, ...)
{
    enum { TIMES_A_SECOND = 10 };
    double now = clock_seconds();
    va_list values;

    if (now - progress->shown < 1.0 / TIMES_A_SECOND || !isatty(STDERR_FILENO))
        return;
    va_start(values, format);
    show(progress, now, format, values);
    va_end(values);
}

void progress_end(struct progress *progress)
{
    if (progress->is_visible)
        fputs("\r\033[K", stderr);
    progress->is_visible = false;
    progress->shown = 0; /* the next text is shown at once */
}
