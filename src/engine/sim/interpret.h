/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_INTERPRET_H
#define SIMTCHECK_SIM_INTERPRET_H

#include "machine.h"

/* Runs a party until it waits, ends or diverges. */
void run_party(struct warp *warp, struct party *party);
/* Starts the time limit of a job. */
void start_deadline(double seconds);

#endif
