/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_ACCEPT_H
#define SIMTCHECK_SIM_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

/* Can the simulator run the PTX of that file? False, with a sentence. */
bool decode_accepts(const char *path, char *error, size_t error_size);

#endif
