/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_CASES_SOURCE_ELEMENT_H
#define SIMTCHECK_CASES_SOURCE_ELEMENT_H

#include "outcome.h"

/* Returns the path of a file that is shown like that. */
typedef const char *source_finder(void *context, const char *shown);

/* Sets `indexed` of the elements of a fault, difference or race, such as "tile[2][0]" or
 * "jobs[3].x", as the source of the access declares their variables. PTX has neither dimensions nor
 * members. Without a declaration whose size is that of the variable, nothing changes. Renders the
 * text again. Without a line, all declarations of the first file count. Without a finder, paths are
 * those that this thread has shortened. */
void source_element_fault(struct fault *fault, source_finder *find, void *context);
void source_element_difference(struct difference *difference, source_finder *find, void *context);
void source_element_race(struct race *race, source_finder *find, void *context);

#endif
