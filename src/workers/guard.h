/* SPDX-License-Identifier: MIT
 *
 * Calls of code that may crash or never end, such as an oracle of the user.
 */
#ifndef SIMTCHECK_WORKERS_GUARD_H
#define SIMTCHECK_WORKERS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Calls `call`. Returns false with the reason, such as "crashes (Segmentation fault)", when it
 * crashes or uses more processor time than `seconds`. The process must end soon after that, because
 * the call may have left a lock behind. */
bool guard_call(double seconds, void (*call)(void *context), void *context, char *reason,
                size_t size);

#endif
