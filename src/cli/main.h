/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_CLI_MAIN_H
#define SIMTCHECK_CLI_MAIN_H

#include "catalogue.h"

struct wing;

/* The program `simtcheck` over a catalogue. Reads and runs the command line and returns the exit
 * status. Its workers are the programs "<this program>-worker-<engine>" in the same folder.
 * `wings`: what it has beside the core (wing.h); ends with null. */
int suite_main(int argc, char **argv, const struct catalogue *catalogue,
               const struct wing *const *wings);

#endif
