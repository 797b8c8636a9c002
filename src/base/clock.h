/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_BASE_CLOCK_H
#define SIMTCHECK_BASE_CLOCK_H

#include <time.h>

/* Returns the seconds of a monotonic clock. */
static inline double clock_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
