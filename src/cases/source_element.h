/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_CASES_SOURCE_ELEMENT_H
#define SIMTCHECK_CASES_SOURCE_ELEMENT_H

#include "outcome.h"

/* Sets `indexed` of the elements of a fault or race, such as "tile[2][0]" or "jobs[3].x", as the
 * source of the access declares their variables. PTX has neither dimensions nor members. Without a
 * declaration whose size is that of the variable, nothing changes. Renders the text again. */
void source_element_fault(struct fault *fault);
void source_element_race(struct race *race);

#endif
