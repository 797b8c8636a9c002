/* SPDX-License-Identifier: MIT
 *
 * Memory of a GPU with several virtual addresses.
 */
#ifndef SIMTCHECK_LITMUS_ALIASES_H
#define SIMTCHECK_LITMUS_ALIASES_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates `size` bytes on device 0, a multiple of 2 MiB, and maps them `count` times, one mapping
 * after the other from `memory` on. Returns false if the driver refuses. They stay until the
 * program ends. */
bool aliases_allocate(size_t size, size_t count, void **memory);

#endif
