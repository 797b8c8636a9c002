/* SPDX-License-Identifier: MIT
 *
 * Files that are whole at each moment.
 */
#ifndef SIMTCHECK_BASE_ATOMIC_FILE_H
#define SIMTCHECK_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes something to a stream. Returns false with errno set on error. */
typedef bool file_writer(const void *what, FILE *stream);

/* Writes a file once. An earlier version of the file stays whole until the new one is. Something
 * that is not a regular file, such as a pipe, is written in place. Returns false after an error
 * message. */
bool file_write(file_writer *write, const void *what, const char *path);

/* The two ways to write a file. Both return false with errno set on error. file_replace() follows
 * links, and no interrupt leaves a file that is not whole. file_write_in_place() does not wait for
 * a pipe that nobody reads: that is an error. */
bool file_replace(file_writer *write, const void *what, const char *path);
bool file_write_in_place(file_writer *write, const void *what, const char *path);

/* Is the path not a regular file, or the same file as standard output or error? */
bool file_stays_in_place(const char *path);

/* Returns false with errno set if the existing file cannot be written. */
bool file_can_be_written(const char *path);

/* Prints that the file cannot be written, by errno, and what to do about it. Returns false. */
bool file_complain(const char *path);

#endif
