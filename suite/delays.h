/* SPDX-License-Identifier: MIT
 *
 * `simtcheck delays`: do random delays before the accesses of a kernel on a GPU change its result?
 */
#ifndef SIMTCHECK_SUITE_DELAYS_H
#define SIMTCHECK_SUITE_DELAYS_H

#include "options.h"

/* Returns the exit status: 1 when a kernel with a claimed race hides it in more than a tenth of the
 * runs, or another one is wrong in any. */
int delays_command(const struct options *options, const struct catalogue *catalogue);

#endif
