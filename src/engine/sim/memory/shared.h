/* SPDX-License-Identifier: MIT
 *
 * Shared memory of blocks.
 */
#ifndef SIMTCHECK_SIM_SHARED_H
#define SIMTCHECK_SIM_SHARED_H

#include "machine.h"

/* The bytes of shared memory that a block can have, and those that the system reserves. */
enum { SHARED_WINDOW = (227 << 10) + RESERVED_SHARED };

/* Reserves unused addresses, which identify bytes of shared memory for the race checker. */
bool shared_open(void);
void shared_close(void);
void start_shared(struct block *block);

#endif
