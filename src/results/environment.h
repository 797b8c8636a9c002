/* SPDX-License-Identifier: MIT
 *
 * Where a snapshot was taken: GPU, driver, runtime, toolkit, compiler, flags, machine.
 */
#ifndef SIMTCHECK_RESULTS_ENVIRONMENT_H
#define SIMTCHECK_RESULTS_ENVIRONMENT_H

#include "build.h"
#include "json_model.h"
#include "record_snapshot.h"
#include "session.h"

/* Reads the environment. Unknown facts are null, and `reasons` says why. Opens the engines of the
 * list for their descriptions, or all engines if the list is empty. Sets has[ENGINE] to whether it
 * is available. Texts and lists belong to the memory. */
struct environment_record environment_read(const struct session *session,
                                           const struct engine_list *engines,
                                           const struct compiler_paths *compilers,
                                           bool has[NAMED_ENGINES], struct memory *memory);

/* Writes the current time in UTC, such as "2026-01-31T12:00:00Z". */
enum { TIME_TEXT = 32 };
void environment_time(char text[TIME_TEXT]);

#endif
