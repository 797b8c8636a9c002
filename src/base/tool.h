/* SPDX-License-Identifier: MIT
 *
 * Runs programs of toolkits, captures their output, and manages the folders of their files.
 */
#ifndef SIMTCHECK_COMPILERS_TOOL_H
#define SIMTCHECK_COMPILERS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

/* Runs arguments[0], found on the PATH, with those arguments; null ends them. `said` gets the
 * beginning of its standard output and error together. Returns its exit status; 128 plus the signal
 * number when it was killed; 127 when it could not be started. Its temporary files go to a folder
 * of their own (TMPDIR), which is removed: nvcc leaves files when it is killed. */
int tool_run(const char *const *arguments, char *said, size_t size);

enum { TOOL_FOLDER = 256 };

/* Makes a folder "simtcheck-NAME-" and six letters for temporary files, in the folder TMPDIR or in
 * /tmp. Returns false with errno set on error. */
bool tool_make_folder(const char *name, char folder[TOOL_FOLDER]);

/* Removes a folder and its contents, without following links. "" names no folder. Returns false
 * with errno set when something cannot be removed. */
bool tool_remove_folder(const char *folder);

#endif
