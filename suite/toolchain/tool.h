/* SPDX-License-Identifier: MIT
 *
 * Programs of toolkits: run, what they say, and the folders that they leave things in.
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

/* Removes a folder with all that stands in it; links are not followed. "" is none. False with errno
 * set when something has to stay. */
bool tool_remove_folder(const char *folder);

#endif
