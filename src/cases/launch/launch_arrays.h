/* SPDX-License-Identifier: MIT
 *
 * Reads the arrays of a launch, with their sizes and contents; arrays of pointers, and structs.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_ARRAYS_H
#define SIMTCHECK_CASES_LAUNCH_ARRAYS_H

#include "launch_reader.h"

/* Returns the array of that name, or array_count if it is unknown. */
uint32_t launch_arrays_find(const struct launch_text *launch, const char *name, size_t length);

/* Returns the first texture or surface of the array, or view_count. */
uint32_t launch_arrays_first_view(const struct launch_text *launch, uint32_t array);

/* Takes a role if one is next. Returns whether it did. */
bool launch_arrays_take_role(struct reader *reader, enum role *role);

/* Checks that no array without a role is next, and none with a misspelt one. Returns false on
 * error.
 */
bool launch_arrays_has_roles(struct reader *reader);

/* Reads an array after its role. Returns false on error. */
bool launch_arrays_read(struct launch_reader *text, enum role role);

/* Takes an array if one is next, new or known, and sets *is_array and *array. Returns false with an
 * error message if the array is malformed. */
bool launch_arrays_read_any(struct launch_reader *text, bool *is_array, uint32_t *array);

/* Reads the members of a struct such as "{int n, float 0.5f, in float x[n]}" after its '{', with
 * the layout of C. Sets the number of members and the size. Returns false on error. */
bool launch_arrays_read_members(struct launch_reader *text, uint32_t *members, uint32_t *bytes);

/* ---- Parts of a declaration, for textures and surfaces ---- */

/* Adds an array. Returns null if there are too many. */
struct launch_array *launch_arrays_add(struct launch_reader *text, enum role role);

/* Reads a name that no other array has. Returns false on error. */
bool launch_arrays_read_name(struct launch_reader *text, struct launch_array *array);

/* Reads what follows the sizes of an array: 'unordered', and the contents. */
bool launch_arrays_read_contents(struct launch_reader *text, struct launch_array *array);

#endif
