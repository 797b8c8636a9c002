/* SPDX-License-Identifier: MIT
 *
 * The lines, branches and functions of the kernels' source, and which of them were executed.
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
    POINT_BRANCH, /* one direction of a conditional branch */
};

struct source_point {
    enum point_kind kind;
    bool reached;
    uint32_t line;
    /* For POINT_BRANCH: the column of the condition and the line of the branch target. `way` is 1
     * for the second of two targets on the same line. */
    uint32_t column, to, way;
    const char *file;
    const char *name; /* POINT_FUNCTION; else "" */
};

/* Orders points by file, kind, line and the rest. 0 means that they are the same point. Functions
 * are identified by name, because compilers disagree about their first line. */
int point_compare(const struct source_point *one, const struct source_point *other);

/* Write a point as text without line feeds, and read one. Reading changes `text`, and the point
 * refers to it. Returns false if the text is not a written point. */
void point_write(FILE *stream, const struct source_point *point);
bool point_read(char *text, struct source_point *point);

/* What a job executed of a kernel that it launched, and of everything that this kernel may call. */
struct kernel_coverage {
    uint32_t kernel; /* its number in the loaded code */
    const struct source_point *points;
    const bool *reached; /* for each point */
    size_t count;
};

/* A set of points. A zeroed one is empty. */
struct coverage {
    struct source_point *points;
    size_t count, room;
    bool is_sorted;
};

/* Adds a copy of a point. If a point is added twice, it is reached if either copy is. Returns false
 * when memory runs out. */
bool coverage_add(struct coverage *coverage, const struct source_point *point);
/* Adds all points of another set. Returns false when memory runs out. */
bool coverage_merge(struct coverage *coverage, const struct coverage *other);
void coverage_free(struct coverage *coverage);

/* Sorts the points and removes duplicates. The functions below need a sorted set. */
void coverage_sort(struct coverage *coverage);

struct coverage_counts {
    uint64_t lines, lines_reached;
    uint64_t branches, branches_reached; /* directions of branches */
};

struct coverage_counts coverage_count(const struct coverage *coverage);

/* Writes a line as "file.cu:31", and a direction of a branch as "file.cu:31 to 35". */
enum { POINT_TEXT = 96 };
const char *point_text(const struct source_point *point, char text[POINT_TEXT]);

/* Writes an lcov tracefile (geninfo(1)). Counts are 1 or 0, because the number of executions
 * depends on the schedule. */
void coverage_write(FILE *stream, const struct coverage *coverage);

#ifdef __cplusplus
}
#endif

#endif
