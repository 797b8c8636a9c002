/* SPDX-License-Identifier: MIT
 *
 * Tests of compilers in the results of other commands: `merge` and the page of `report`.
 */
#ifndef SIMTCHECK_COMPILERS_COMPILERS_WING_H
#define SIMTCHECK_COMPILERS_COMPILERS_WING_H

#include "merge.h"
#include "page.h"

int merge_compilers(const struct shard_results *shards, json_t **merged);

extern const struct page_section compilers_sections[];

#endif
