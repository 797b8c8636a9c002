/* SPDX-License-Identifier: MIT
 *
 * The differences between two snapshots, environment first.
 */
#ifndef SIMTCHECK_RESULTS_COMPARE_H
#define SIMTCHECK_RESULTS_COMPARE_H

#include "session.h"

/* Compares two files that `snapshot` or `litmus` wrote, saves and prints the differences. Returns
 * EXIT_DIFFERS if anything became worse or is missing. */
int compare_snapshots(const char *old_path, const char *new_path, const struct session *session);

#endif
