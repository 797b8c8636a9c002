/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SUITE_COUNTERS_H
#define SIMTCHECK_SUITE_COUNTERS_H

#include "options.h"

/* `counters`: runs one case on the host engine under lockstep and shows what a profiler would
 * count. Returns the exit status. */
int counters_command(const struct options *options, const struct catalogue *catalogue);

#endif
