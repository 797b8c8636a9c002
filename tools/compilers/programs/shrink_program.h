/* SPDX-License-Identifier: MIT
 *
 * Simpler programs than a given one, and its neighbours.
 */
#ifndef SIMTCHECK_COMPILERS_SHRINK_PROGRAM_H
#define SIMTCHECK_COMPILERS_SHRINK_PROGRAM_H

#include "program.h"

enum { MAX_SMALLER = 512, MAX_BESIDE = 8 };

/* Finds the programs that are simpler by one step. Either the uses of a node go to one of its
 * operands, an input or a constant; or the result is an earlier node. Returns how many, at most
 * MAX_SMALLER. */
size_t programs_smaller(const struct program *program, struct program *smaller);

/* Finds programs that differ in one operand of one node. Most of them differ in meaning, so a
 * compiler must not produce the same code for them. Returns how many, at most MAX_BESIDE. */
size_t programs_beside(const struct program *program, struct program *beside);

/* Returns true if `one` is simpler: fewer operators, then fewer nodes, then smaller constants and
 * inputs. */
bool program_is_simpler(const struct program *one, const struct program *other);

/* Writes the program as one expression. Its inputs are named in their order of appearance, so
 * programs that differ only in names have the same text. Returns the full length of the text. */
size_t program_shape(const struct program *program, char *text, size_t size);

#endif
