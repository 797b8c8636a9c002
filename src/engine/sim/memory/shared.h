/* SPDX-License-Identifier: MIT
 *
 * The shared arrays of the program's kernels: objects in the executable's thread-local segment.
 */
#ifndef SIMTCHECK_HOST_SHARED_H
#define SIMTCHECK_HOST_SHARED_H

#include <stdbool.h>
#include <stddef.h>

/* Calls `visit` for each array that a kernel may use: those of the file, of device functions, and
 * its own; not those of other kernels. */
void shared_visit(void (*kernel)(void), void (*visit)(size_t offset, size_t size));

/* Names the place at that offset, such as "tile" or "tile, byte 20"; false where there is none. */
bool shared_name(size_t offset, char *name, size_t size);

void shared_close(void);

#endif
