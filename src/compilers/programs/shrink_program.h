/* SPDX-License-Identifier: MIT
 *
 * Programs smaller than one, and beside it.
 */
#ifndef SIMTCHECK_COMPILERS_SHRINK_PROGRAM_H
#define SIMTCHECK_COMPILERS_SHRINK_PROGRAM_H

#include "program.h"

enum { MAX_SMALLER = 512, MAX_BESIDE = 8 };

/* Programs that are simpler by one step: a node's uses go to an operand of its own, to an input or
 * to a constant; or the result is an earlier node. Returns how many, at most MAX_SMALLER. */
size_t programs_smaller(const struct program *program, struct program *smaller);

/* Programs that differ in one operand of one node, most often in what they mean: what a compiler
 * must not make the same code of. At most MAX_BESIDE. */
size_t programs_beside(const struct program *program, struct program *beside);

/* Simpler: fewer operators, then fewer nodes, then smaller constants and inputs. */
bool program_is_simpler(const struct program *one, const struct program *other);

/* The program as one expression, its inputs named in their order of appearance: the same for
 * programs that differ in names alone. Returns the length that it has. */
size_t program_shape(const struct program *program, char *text, size_t size);

#endif
