/* SPDX-License-Identifier: MIT
 *
 * Small files of results, and the pages that `simtcheck report` makes of them.
 */
#ifndef SIMTCHECK_TESTS_REPORT_PAGES_H
#define SIMTCHECK_TESTS_REPORT_PAGES_H

#include "check.h"

/* Paths in the folder, in which the test runs. `snapshot` and `races` are files; the others are
 * names for two more files and a page. */
extern char snapshot[64], races[64], one[64], other[64], page[64];

int pages_set_up(void **state);

/* Runs `report` on one file, or on two, and writes `to`. */
struct ended report(const char *file, const char *second, const char *to);

/* Returns the page of one file, or of two. The caller frees it. */
char *page_of(const char *file, const char *second);

/* Fail unless the page has, or lacks, the words. */
void shows(const char *text, const char *words);
void shows_not(const char *text, const char *words);

/* Fails unless the first line of the head is of that class and has the words. */
void begins(const char *text, const char *class, const char *words);

/* Return JSON documents, which the caller drops. The first has the verdicts of the snapshot, as
 * `run --json` writes them. The second is the output of `compilers --json` without failures. The
 * third is the snapshot with a failing row: a case, a line and two accesses. The fourth is the
 * output of `compare --json` for the two snapshots. */
json_t *run_document(void);
json_t *compilers_document(void);
json_t *failing_document(void);
json_t *comparison_document(void);

/* Returns the output of `check --json` for three launches: a race, an access outside of an array,
 * and one that passes. */
json_t *check_document(void);

/* Returns a row of verdicts of a snapshot. */
json_t *row_of(json_t *document, const char *id, const char *kind);

/* Adds the parts of a snapshot that need a toolkit or a GPU, as simtcheck writes them. */
void add_parts(json_t *document);

#endif
