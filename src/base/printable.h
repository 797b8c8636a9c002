/* SPDX-License-Identifier: MIT
 *
 * Output without control characters. File names, source lines and messages of compilers may contain
 * sequences that change a terminal.
 */
#ifndef SIMTCHECK_BASE_PRINTABLE_H
#define SIMTCHECK_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the text to a file descriptor. Control characters other than line ends and tabs become
 * text, such as "\x1b". Returns false with errno set on error. */
bool printable_write(int descriptor, const char *text, size_t length);

/* Makes standard output write in that way. */
void printable_output(void);

/* Writes a sequence for a terminal as it is, also to standard output. */
void printable_sequence(FILE *to, const char *sequence);

/* Returns the number of columns of the terminal that a file is, or 0 for another file. */
unsigned int printable_columns(FILE *to);

#endif
