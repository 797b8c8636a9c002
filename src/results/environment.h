/* SPDX-License-Identifier: MIT
 *
 * Where a snapshot was taken: GPU, driver, runtime, toolkit, compiler, flags, machine.
 */
#ifndef SIMTCHECK_COMMANDS_ENVIRONMENT_H
#define SIMTCHECK_COMMANDS_ENVIRONMENT_H

#include "options.h"

/* The environment as an object, the caller's. What cannot be read is null, and "reasons" says why
 * by its name. "readings" is what differs from one moment to the next. The engines that the options
 * name are opened for their descriptions, or where they name none, all; has[] becomes true for
 * those that are here. */
json_t *environment_read(const struct options *options, bool has[ENGINES]);

#endif
