/* SPDX-License-Identifier: MIT
 *
 * The page of `report`: the contents of files of results, and its sections.
 */
#ifndef SIMTCHECK_PAGE_H
#define SIMTCHECK_PAGE_H

#include "json_model.h"
#include "message.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes one page of HTML from files that other commands wrote. The page needs no other file, no
 * script and no network. Returns the exit status. */
int page_make(const char *html, const char *const *paths, size_t count);

/* ---- The contents of a page ---- */

/* A page is a JSON object with these members. A list is empty if no file has any of it, and another
 * member is missing.
 *
 *     files           objects "path", "kind", "document", "note" and "partial": the number of
 *                     incomplete runs
 *     before, after   those of the older and of the newest snapshot
 *     difference      as `compare --json` writes it
 *     environment     of the newest snapshot
 *     lacks, wrongs   texts: requested results that files lack; failures that are in no row
 *     judged          launches, with verdict and messages (page_findings.c)
 *     messages        texts: errors of the commands that judged them
 *     run, races ...  the rows of each section, by the name of its struct part_rows
 *
 * and what the functions below add. A row with a verdict also has its "class" in page.css, and its
 * "mark". */

/* Adds "changes", the rows of each kind of change, and "facts" of the environment. */
void page_add_changes(json_t *page);

/* Adds "matrix", the rows of `run` by kernel, variant and engine; "kernels", lists of them by
 * kernel and variant; and "racing", the rows of `races` of each kernel that is not race-free. A row
 * of `run` gets its index, "at"; "first" in its kernel and variant; and "link", the ID of the part
 * of the page that says more. Returns false after an error message if a row has two verdicts,
 * because the page cannot decide between them. */
bool page_add_kernels(json_t *page);

/* Return a verdict of the headline, a new object with "class" and "text", or null if the page has
 * nothing of the kind: that of launches (page_findings.c); whether to accept the newer of two
 * snapshots; and that of the rows of `run` and `races`, as these commands print it. `fails`:
 * something else on the page is wrong; `has_others`: is wrong or missing. */
json_t *page_launch_verdict(const json_t *page);
json_t *page_change_verdict(const json_t *page);
json_t *page_row_verdict(const json_t *page, bool fails, bool has_others);

/* In place of a path that is no text. */
#define PAGE_NO_NAME "a name that is not valid UTF-8"

