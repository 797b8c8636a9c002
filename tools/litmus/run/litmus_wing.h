/* SPDX-License-Identifier: MIT
 *
 * Litmus tests in the results of other commands: `compare`, the page of `report`, packages.
 */
#ifndef SIMTCHECK_LITMUS_LITMUS_WING_H
#define SIMTCHECK_LITMUS_LITMUS_WING_H

#include "difference.h"
#include "page.h"

/* The rows of its part of a snapshot, and its sections of a page. */
extern const struct part_rows litmus_rows[];
extern const struct page_section litmus_sections[];

#endif
