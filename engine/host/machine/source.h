/* SPDX-License-Identifier: MIT
 *
 * Source lines and symbols of the running program.
 */
#ifndef SIMTCHECK_MACHINE_SOURCE_H
#define SIMTCHECK_MACHINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* The source line of a return address; false when there is no debug information. Takes more stack
 * than a fiber has. */
bool source_line(const void *address, char *file, size_t file_size, int *line);

/* Copies the last two components of a path. */
void source_shorten(const char *path, char *file, size_t file_size);

/* Calls `visit` for each shared object of the executable: its offset and size in the thread-local
 * segment and its linker name. `kernel` is the linker name of the function at `function`. */
void source_shared_objects(const void *function,
                           void (*visit)(size_t offset, size_t size, const char *name,
                                         const char *kernel));

void source_close(void);

#endif
