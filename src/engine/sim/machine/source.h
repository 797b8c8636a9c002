/* SPDX-License-Identifier: MIT
 *
 * Source lines and symbols of the running program.
 */
#ifndef SIMTCHECK_MACHINE_SOURCE_H
#define SIMTCHECK_MACHINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* The source line of a return address or a struct simt_place; false when there is no debug
 * information. Not on the stack of a fiber. */
bool source_line(const void *address, char *file, size_t file_size, int *line);
/* The same for a place in a kernel's file alone. */
bool source_kernel_line(const void *address, char *file, size_t file_size, int *line);

/* The place that an address of a kernel from PTX is; null: it is none. */
struct simt_place;
const struct simt_place *source_place(const void *address);

/* Where the kernels' code begins: the program's, or that which was loaded. What is in it is less
 * than 4 GiB behind. */
extern const char *source_base;

/* Of kernels that are loaded now: all up to `end`. */
void source_take(const struct simt_place *places, const struct simt_place *end);

/* Where the compiler has inlined it, as "file:12"; "" when nowhere. The file is left out where it
 * is the site's own. */
struct simt_site;
void source_outer(const struct simt_site *site, char *text, size_t size);

/* Of kernels of source that are loaded now: code and shared arrays are those of the shared object
 * in which `inside` lies. */
void source_take_object(const void *inside);

/* Copies the last two components of a path. */
void source_shorten(const char *path, char *file, size_t file_size);

/* Calls `visit` for each object of the kernels' thread-local segment: its offset and size in
 * there and its linker name. */
void source_thread_locals(void (*visit)(size_t offset, size_t size, const char *name));

/* The linker name of the function at an address; null: not known. */
const char *source_symbol(const void *function);

void source_close(void);

#endif
