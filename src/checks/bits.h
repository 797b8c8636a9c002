/* SPDX-License-Identifier: MIT
 *
 * Of `check`: are a kernel's outputs the same, bit for bit, whoever runs when?
 */
#ifndef SIMTCHECK_COMMANDS_BITS_H
#define SIMTCHECK_COMMANDS_BITS_H

#include "options.h"

/* Compares them over the shapes and values that the options plan, on that engine, and on a GPU
 * where that is to take part; tells what came and returns the exit status. */
int bits_compare(const struct options *options, const struct variant *variant,
                 enum engine_id engine, bool has_gpu);

#endif
