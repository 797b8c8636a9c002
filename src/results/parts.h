/* SPDX-License-Identifier: MIT
 *
 * The parts of a snapshot.
 */
#ifndef SIMTCHECK_RESULTS_PARTS_H
#define SIMTCHECK_RESULTS_PARTS_H

enum part {
    PART_RUN,
    PART_RACES,
    PART_COUNTERS,
    PART_CODE,
    PART_COMPILERS,
    PART_THROUGHPUT,
    PART_BENCHMARK,
    PART_LITMUS,
    PARTS
};

/* The names of their members; ends with null. */
extern const char *const part_names[PARTS + 1];

#endif
