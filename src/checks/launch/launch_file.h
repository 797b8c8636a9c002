/* SPDX-License-Identifier: MIT
 *
 * A file of launches, FILE.launches, one on each line:
 *
 *     [FILE.cu:] [NAME =] kernel<<<grid, block>>>(arguments) [OPTION ...] [-- COMPILER FLAGS]
 *
 * A line that begins with '#' is a comment, and '\' at its end continues a line.
 */
#ifndef SIMTCHECK_CHECKS_LAUNCH_FILE_H
#define SIMTCHECK_CHECKS_LAUNCH_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct launch_line {
    int number;         /* of the line, from 1 on */
    const char *file;   /* FILE.cu, or null: any */
    const char *launch; /* without the options */
    char **options;     /* the words after the launch, split as a shell does */
    size_t option_count;
};

struct launch_file {
    char *text; /* holds the texts of the lines */
    struct launch_line *lines;
    size_t count;
};

/* Returns whether the word names such a file. */
bool is_launch_file(const char *word);

/* Reads the file. Returns false after an error message. Call launch_file_free() in either case. */
bool launch_file_read(const char *path, struct launch_file *file);
void launch_file_free(struct launch_file *file);

#endif
