/* SPDX-License-Identifier: MIT
 *
 * Access to members of the JSON that commands write.
 */
#ifndef SIMTCHECK_RESULTS_MEMBERS_H
#define SIMTCHECK_RESULTS_MEMBERS_H

#include <jansson.h>

/* Loads a file that should be a complete `what`. The caller owns the result. Returns null after an
 * error message that names file and location. */
json_t *results_load(const char *path, const char *what);

/* Returns the text of a member, or "" if it is not a text. The row owns it. */
const char *text_in(const json_t *row, const char *name);

/* Returns an integer member, or 0 if it is not one. */
json_int_t number_in(const json_t *row, const char *name);

#endif
