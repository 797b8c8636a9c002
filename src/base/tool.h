/* SPDX-License-Identifier: MIT
 *
 * Runs programs of toolkits, captures their output, and manages the folders of their files.
 */
#ifndef SIMTCHECK_BASE_TOOL_H
#define SIMTCHECK_BASE_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Runs arguments[0], found on the PATH, with those arguments; null ends them. `said` gets the
 * beginning of its standard output and error together. Returns its exit status, 128 plus the signal
 * number when it was killed, or 127 when it could not be started.
 *
 * - Its temporary files go to a folder of their own (TMPDIR), which is removed: nvcc leaves files
 *   when it is killed.
 * - Its messages are in English (LC_ALL), and it sees no variables of a git hook.
 * - Time and memory are limited. At the time limit, after an interrupt, and when this process dies,
 *   the tool and the processes of its group are killed. */
int tool_run(const char *const *arguments, char *said, size_t size);

/* As tool_run(), without limits of time and memory. */
int tool_run_unlimited(const char *const *arguments, char *said, size_t size);

/* Runs the program with --version, as tool_run() does. An answer is kept until the program's file
 * changes. Threads may call it at the same time. */
int tool_version(const char *program, char *said, size_t size);

/* Finds the program of that name or path as tool_run() does. Returns false if there is none. */
bool tool_find(const char *program, char path[PATH_MAX]);

/* Returns whether a tool's output says that it ran out of disk, memory or time, or was killed. Its
 * input is then not at fault. */
bool tool_lacks_room(const char *said);

enum { TOOL_FOLDER = 256 };

/* Makes a folder "simtcheck-NAME-" and six letters for temporary files, in the folder TMPDIR or in
 * /tmp. Returns false with errno set on error. */
bool tool_make_folder(const char *name, char folder[TOOL_FOLDER]);

/* Removes a folder and its contents, without following links. "" names no folder. Returns false
 * with errno set when something cannot be removed. */
bool tool_remove_folder(const char *folder);

#endif
