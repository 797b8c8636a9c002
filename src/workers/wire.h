/* SPDX-License-Identifier: MIT
 *
 * The protocol between a supervisor and its workers: lines of fields separated by tabs. Readers
 * take the text after the line's first word, or after the INDEX of an outcome, and may modify it.
 * They return false when the text is not what a writer writes.
 */
#ifndef SIMTCHECK_WORKERS_WIRE_H
#define SIMTCHECK_WORKERS_WIRE_H

#include "case.h"
#include "coverage.h"

#include <stdio.h>

enum {
    WORKER_ANSWER_FD = 3,       /* descriptor for a worker's answers */
    WORKER_STRICT_BARRIERS = 1, /* bits of a worker's last argument: struct engine_limits */
    WORKER_WARP_BARRIERS = 2,
    WORKER_FLOATS = 4, /* times enum float_kind */
    WORKER_LINE = 4096,
    MAX_POINTS = 1 << 20, /* of the source of one kernel */
    MAX_RACES_REPORTED = RACE_IDENTITIES,
    MAX_DIFFERENCES = 8 /* of one case, by the place of the last store */
};

/* What a worker does with cases. */
enum request {
    REQUEST_RUN,
    REQUEST_DIGEST,
    REQUEST_COUNT,
    REQUEST_RACE,
    REQUEST_COMPARE,
    REQUEST_EXPLAIN
};

enum { REQUESTS = REQUEST_EXPLAIN + 1 };

extern const char *const request_names[]; /* REQUESTS elements */

/* Identifies the sources of this build. Supervisor and worker must be of the same build. */
extern const char build_identity[];

/* Consecutive points of a kernel that a case of a request has reached. */
struct reached {
    uint32_t index, kernel, first, count;
};

/* Why a case fails. */
struct explanation {
    struct outcome outcome; /* of the case as it is */
    /* Its races, of which those that `share` are on the element that fails. They include those
     * after a read of unwritten memory. */
    struct race races[MAX_RACES_REPORTED];
    size_t race_count;
    size_t chosen; /* the first race that the variant's known defect does not name */
    /* If the result is wrong: the first differences, each with another last store. */
    struct difference differences[MAX_DIFFERENCES];
    size_t difference_count;
};

/* A case of a request. Its line has no first word. */
void wire_write_case(FILE *stream, const struct test_case *test);
bool wire_read_case(char *fields, const struct catalogue *catalogue, struct test_case *test);

void wire_write_outcome(FILE *stream, size_t index, const struct outcome *outcome);
bool wire_read_outcome(char *fields, struct outcome *outcome);

void wire_write_counters(FILE *stream, const struct engine_counters *counters);
/* Reads the counters of the whole case, which come first, or of one interval. */
bool wire_read_counters(bool of_interval, char *fields, struct engine_counters *counters);

/* Point `number` of a kernel. Points are reported in order, before any of them is reached. */
void wire_write_point(FILE *stream, uint32_t kernel, size_t number,
                      const struct source_point *point);
bool wire_read_point(char *fields, uint32_t *kernel, size_t *number, struct source_point *point);

void wire_write_reached(FILE *stream, const struct reached *reached);
bool wire_read_reached(const char *fields, struct reached *reached);

void wire_write_race(FILE *stream, const struct race *race);
bool wire_read_race(char *fields, struct race *race);

void wire_write_difference(FILE *stream, const struct difference *difference);
bool wire_read_difference(char *fields, struct difference *difference);

#endif
