/* SPDX-License-Identifier: MIT
 *
 * Replays the launches of a capture on the simulator, with all checks of a launch.
 */
#ifndef SIMTCHECK_CHECKS_CHECK_CAPTURE_H
#define SIMTCHECK_CHECKS_CHECK_CAPTURE_H

#include "check_request.h"

/* Replays the selected launches of the folder. What a launch leaves in memory must equal what the
 * GPU left there. If the kernel adds floats atomically, they may differ by `ulps` of the request,
 * or by CAPTURE_ULPS. Returns the worst exit status. */
enum { CAPTURE_ULPS = 1024 };
int check_capture(const struct check_request *request, const struct session *session);

#endif
