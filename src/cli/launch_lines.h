/* SPDX-License-Identifier: MIT
 *
 * The launches of a file (launch_file.h), each as a command line of its own.
 */
#ifndef SIMTCHECK_CLI_LAUNCH_LINES_H
#define SIMTCHECK_CLI_LAUNCH_LINES_H

#include "command_line.h"
#include "launch_file.h"
#include "user_code.h"

struct launch_lines {
    struct launch_file file;
    /* Each line of the file. Its words are those before the files, the files and the launch. */
    struct line_check {
        struct command_line line;
        struct launch_text launch;
        bool is_read;              /* false after an error message */
        bool is_apart[FRONT_ENDS]; /* of the first line of those that are compiled together */
    } * all;
    struct memory memory;
};

/* Runs the command for each line of the file that the last word of the command line names. The
 * files are the words from `first` on, or those that a line names. `selection` is REQUEST_PART() of
 * the command's selection. Returns the worst exit status. */
int launch_lines_run(const struct command_line *whole, size_t first, size_t selection,
                     const struct session *session);

#endif
