/* SPDX-License-Identifier: MIT
 *
 * Draws random programs. Compilers fold nested minima, maxima, absolute values, negations and
 * comparisons with an operand. The known miscompilations are there. So the generator draws such
 * operations more often, and often uses the last nodes as operands.
 */
#ifndef SIMTCHECK_COMPILERS_RANDOM_PROGRAM_H
#define SIMTCHECK_COMPILERS_RANDOM_PROGRAM_H

#include "program.h"

/* Draws program `number` of that seed. The result depends on nothing else. */
void program_draw(uint64_t seed, uint64_t number, struct program *program);

#endif
