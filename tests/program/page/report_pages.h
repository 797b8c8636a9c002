/* SPDX-License-Identifier: MIT
 *
 * Files of results, small ones, and the pages that `simtcheck report` makes of them.
 */
#ifndef SIMTCHECK_TESTS_REPORT_PAGES_H
#define SIMTCHECK_TESTS_REPORT_PAGES_H

#include "check.h"

/* In the folder, in which the test runs, a snapshot and the rows of races; and names for two more
 * files and a page. */
extern char snapshot[64], races[64], one[64], other[64], page[64];

int pages_set_up(void **state);

/* Runs `report` of one file, or of two, to that page. */
struct ended report(const char *file, const char *second, const char *to);

/* The page of one file, or of two; the caller's. */
char *page_of(const char *file, const char *second);

/* Has a page those words, or not? */
void shows(const char *text, const char *words);
void shows_not(const char *text, const char *words);

/* Documents, the caller's: the verdicts of the snapshot as `run --json` writes them, what
 * `compilers --json` writes where all is right, the snapshot with a row that fails by a case, a
 * line and two accesses, and what `compare --json` writes of the two. */
json_t *run_document(void);
json_t *compilers_document(void);
json_t *failing_document(void);
json_t *comparison_document(void);

/* A row of verdicts of a snapshot. */
json_t *row_of(json_t *document, const char *id, const char *kind);

/* Adds to a snapshot what needs a toolkit or a GPU, as it is written where there is one. */
void add_parts(json_t *document);

#endif
