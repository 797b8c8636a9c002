/* SPDX-License-Identifier: MIT
 *
 * Members of what commands have written, as other commands read them.
 */
#ifndef SIMTCHECK_COMMANDS_MEMBERS_H
#define SIMTCHECK_COMMANDS_MEMBERS_H

#include <jansson.h>

/* The textbook of a file that should be a whole `what`, the caller's. Null after a message that
 * names the file and the place. */
json_t *results_load(const char *path, const char *what);

/* A member that is a text; else "". The row's. */
const char *text_in(const json_t *row, const char *name);

/* A member that is a whole number; else 0. */
json_int_t number_in(const json_t *row, const char *name);

/* Of a member that is an array, the whole number at that place; else 0. */
json_int_t number_at(const json_t *row, const char *name, size_t place);

#endif
