/* SPDX-License-Identifier: MIT
 *
 * Where a snapshot was taken: GPU, driver, runtime, toolkit, compiler, flags, machine.
 */
#ifndef SIMTCHECK_COMMANDS_ENVIRONMENT_H
#define SIMTCHECK_COMMANDS_ENVIRONMENT_H

#include "json_model.h"
#include "options.h"
#include "record_snapshot.h"

/* What cannot be read is null, and `reasons` says why. Opens the engines that the options name for
 * their descriptions, or all engines if they name none. has[ENGINE] says whether it can be used.
 * Texts and lists are the memory's. */
struct environment_record environment_read(const struct options *options, bool has[ENGINES],
                                           struct memory *memory);

#endif
