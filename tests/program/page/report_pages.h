/* SPDX-License-Identifier: MIT
 *
 * Files of results, small ones, and the pages that `simtcheck report` makes of them.
 */
#ifndef SIMTCHECK_TESTS_REPORT_PAGES_H
#define SIMTCHECK_TESTS_REPORT_PAGES_H

#include "check.h"

/* A folder, in which the test runs; in it a snapshot and the rows of races, and names for two more
 * files and a page. */
extern char folder[], snapshot[64], races[64], one[64], other[64], page[64];

int pages_set_up(void **state);
int pages_tear_down(void **state);

/* Takes over what a program has printed and exited with. */
void ends_with(struct ended ended, int status, const char *text);

void save(json_t *document, const char *path); /* takes it over */
void write_text(const char *path, const char *text, size_t size);
char *read_text(const char *path); /* the caller's */

/* Runs `report` of one file, or of two, to that page. */
struct ended report(const char *file, const char *second, const char *to);

/* The page of one file, or of two; the caller's. */
char *page_of(const char *file, const char *second);

/* Has a page those words, or not? */
void shows(const char *text, const char *words);
void shows_not(const char *text, const char *words);

/* A row of verdicts of a snapshot. */
json_t *row_of(json_t *document, const char *id, const char *form);

/* Adds to a snapshot what needs a toolkit or a GPU, as it is written where there is one. */
void add_parts(json_t *document);

/* Makes a row fail, with a case, a line and two accesses. */
json_t *rung_of(const char *kernel, json_int_t elements, double rate, double to_copy,
                double to_cub);
void plant_failure(json_t *document);

#endif
