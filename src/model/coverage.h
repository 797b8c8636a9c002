/* SPDX-License-Identifier: MIT
 *
 * What kernels consist of in their source, and what of it was executed.
 */
#ifndef SIMTCHECK_MODEL_COVERAGE_H
#define SIMTCHECK_MODEL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum point_kind {
    POINT_FUNCTION,
    POINT_LINE,
    POINT_BRANCH, /* one way that a conditional branch can go */
};

struct source_point {
    enum point_kind kind;
    bool reached;
    uint32_t line;
    /* POINT_BRANCH: the column of the condition; the line at which that way goes on; and where both
     * ways go on at one line, 1 for the second. */
    uint32_t column, to, way;
    const char *file;
    const char *name; /* POINT_FUNCTION; else "" */
};

/* Orders points by file, kind, line and the rest. 0: they are the same point. Functions are known
 * by their names: compilers do not agree where one begins. */
int point_compare(const struct source_point *one, const struct source_point *other);

/* A point as a text without line feeds, and back. A point that was read has its texts in `text`,
 * which changes. Returns false if no point was written so. */
void point_write(FILE *stream, const struct source_point *point);
bool point_read(char *text, struct source_point *point);

/* What a job executed of a kernel that it launched, and of all that this kernel may call. */
struct kernel_coverage {
    uint32_t kernel; /* its number in the code that is loaded */
    const struct source_point *points;
    const bool *reached; /* of each point */
    size_t count;
};

/* A set of points. A zeroed one is empty. */
struct coverage {
    struct source_point *points;
    size_t count, room;
    bool is_sorted;
};

/* Adds a copy of a point. A point that is added twice is reached if one of the two is. Returns
 * false when memory runs out. */
bool coverage_add(struct coverage *coverage, const struct source_point *point);
/* Adds all points of another set. */
bool coverage_merge(struct coverage *coverage, const struct coverage *other);
void coverage_free(struct coverage *coverage);

/* Sorts the points. The functions below work on a sorted set. */
void coverage_sort(struct coverage *coverage);

struct coverage_counts {
    uint64_t lines, lines_reached;
    uint64_t branches, branches_reached; /* ways of branches */
};

struct coverage_counts coverage_count(const struct coverage *coverage);

/* A line as "file.cu:31", a way of a branch as "file.cu:31 to 35". */
enum { POINT_TEXT = 96 };
const char *point_text(const struct source_point *point, char text[POINT_TEXT]);

/* Writes an lcov tracefile (geninfo(1)). A count is 1 or 0: how often something is executed depends
 * on the schedule. */
void coverage_write(FILE *stream, const struct coverage *coverage);

#ifdef __cplusplus
}
#endif

#endif
