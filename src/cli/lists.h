/* SPDX-License-Identifier: MIT
 *
 * The lists of --block and --size.
 */
#ifndef SIMTCHECK_COMMANDS_LISTS_H
#define SIMTCHECK_COMMANDS_LISTS_H

#include "options.h"

/* Of numbers, in one list and in all. */
enum { MAX_LIST = 1 << 20 };

/* Add what a list such as "1-64,256,32x16" names to the options' blocks, or sizes. False when it is
 * no such list. */
bool lists_add_blocks(struct options *options, const char *list);
bool lists_add_sizes(struct options *options, const char *list);

#endif
