/* SPDX-License-Identifier: MIT
 *
 * A launch of a kernel to start from, by what the kernel's source reads: the dimensions of its
 * blocks and grid, which parameters are sizes, how large arrays are and who writes them.
 */
#ifndef SIMTCHECK_CHECKS_EXAMPLE_LAUNCH_H
#define SIMTCHECK_CHECKS_EXAMPLE_LAUNCH_H

#include "declarations.h"
#include "source_tokens.h"

/* Sets the dimensions and the launch of a declaration whose rest is complete, in
 * `memory`. The braces of its body are the tokens `open` and `close`. The text is not preprocessed,
 * so that the launch is a guess. */
void example_launch(struct memory *memory, const struct source *source, size_t open, size_t close,
                    struct declaration *declaration);

#endif
