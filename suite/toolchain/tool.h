/* SPDX-License-Identifier: MIT
 *
 * Programs of toolkits: run, and what they say.
 */
#ifndef SIMTCHECK_TOOLCHAIN_TOOL_H
#define SIMTCHECK_TOOLCHAIN_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Runs arguments[0], found on the PATH, with those arguments, the last of which is followed by
 * null. `said` gets the beginning of what it writes, standard output and error together. Returns
 * its exit status; 128 and a signal's number when it was killed, 127 when it could not be started.
 */
int tool_run(const char *const *arguments, char *said, size_t size);

#endif
