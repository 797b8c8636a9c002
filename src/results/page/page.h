/* SPDX-License-Identifier: MIT
 *
 * The page of `report`: what files of results have, gathered, and its sections.
 */
#ifndef SIMTCHECK_COMMANDS_PAGE_H
#define SIMTCHECK_COMMANDS_PAGE_H

#include "command.h"

#include <jansson.h>
#include <stdio.h>

/* What there is to show. Members are the page's; arrays are empty where no file has any. */
struct page {
    json_t *files;          /* objects "path", "kind", "note", "partial": of how many commands that
                               ended before all was in it */
    json_t *before, *after; /* snapshots; null */
    json_t *difference;     /* as `compare --json` writes it; null */
    json_t *environment;    /* of the newest snapshot; null */
    json_t *results;        /* rows of `run`, each with its "group": the place of the first row of
                               the same kernel and form */
    json_t *races;          /* rows of `races`, "engine" where it is known */
    json_t *counters;       /* likewise of `counters` */
    json_t *toolchains;     /* what `toolchain --json` writes */
    json_t *ladder;         /* rows of ci/bench */
    json_t *lacks;          /* texts: what files were to hold, and have not */
    json_t *wrongs;         /* texts: what is wrong, and in no row that a section has */
};

/* Reads the files, of which snapshots come the older one first. False after one sentence on
 * standard error that names the file. page_free() in either case. */
bool page_read(struct page *page, const char *const *paths, size_t count);
void page_free(struct page *page);

/* The page as a session_writer of session.h. */
bool page_write(const void *page, FILE *to);

/* ---- Sections ---- */

/* A section that writes nothing is left out. */
typedef void page_section(FILE *to, const struct page *page);
page_section page_changes, page_environment, page_failures, page_verdicts, page_domains, page_races,
    page_launches, page_ladder, page_toolchains, page_files;

/* ---- Rows ---- */

/* A walk over an array: for (struct each k = {.rows = rows}; each_next(&k);) */
struct each {
    const json_t *rows;
    size_t next; /* the place behind the row */
    const json_t *row;
};
bool each_next(struct each *each);

/* A test of one row, and how many rows pass it. */
typedef bool page_test(const json_t *row);
size_t page_count(const json_t *rows, page_test *is);

/* Counts the rows whose verdict is of that class. */
size_t page_count_class(const json_t *rows, const char *class);

/* Compares a member that is a text, with a text or with that of another row. */
bool page_is(const json_t *row, const char *member, const char *text);
bool page_is_alike(const json_t *a, const json_t *b, const char *member);

/* True where a stage of a toolchain makes wrong code, or the same code of two programs. */
page_test page_stage_is_wrong;

/* True where a stage has not tried all programs or kernels. */
page_test page_stage_is_untried;

/* True where a row of races is not as its descriptor claims, or ends in a fault. */
page_test page_race_is_wrong;

/* ---- Markup ---- */

/* Writes markup with members of a row in it, escaped:
 *     {name}            a text; "" where it is none
 *     {#name}           a whole number; 0 where it is none
 *     {=name}           a verdict: mark and word
 *     {?name} ... {/}   only where the member is there and is not empty, zero or false
 *     {!name} ... {/}   only where it is not so
 *     {*name} ... {/}   once for each item of an array, with names that are the item's
 * A name such as "witness.size" or "block.0" is a path, and "." is the row itself. */
void page_fill(FILE *to, const json_t *row, const char *markup);

/* The class of a verdict in page.css, such as "good"; "bad" for one that is not known. */
const char *page_class(const char *verdict);

/* A mark that says a verdict without colour, such as "✓". */
const char *page_mark(const char *verdict);

/* A table that scrolls by itself, up to its first row. `heads` ends with null. */
void page_table(FILE *to, const char *caption, const char *const heads[]);
void page_table_end(FILE *to);

/* Lines of a kernel's source around that one, where the file is at hand: it lies in the folder of
 * kernels, or in the one in which the program runs. Else its name and the number alone. */
void page_code(FILE *to, const char *file, json_int_t line);

/* Two accesses that nothing orders, as races_pair_json() of races_report.h writes them. */
void page_pair(FILE *to, const json_t *pair);

/* The command line that runs a case again; nothing for an empty token. */
void page_replay(FILE *to, const char *token);

/* What came of a witness, in words. */
void page_outcome(FILE *to, const json_t *witness);

/* ---- Charts ---- */

/* Where a kernel is right: the map of a row of verdicts, which `engines` share. */
void page_map(FILE *to, const json_t *map, const char *engines);
void page_map_legend(FILE *to);

/* True where a map has anything but what is right inside the domain. */
bool page_map_is_mixed(const json_t *map);

/* The grids of a depth of nested launches, drawn and in words. `most` is the largest of
 * page_level_height(). */
void page_grids(FILE *to, const json_t *level, size_t depth, int most);
int page_level_height(const json_t *level);

/* A number that may have a fraction; 0 where it is none. */
double page_real(const json_t *row, const char *name);

/* The largest value of a member, and the smallest above a bound; 0 where there is none. */
double page_most(const json_t *rows, const char *name);
double page_next_size(const json_t *rows, double above);

/* A quartile of a rung's rates: the first, 0, or the third, 1. Without any, the rate itself. */
double page_quartile(const json_t *rung, size_t which);

/* A bar, and lines over sizes, of rates of the ladder. */
void page_bar(FILE *to, const json_t *rung, double most);
void page_lines(FILE *to, const json_t *rungs);

#endif
