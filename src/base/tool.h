/* SPDX-License-Identifier: MIT
 *
 * Programs of toolkits: run, what they say, and the folders that they leave things in.
 */
#ifndef SIMTCHECK_COMPILERS_TOOL_H
#define SIMTCHECK_COMPILERS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Runs arguments[0], found on the PATH, with those arguments, the last of which is followed by
 * null. `said` gets the beginning of what it writes, standard output and error together. Returns
 * its exit status; 128 and a signal's number when it was killed, 127 when it could not be started.
 * Its temporary files go into a folder of their own, as TMPDIR tells it, which is removed: nvcc
 * leaves them behind when it is killed. */
int tool_run(const char *const *arguments, char *said, size_t size);

enum { TOOL_FOLDER = 256 };

/* Makes a folder "simtcheck-NAME-" and six letters for temporary files, in that which TMPDIR names,
 * or in /tmp. False with errno set when it cannot be made. */
bool tool_make_folder(const char *name, char folder[TOOL_FOLDER]);

/* Removes a folder with all that stands in it; links are not followed. "" is none. False with errno
 * set when something has to stay. */
bool tool_remove_folder(const char *folder);

#endif
