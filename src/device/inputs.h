/* SPDX-License-Identifier: MIT
 *
 * The files that a compilation reads: those of the rule that a compiler writes for make (-MD), and
 * files of options, which no rule names.
 */
#ifndef SIMTCHECK_DEVICE_INPUTS_H
#define SIMTCHECK_DEVICE_INPUTS_H

#include <stdbool.h>

/* Calls visit() with each file of a rule "result : file file \". Changes the rule. nvcc and clang
 * write a blank as "\ ", a '#' unchanged or as "\#", and tabs and line ends as they are. Returns
 * false if a call does, or if names may have tabs or line ends, so that they cannot be read. */
bool inputs_each(char *rule, bool (*visit)(char *name, void *context), void *context);

/* Returns false if another name may be meant: clang writes "$$" for a '$' and nvcc does not, and
 * both write a backslash as a slash. Looks for such files in the folders of the name. */
bool inputs_is_sure(const char *name);

/* Returns whether flags may name a file of options, or have the shell compute some: nvcc passes
 * flags for the host compiler to a shell. */
bool inputs_have_options(const char *flags);

#endif
