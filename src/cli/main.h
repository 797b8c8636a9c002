/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_COMMANDS_MAIN_H
#define SIMTCHECK_COMMANDS_MAIN_H

#include "catalogue.h"

/* The program `simtcheck` over a catalogue: reads the command line, does what it says and returns
 * the exit status. Its workers are the programs "<this program>-worker-<engine>" beside it. */
int suite_main(int argc, char **argv, const struct catalogue *catalogue);

#endif
