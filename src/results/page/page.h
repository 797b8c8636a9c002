/* SPDX-License-Identifier: MIT
 *
 * The page of `report`: the contents of files of results, and its sections.
 */
#ifndef SIMTCHECK_PAGE_H
#define SIMTCHECK_PAGE_H

#include "json_model.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes one page of HTML from files that other commands wrote. The page needs no other file, no
 * script and no network. Returns the exit status. */
int page_make(const char *html, const char *const *paths, size_t count);

/* The contents of the page, which owns its members. An array is empty if no file has any of it. */
struct page {
    json_t *files; /* objects "path", "kind", "note" and "partial": the number of incomplete runs in
                      it */
    json_t *before, *after; /* snapshots; null */
    json_t *difference;     /* as `compare --json` writes it; null */
    json_t *environment;    /* of the newest snapshot; null */
    json_t *results;  /* rows of `run`; their "group" is the index of the first row of the same
                         kernel and variant */
    json_t *races;    /* rows of `races`, with "engine" if known */
    json_t *counters; /* rows of `counters`, with "engine" if known */
    json_t *of_wings; /* arrays of rows, by the name that the section of a wing gives them */
    json_t *lacks;    /* texts: requested results that files lack */
    json_t *wrongs;   /* texts: failures that are in no row of a section */
};

/* Reads the files. Of two snapshots the older one comes first. Returns false after an error message
 * that names the file. Call page_free() in either case. */
bool page_read(struct page *page, const char *const *paths, size_t count);
void page_free(struct page *page);

/* Writes the page. This is a file_writer of atomic_file.h. */
bool page_write(const void *page, FILE *to);

/* ---- Sections ---- */

/* Writes a section. The page leaves out a section that writes nothing. */
typedef void page_writer(FILE *to, const struct page *page);
page_writer page_changes, page_environment, page_failures, page_verdicts, page_domains, page_races,
    page_launches, page_files;

/* A line of the headline, if the count is not 0. is_lack: something is missing, else wrong. */
struct page_line {
    bool is_lack;
    size_t (*count)(const struct page *page);
    const char *one, *many; /* what the number counts */
};

struct page_section {
    const char *id, *title;
    page_writer *write;
    const struct page_line *lines; /* ends with one without a count; null: none */
    /* Of a wing: adds what a snapshot has for the section. Null: nothing. */
    void (*take)(struct page *page, const json_t *snapshot, const char *path);
};

/* ---- Rows of wings ---- */

/* Returns the rows of a wing, or null if there are none. page_add_rows() adds rows, and
 * page_add_part() those of a part of a snapshot. */
const json_t *page_rows(const struct page *page, const char *wing);
void page_add_rows(struct page *page, const char *wing, const json_t *rows);
struct part_rows;
void page_add_part(struct page *page, const char *wing, const struct part_rows *part,
                   const json_t *snapshot);

/* Adds a text to page->lacks or page->wrongs. */
void page_note(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes that a file has no rows, and the modules that an assembler rejects. */
void page_note_empty(struct page *page, const struct list *rows, const char *path);
struct code_record;
void page_note_code(struct page *page, const struct code_record *code, const char *path);

/* ---- Rows ---- */

/* An iterator over an array: for (struct each k = {.rows = rows}; each_next(&k);) */
struct each {
    const json_t *rows;
    size_t next; /* the index after the row */
    const json_t *row;
};
bool each_next(struct each *each);

/* A test of one row. page_count() counts the rows that pass it. */
typedef bool page_test(const json_t *row);
size_t page_count(const json_t *rows, page_test *is);

/* Counts the rows whose verdict has that class. */
size_t page_count_class(const json_t *rows, const char *class);

/* Compare a text member with a text, or with the same member of another row. */
bool page_is(const json_t *row, const char *member, const char *text);
bool page_is_alike(const json_t *a, const json_t *b, const char *member);

/* True if a row of `races` differs from what the catalogue declares, or ends in a fault. */
page_test page_race_is_wrong;

/* ---- Markup ---- */

/* Writes markup with members of a row in it, escaped:
 *     {name}            a text; empty if the member is not a text
 *     {#name}           a whole number; 0 if the member is not a number
 *     {=name}           a verdict as mark and word
 *     {?name} ... {/}   this part, if the member exists and is not empty, zero or false
 *     {!name} ... {/}   this part, in the other case
 *     {*name} ... {/}   this part for each item of an array; its names are members of the item
 * A name such as "counterexample.size" or "block.0" is a path. The name "." is the row itself. */
void page_fill(FILE *to, const json_t *row, const char *markup);

/* Markup of a known deviation (expectations.h). The link is text, since it comes from a file. */
#define PAGE_KNOWN_DEVIATION                                                                       \
    "{?known_deviation}<p class=\"note\">known deviation: <code>{known_deviation.link}</code> "    \
    "until {known_deviation.expires}</p>\n{/}"

/* Returns the class of a verdict in page.css, such as "good". An unknown verdict is "bad". */
const char *page_class(const char *verdict);

/* Returns a mark that shows a verdict without color, such as "✓". */
const char *page_mark(const char *verdict);

/* Starts a table with its own scroll bar, up to its first row. `heads` ends with null. */
void page_table(FILE *to, const char *caption, const char *const heads[]);
void page_table_end(FILE *to);

/* Writes the location and the source lines around it. The lines are left out if the file is neither
 * in the folder of kernels nor in the current one. */
void page_code(FILE *to, const char *file, json_int_t line);

/* Writes two unordered accesses. Their format is race_table of outcome_tables.h. */
void page_pair(FILE *to, const json_t *pair);

/* Writes the command that runs a case again. Writes nothing for an empty case ID. */
void page_replay(FILE *to, const char *case_id);

/* Writes the outcome of a counterexample in words. */
void page_outcome(FILE *to, const json_t *counterexample);

/* ---- Maps ---- */

/* Draws where a kernel is right: the map of a row of verdicts, which `engines` share. */
void page_map(FILE *to, const json_t *map, const char *engines);
void page_map_legend(FILE *to);

/* True if a map has any cell besides those that are right inside the domain. */
bool page_map_is_mixed(const json_t *map);

#endif
