/* SPDX-License-Identifier: MIT
 *
 * What page_read.c needs to know of a file besides its rows: whether something is lacking.
 */
#ifndef SIMTCHECK_COMMANDS_PAGE_FILE_H
#define SIMTCHECK_COMMANDS_PAGE_FILE_H

#include "page.h"
#include "record_snapshot.h"

/* A file, or the first file of a kind, as a record of its kind's table. */
union page_record {
    struct snapshot_record snapshot;
    struct comparison_record comparison;
    struct run_record run;
    struct compilers_record compilers;
    struct counter_record counters;
    struct list races; /* of struct race_record */
    struct benchmark_record benchmark;
};

/* How many commands ended before all was in a file that is theirs. Those that a comparison is of
 * count each. */
typedef size_t page_partial(const union page_record *record);
page_partial page_snapshot_partial, page_comparison_partial, page_run_partial, page_races_partial,
    page_compilers_partial, page_never_partial;

/* Notes on the page what a file lacks that it was asked for, and what is wrong in it and in no row
 * that a section has. */
void page_note_snapshot(struct page *page, const struct snapshot_record *snapshot,
                        const char *path);
void page_note_compilers(struct page *page, const struct compilers_record *compilers,
                         const char *path);
void page_note_benchmark(struct page *page, const struct benchmark_record *benchmark,
                         const char *path);
void page_note_empty(struct page *page, const struct list *rows, const char *path);

#endif
