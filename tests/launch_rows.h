/* SPDX-License-Identifier: MIT
 *
 * Launches of one file that several tests check by one run of `check`, so that they are compiled
 * together and once. A file of tests has an array of rows for each test, and at its end a set:
 *
 *     static struct launch_set set;
 *     static const struct launch_row right[] = {{0, "conforms", "k<<<1, 1>>>()", "--size 1"}};
 *     TEST(right_kernels_conform) { expect_rows(&set, right); }
 *     static struct launch_set set = {.file = "k.cu", .options = "", .groups = {ROWS(right)}};
 */
#ifndef SIMTCHECK_TESTS_LAUNCH_ROWS_H
#define SIMTCHECK_TESTS_LAUNCH_ROWS_H

#include "check.h"

/* A launch, what its check must end with, and options of its own (or null). `status` is 0 or 1, and
 * `says` is as for expect_run(). */
struct launch_row {
    int status;
    const char *says, *launch, *options;
};

enum { MAX_LAUNCH_GROUPS = 8 };

struct launch_set {
    const char *file, *options; /* the file, and the words that follow it in the command */
    struct launch_group {
        const struct launch_row *rows;
        size_t count;
    } groups[MAX_LAUNCH_GROUPS];
    struct ended ended; /* the run: its output is null before it */
    json_t *report;
    char path[48]; /* of the file of launches */
};

/* Such a group as an argument. */
#define GROUP(rows) ((struct launch_group)ROWS(rows))
#define ROWS(rows)                                                                                 \
    {                                                                                              \
        rows, sizeof(rows) / sizeof *(rows)                                                        \
    }

/* Runs the check of all groups, unless it has run. Then looks at the group that has these rows. A
 * part of the tests runs the groups one by one.
 * Fails the test unless each launch ends with its status and its part of the output has its texts.
 */
void expect_rows(struct launch_set *set, const struct launch_row rows[]);

/* Does the same for the launches of one test. */
void expect_launches(const char *file, const char *options, struct launch_group group);

#endif
