/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_ORACLE_EXPECTED_H
#define SIMTCHECK_ORACLE_EXPECTED_H

#include "judge.h"

/* Holds outputs to what the variant's expected() says: CONTRACT_EXPECTED. */
enum judgement judge_expected(const struct result *result, struct difference *difference);

/* How many numbers of that type lie between the two, given as bits; 0: they are equal, or NaN both.
 * UINT64_MAX: they are integers and differ, or one is a NaN. */
uint64_t oracle_distance(enum element element, uint64_t one, uint64_t other);

/* A number of that type, given as bits, in words. */
void oracle_text(enum element element, uint64_t bits, char text[48]);

#endif
