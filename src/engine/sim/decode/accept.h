/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_ACCEPT_H
#define SIMTCHECK_SIM_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the simulator can run the PTX of that file. Returns false otherwise, with a
 * sentence in `error`. */
bool decode_accepts(const char *path, char *error, size_t error_size);

#endif
