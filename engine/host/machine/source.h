/* SPDX-License-Identifier: MIT
 *
 * Source lines and symbols of the running program.
 */
#ifndef SIMTCHECK_MACHINE_SOURCE_H
#define SIMTCHECK_MACHINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* The source line of a return address; false when there is no debug information. Not on the
 * stack of a fiber. */
bool source_line(const void *address, char *file, size_t file_size, int *line);
/* The same for a place in a kernel's file alone. */
bool source_kernel_line(const void *address, char *file, size_t file_size, int *line);

/* Copies the last two components of a path. */
void source_shorten(const char *path, char *file, size_t file_size);

/* Calls `visit` for each object of the executable's thread-local segment: its offset and size in
 * there and its linker name. */
void source_thread_locals(void (*visit)(size_t offset, size_t size, const char *name));

/* The linker name of the function at an address; null: not known. */
const char *source_symbol(const void *function);

void source_close(void);

#endif
