/* SPDX-License-Identifier: MIT
 *
 * Tests of compilers in the results of other commands: `merge` and the page of `report`.
 */
#ifndef SIMTCHECK_COMPILERS_COMPILERS_WING_H
#define SIMTCHECK_COMPILERS_COMPILERS_WING_H

#include "merge.h"
#include "page.h"

int merge_compilers(const struct shard_results *shards, json_t **merged);

/* The section of a page, its lines of the headline, and its notes of struct page_section. */
extern const char page_compilers[];
extern const struct page_part page_compilers_parts[];
extern const struct page_line page_compilers_lines[];
void page_compilers_note(json_t *page, const char *path, const json_t *compilers);

#endif
