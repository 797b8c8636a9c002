/* SPDX-License-Identifier: MIT
 *
 * Source locations of instructions. One array holds those of all modules.
 */
#ifndef SIMTCHECK_SIM_PLACES_H
#define SIMTCHECK_SIM_PLACES_H

#include "instructions.h"

#include <stdbool.h>
#include <stddef.h>

/* places_take() returns room for `count` more, or null if none exists. places_forget() frees
 * all. */
struct simt_place *places_take(size_t count);
void places_forget(void);

/* Adds a loop: from the target of a backward branch to the branch. Returns whether one loop
 * contains both places. */
void places_add_loop(const struct simt_place *first, const struct simt_place *last);
bool places_share_loop(const struct simt_place *a, const struct simt_place *b);

extern const char *source_base;
const struct simt_place *source_place(const void *address);
bool source_line(const void *address, char *file, size_t file_size, int *line);
/* Writes "my.cu:12", in a text of SOURCE_LINE bytes, or nothing if the place is null. */
void source_text(const struct simt_place *place, char *text);
/* Writes the calls into which the site's code was inlined: "file:12, other:34". Calls in the file
 * of the one before have no name of a file. */
void source_outer(const struct simt_site *site, char *text, size_t size);
/* Writes the line of a library that has the site's code: "file:12", or "" if it is the user's. */
void source_library(const struct simt_site *site, char *text, size_t size);

#endif
