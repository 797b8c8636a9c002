/* SPDX-License-Identifier: MIT
 *
 * Instructions at which lanes of a warp meet, and exchange values.
 */
#ifndef SIMTCHECK_SIM_COLLECTIVE_H
#define SIMTCHECK_SIM_COLLECTIVE_H

#include "machine.h"

/* Executes a collective for these lanes of the party. Returns true if the party waits. */
bool collective_meet(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);

/* Releases lanes at a collective if all lanes that they wait for have arrived. */
void collective_complete(struct warp *warp);

/* Reports a lane that waits for lanes that do not arrive. Returns false if none exists. */
bool collective_report(const struct warp *warp);

/* Sets a lane's bit of a register that has one bit for each lane. */
void collective_write_bit(char *slots, uint32_t slot, uint32_t lane, bool bit);

#endif
