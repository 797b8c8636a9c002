/* SPDX-License-Identifier: MIT
 *
 * Where instructions stand in the source. The places of all modules lie in one row.
 */
#ifndef SIMTCHECK_SIM_PLACES_H
#define SIMTCHECK_SIM_PLACES_H

#include "instructions.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for `count` more; null: there is none. And forgets all. */
struct simt_place *places_take(size_t count);
void places_forget(void);

extern const char *source_base;
const struct simt_place *source_place(const void *address);
bool source_line(const void *address, char *file, size_t file_size, int *line);
void source_shorten(const char *path, char *file, size_t file_size);
void source_outer(const struct simt_site *site, char *text, size_t size);

#endif
