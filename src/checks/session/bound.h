/* SPDX-License-Identifier: MIT
 *
 * The time limit of --minutes. After it no new case starts. The rest is left out and reported.
 */
#ifndef SIMTCHECK_CHECKS_BOUND_H
#define SIMTCHECK_CHECKS_BOUND_H

#include "json_model.h"

#include <stdint.h>

/* A launch without --minutes has this limit. A check that it ends has not done its work. */
enum { USUAL_MINUTES = 10 };

/* A zeroed one has no limit. */
struct bound {
    double minutes;       /* of --minutes; 0: not given */
    double end;           /* by bound_seconds(); 0: no limit */
    uint64_t launches;    /* launches that still share the time, this one included */
    bool has_looked;      /* a case of the launch ran a kernel */
    struct list left_out; /* texts: what the launch left out */
    struct memory memory; /* of the texts */
    bool is_bounded;      /* the last launch that ended left something out */
};

/* Returns the seconds of a monotonic clock. It is alone in its file, so that a test program can
 * have its own. */
double bound_seconds(void);

/* Starts the time. */
struct bound bound_start(double minutes);

/* Starts the usual time of a launch, unless --minutes is given. bound_end() ends it. */
void bound_start_launch(struct bound *bound);

/* Returns whether the time is over, so that no new case may start. */
bool bound_is_over(const struct bound *bound);

/* Moves the end, so that one of `parts` parts of the work gets its share of the time that is left.
 * Returns the former end, for bound_restore(). */
double bound_share(struct bound *bound, uint64_t parts);
void bound_restore(struct bound *bound, double end);

/* A check of a launch, for bound_take(). */
struct bound_check {
    const char *compiler; /* null: none */
    const char *kernel, *check;
};

/* Takes how many cases a check of the launch tried, and how many it left out for lack of time. The
 * check also sets `has_looked`. */
void bound_take(struct bound *bound, const struct bound_check *check, uint64_t tried,
                uint64_t left_out);

/* Takes that a check left out something else, such as "everything". */
void bound_take_rest(struct bound *bound, const struct bound_check *check, const char *what);

/* Ends a launch: prints what was left out. Returns the exit status. It is EXIT_UNAVAILABLE if
 * no case ran a kernel, because nothing looked at is no pass. */
int bound_end(struct bound *bound, int status);

#endif
