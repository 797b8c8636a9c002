/* SPDX-License-Identifier: MIT
 *
 * A line on a terminal that shows what the program does now. Other outputs get one every 30
 * seconds, or as often as the variable SIMTCHECK_PROGRESS says.
 */
#ifndef SIMTCHECK_CHECKS_PROGRESS_H
#define SIMTCHECK_CHECKS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed one is of work without launches. */
struct progress {
    uint64_t launch, launches; /* the current one, from 1; how many there are */
    double start, shown;       /* of the command; when the line was shown last */
    bool is_visible;
};

/* Shows the text, with the launch before it and the seconds since the start after it. */
void progress_say(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns whether a text is due, on a terminal ten times a second at most, for what changes with
 * each case. */
bool progress_is_due(const struct progress *progress);

/* Removes the line. Call it before anything else is printed. */
void progress_end(struct progress *progress);

#endif
