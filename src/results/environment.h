/* SPDX-License-Identifier: MIT
 *
 * Where a snapshot was taken: GPU, driver, runtime, toolkit, compiler, flags, machine.
 */
#ifndef SIMTCHECK_COMMANDS_ENVIRONMENT_H
#define SIMTCHECK_COMMANDS_ENVIRONMENT_H

#include "build.h"
#include "session.h"

/* The environment as an object, the caller's. What cannot be read is null, and "reasons" says why
 * by its name. "readings" is what differs from one moment to the next. The engines of the list are
 * opened for their descriptions, or all if it is empty; has[] becomes true for
 * those that are here. */
json_t *environment_read(const struct session *session, const struct engine_list *engines,
                         const struct compiler_paths *compilers, bool has[ENGINES]);

#endif