/* Adds a text to "lacks" or "wrongs". */
void page_note(json_t *page, const char *list, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes the modules that an assembler rejects. */
void page_note_code(json_t *page, const json_t *code, const char *path);

/* Writes a page. This is a file_writer of atomic_file.h. */
bool page_write(const void *page, FILE *to);

/* ---- Rows ---- */

/* An iterator over an array: for (struct each k = {.rows = rows}; each_next(&k);) */
struct each {
    const json_t *rows;
    size_t next; /* the index after the row */
    const json_t *row;
};
bool each_next(struct each *each);

/* A test of a row. page_count() counts the rows that pass it; null: all. */
typedef bool page_test(const json_t *row);
size_t page_count(const json_t *rows, page_test *is);

/* Returns whether a member is that text. */
bool page_is(const json_t *row, const char *member, const char *text);

/* Returns the rows as lists of those for which the markup is alike, in the order of their first
 * rows. The caller owns the array. */
json_t *page_groups(const json_t *rows, const char *markup);

/* Adds "class" and "mark" to a row with a verdict. */
void page_add_sign(json_t *row);

/* ---- Markup ---- */

/* Markup is HTML with members of a row in it, escaped:
 *     {name}             a text; empty if the member is not a text
 *     {#name}            a whole number, or the length of an array; 0 if the member is neither
 *     {~name}            the "s" of a plural; nothing if the member is 1
 *     {=name}            a verdict as mark and word
 *     {-name}            a text that is HTML already
 *     {?name} ... {/}    this part, if the member exists and is not empty, zero or false
 *     {?name=word}       the same, if the member is that text or number
 *     {!name} ... {/}    this part, in the other case; the same for {!name=word}
 *     {*name} ... {/}    this part for each item of an array, or for an object; its names are
 *                        members of the item
 *     {,}                within such a part, ", " before each item but the first
 *     {@name}            what the struct page_part of that name writes
 * A name such as "counterexample.size" or "block.0" is a path. The name "." is the row itself. Of
 * an array, "name:member" and "name:member=word" are the items for which that holds, "name:<3" are
 * the first three, and "name:>3" the others. */

/* Returns the value of such a name, which the caller owns, or null. */
json_t *page_value(const json_t *row, const char *name);

/* What C writes within markup: a table, or what write() writes of the row. A list of parts ends
 * with one without a name. */
typedef void page_writer(FILE *to, const json_t *row);
struct page_part {
    const char *name;
    page_writer *write;                /* null: a table */
    const char *caption;               /* markup */
    const char *rows;                  /* the name of the member that has them */
    const struct table *fields;        /* of a row */
    const struct page_column *columns; /* ends with one without a head */
};

/* Writes a text that is between tags or within quotes. Texts come from untrusted files: each is
 * written by html_text(), directly or by page_fill(). Invalid UTF-8 and control characters become
 * U+FFFD, including those that change the direction of text. */
void html_text(FILE *to, const char *text);

/* Writes the markup of a row, with parts from a list; null: it has none. */
void page_fill(FILE *to, const struct page_part *parts, const char *markup, const json_t *row);

/* Returns the same as a text, which the caller frees. */
char *page_text(const struct page_part *parts, const char *markup, const json_t *row);

/* Markup of a known deviation (expectations.h). The link is text, since it comes from a file. */
#define PAGE_KNOWN_DEVIATION                                                                       \
    "{?known_deviation}<p class=\"note\">known deviation: <code>{known_deviation.link}</code> "    \
    "until {known_deviation.expires}</p>\n{/}"

/* ---- Sections ---- */

/* A line of the headline, if the count is not 0. It counts the items of a member of the rows, adds
 * the member if it is a number, or counts the rows themselves. */
struct page_line {
    bool is_lack;           /* something is missing, else wrong */
    const char *rows;       /* a member of the page */
    const char *member;     /* of a row; null: the row */
    page_test *is;          /* counts only what passes the test; null: all */
    const char *one, *many; /* what the number counts */
};

struct part_rows;

struct page_section {
    const char *id, *title;
    const char *markup; /* of the page. The page leaves out a section without text */
    const struct page_part *parts;
    const struct page_line *lines; /* ends with one without rows; null: none */
    /* The rows of a snapshot that it shows, and of files with the same rows; null: those of other
     * sections, or none. */
    const struct part_rows *rows;
    /* Notes what such a file, or that part of the snapshot, says besides the rows. Null: nothing.
     */
    void (*note)(json_t *page, const char *path, const json_t *document);
};

/* Returns section k, of the core or of a wing, or null after the last. */
const struct page_section *page_section_at(size_t k);

/* Lists of sections, which end with one without an ID. */
extern const struct page_section page_finding_sections[], page_change_sections[],
    page_kernel_sections[], page_launch_sections[];

/* ---- Tables ---- */

/* A column shows a member as its field table says: numbers to the right. The first column names the
 * row. */
struct page_column {
    const char *head;
    size_t member;      /* its offset in the structure of the rows */
    const char *markup; /* shown in place of the member; null: the member */
    page_writer *write; /* the same */
    page_test *is_bad;  /* null: never */
};

#define PAGE_COLUMN(title, structure, name, ...)                                                   \
    {                                                                                              \
        .head = (title), .member = offsetof(structure, name), __VA_ARGS__                          \
    }

/* Writes the table of the rows in that member, with its own scroll bar. */
void page_table(FILE *to, const struct page_part *table, const json_t *row);

/* ---- Messages, source lines and drawings ---- */

/* Writes messages of findings as HTML. The title begins a part of the page, and the end ends it. */
extern const struct message_form page_message_form;

/* Writes the location "file" and "line" of a row, and the source lines around it. The lines are
 * left out if the file is neither in the folder of kernels nor in the current one. */
page_writer page_code;

/* Draws where a kernel is right, from a list of rows: each different map once, with the engines
 * that have it. The legend ignores its row. */
page_writer page_maps, page_map_legend;

/* True if a map has any cell besides those that are right inside the domain. */
bool page_map_is_mixed(const json_t *map);

#endif
