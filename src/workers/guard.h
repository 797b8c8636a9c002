/* SPDX-License-Identifier: MIT
 *
 * Calls of code that may crash or never end, such as an oracle of the user.
 */
#ifndef SIMTCHECK_WORKERS_GUARD_H
#define SIMTCHECK_WORKERS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Announces a call of the user's code to the supervisor, which then knows what is at fault if the
 * process ends. `what` names the code in one line; "" says that the call has ended. Without
 * guard_announce_to() it does nothing. */
void guard_announce(const char *what);
void guard_announce_to(FILE *answers);

/* Announces `what`, and calls `call`. Returns false with the reason, such as "crashes (Segmentation
 * fault)", when it crashes or uses more processor time than `seconds`. The process must end soon
 * after that, because the call may have left a lock behind. */
bool guard_call(const char *what, double seconds, void (*call)(void *context), void *context,
                char *reason, size_t size);

#endif
