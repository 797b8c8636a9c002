/* SPDX-License-Identifier: MIT
 *
 * `simtcheck races`: does a kernel race, where, and can the order of a race change its result?
 */
#ifndef SIMTCHECK_SUITE_RACES_H
#define SIMTCHECK_SUITE_RACES_H

#include "options.h"

/* Returns the exit status: 1 when a verdict is not the one that the kernel's descriptor claims. */
int races_command(const struct options *options, const struct catalogue *catalogue);

#endif
