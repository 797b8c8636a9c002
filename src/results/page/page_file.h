/* SPDX-License-Identifier: MIT
 *
 * What page_read.c holds files to: that members are of their kinds and do not contradict each
 * other, that nothing is lacking.
 */
#ifndef SIMTCHECK_COMMANDS_PAGE_FILE_H
#define SIMTCHECK_COMMANDS_PAGE_FILE_H

#include "page.h"

/* ---- Members ---- */

/* Is a row, or what a command writes, as that command writes it? False with a sentence part in the
 * error's text. */
typedef bool page_fits(json_t *value, json_error_t *error);
page_fits page_fits_run, page_fits_races, page_fits_counters, page_fits_ladder, page_fits_toolchain,
    page_fits_comparison;

/* Are all rows so? False after one sentence on standard error; `what` is for whoever wrote a file
 * by hand. */
bool page_fit_rows(const json_t *rows, page_fits *fits, const char *path, const char *what);

/* Are all parts of a snapshot so? Likewise. */
bool page_fit_snapshot(const json_t *snapshot, const char *path);

/* Rows of a part of a snapshot, as `compare` sees them. The caller's. */
json_t *page_rows_of(const json_t *snapshot, const char *name);

/* ---- What is lacking ---- */

/* How many commands ended before all was in a file that is theirs: only what says that it is
 * complete is so. Those that a comparison is of count each. */
typedef size_t page_partial(const json_t *document);
page_partial page_snapshot_partial, page_comparison_partial, page_run_partial, page_races_partial,
    page_toolchain_partial, page_never_partial;

/* Notes on the page what a file lacks that it was asked for, and what is wrong in it and in no row
 * that a section has. */
void page_note_snapshot(struct page *page, const json_t *snapshot, const char *path);
void page_note_toolchain(struct page *page, const json_t *toolchain, const char *path);
void page_note_ladder(struct page *page, const json_t *document, const char *path);
void page_note_empty(struct page *page, const json_t *rows, const char *path);

#endif
