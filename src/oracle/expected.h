/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_ORACLE_EXPECTED_H
#define SIMTCHECK_ORACLE_EXPECTED_H

#include "judge.h"

/* Compares outputs with those of the variant's expected(): CONTRACT_EXPECTED. */
enum judgement judge_expected(const struct result *result, struct difference *difference);

/* Returns the distance of two numbers, given as bits, in units in the last place. 0: they are
 * equal, or both are NaN. UINT64_MAX: they are integers and differ, or one is a NaN. */
uint64_t oracle_distance(enum element element, uint64_t one, uint64_t other);

/* Writes a number of that type, given as bits, as text. */
void oracle_text(enum element element, uint64_t bits, char text[48]);
/* The same for an element of that buffer. */
void oracle_text_of(const struct buffer *buffer, uint64_t bits, char text[48]);

/* Sorts the items of a buffer whose order does not count, so that equal sets have equal bits. */
void oracle_sort(const struct buffer *buffer, void *contents);

#endif
