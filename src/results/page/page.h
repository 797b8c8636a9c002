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
    json_t *results;        /* rows of `run` */
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

/* What is wrong, and whether it is known, in a line each. One is green where on the whole page
 * nothing is wrong and nothing is lacking. */
void page_headline(FILE *to, const struct page *page);

/* ---- Sections ---- */

struct page_section {
    const char *id, *title;
    bool (*has)(const struct page *page); /* is there something to show? */
    void (*write)(FILE *to, const struct page *page);
};

extern const struct page_section page_changes, page_environment, page_failures, page_verdicts,
    page_domains, page_races, page_launches, page_ladder, page_toolchain, page_files;

/* ---- What sections share ---- */

/* The class of a verdict in page.css, such as "good"; "bad" for one that is not known. */
const char *page_class(const char *verdict);

/* How many rows of verdicts are of that class. */
size_t page_count(const struct page *page, const char *class);

/* A mark that says a verdict without colour, such as "✓". */
const char *page_mark(const char *verdict);

/* The sign of a verdict: mark and word. */
void page_verdict(FILE *to, const char *verdict);

/* Does the stage of a toolchain make wrong code, or the same code of two programs? */
bool page_stage_is_wrong(const json_t *stage);

/* Has it not tried all that it was to try? */
bool page_stage_is_untried(const json_t *stage);

/* Is a row of races not as its descriptor claims, or a fault? */
bool page_race_is_wrong(const json_t *row);

/* The first row of the same kernel and form: its rows on all engines are one group. */
size_t page_group(const json_t *rows, size_t r);

/* Has the group whose first row that is a part "domain-<r>" in the section of domains? */
bool page_has_domain(const struct page *page, size_t r);

/* Lines of a kernel's source around that one, where the file is at hand: it lies in the folder of
 * kernels, or in the one in which the program runs. Else its name and the number alone. */
void page_code(FILE *to, const char *file, json_int_t line);

/* Two accesses that nothing orders, as races_pair_json() of races_report.h writes them. */
void page_pair(FILE *to, const json_t *pair);

/* The command line that runs a case again; nothing for an empty token. */
void page_replay(FILE *to, const char *token);

/* What came of a witness, in words. */
void page_outcome(FILE *to, const json_t *witness);

#endif
