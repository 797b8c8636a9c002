/* SPDX-License-Identifier: MIT
 *
 * Runs a program of the user in place of this one.
 */
#ifndef SIMTCHECK_BASE_FOREGROUND_H
#define SIMTCHECK_BASE_FOREGROUND_H

#include <sys/types.h>

/* Runs arguments[0], found on the PATH, with those arguments; null ends them. The program has this
 * process's standard streams and environment. SIGTERM and SIGHUP are passed on to it; SIGINT and
 * SIGQUIT of the terminal are left to it.
 *
 * Returns its exit status, 128 plus the signal's number if a signal ended it, or 127 after an error
 * message if it could not be started. `process`, if it is not null, receives its process ID. */
int foreground_run(char *const arguments[], pid_t *process);

#endif
