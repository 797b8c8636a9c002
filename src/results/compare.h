/* SPDX-License-Identifier: MIT
 *
 * What differs between two snapshots, environment first.
 */
#ifndef SIMTCHECK_RESULTS_COMPARE_H
#define SIMTCHECK_RESULTS_COMPARE_H

#include "session.h"

/* Compares two files that `snapshot` has written, saves and prints what differs. The exit status is
 * EXIT_DIFFERS if something has become worse, or is gone. */
int compare_snapshots(const char *old_path, const char *new_path, struct session *session);

#endif
