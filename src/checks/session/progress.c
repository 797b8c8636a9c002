/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include "clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the seconds between two texts that change with each case; 0: there are none. */
static double interval(void)
{
    enum { TIMES_A_SECOND = 10, USUAL_SECONDS = 30 };
    const char *seconds = getenv("SIMTCHECK_PROGRESS");

    return isatty(STDERR_FILENO) ? 1.0 / TIMES_A_SECOND
           : seconds != NULL     ? atof(seconds)
                                 : USUAL_SECONDS;
}

void progress_say(struct progress *progress, const char *format, ...)
{
    bool is_terminal = isatty(STDERR_FILENO);
    double now = clock_seconds();
    va_list values;

    if (!is_terminal && !progress_is_due(progress))
        return;
    fflush(stdout); /* may be the same terminal */
    progress->shown = now;
    progress->is_visible = is_terminal;
    fputs(is_terminal ? "\r\033[K" : "simtcheck: ", stderr);
    if (progress->launches > 1)
        fprintf(stderr, "launch %" PRIu64 " of %" PRIu64 ", ", progress->launch,
                progress->launches);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, ", %.0f s%s", now - progress->start, is_terminal ? "" : "\n");
    fflush(stderr);
}

bool progress_is_due(const struct progress *progress)
{
    double last = progress->shown > progress->start ? progress->shown : progress->start;

    return interval() > 0 && clock_seconds() - last >= interval();
}

void progress_end(struct progress *progress)
{
    if (!progress->is_visible)
        return;
    fputs("\r\033[K", stderr);
    progress->is_visible = false;
    progress->shown = 0; /* the next text is shown at once */
}
