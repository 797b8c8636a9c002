/* SPDX-License-Identifier: MIT
 *
 * Members of what commands have written, as other commands read them.
 */
#ifndef SIMTCHECK_COMMANDS_MEMBERS_H
#define SIMTCHECK_COMMANDS_MEMBERS_H

#include <jansson.h>

/* A member that is a text; else "". The row's. */
const char *text_in(const json_t *row, const char *name);

/* A member that is a whole number; else 0. */
json_int_t number_in(const json_t *row, const char *name);

/* Of a member that is an array, the whole number at that place; else 0. */
json_int_t number_at(const json_t *row, const char *name, size_t place);

#endif
