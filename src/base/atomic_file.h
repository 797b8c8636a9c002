/* SPDX-License-Identifier: MIT
 *
 * Files that are complete at each moment.
 */
#ifndef SIMTCHECK_BASE_ATOMIC_FILE_H
#define SIMTCHECK_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes something to a stream. Returns false with errno set on error. */
typedef bool file_writer(const void *what, FILE *stream);

/* Writes a file once. An earlier version stays complete until the new one is. A path that is not a
 * regular file, such as a pipe, is written in place. Returns false after an error message. */
bool file_write(file_writer *write, const void *what, const char *path);

/* The two ways to write a file. Both return false with errno set on error.
 * - file_replace() follows links, and an interrupt leaves no incomplete file.
 * - file_write_in_place() fails on a pipe that nobody reads. */
bool file_replace(file_writer *write, const void *what, const char *path);
bool file_write_in_place(file_writer *write, const void *what, const char *path);

/* Returns true if the path is not a regular file, or is the same file as standard output or
 * error. */
bool file_stays_in_place(const char *path);

/* Returns false with errno set if the existing file cannot be written. */
bool file_can_be_written(const char *path);

/* Prints that the file cannot be written, why (errno), and what to do. Returns false. */
bool file_report_error(const char *path);

#endif
