/* SPDX-License-Identifier: MIT
 *
 * Programs drawn at random. Compilers fold nested minima, maxima, absolute values, negations and
 * comparisons with an operand, and that is where they have been seen to go wrong: such operations
 * are drawn more often than others, and operands are often those used just before.
 */
#ifndef SIMTCHECK_COMPILERS_RANDOM_PROGRAM_H
#define SIMTCHECK_COMPILERS_RANDOM_PROGRAM_H

#include "program.h"

/* Program `number` of that seed: the same, whenever and wherever it is drawn. */
void program_draw(uint64_t seed, uint64_t number, struct program *program);

#endif
