/* SPDX-License-Identifier: MIT
 *
 * Messages about a program as compilers print them: a title with a place, source lines, and notes.
 */
#ifndef SIMTCHECK_FINDINGS_MESSAGE_H
#define SIMTCHECK_FINDINGS_MESSAGE_H

#include "outcome.h"

#include <stdio.h>

/* How the parts of a message are written, in the order of the functions below. */
struct message_form {
    void (*title)(FILE *to, const char *file, uint64_t line, const char *level, const char *text);
    void (*place)(FILE *to, const char *file, uint64_t line, const char *text);
    void (*note)(FILE *to, const char *word, const char *text);
    void (*end)(FILE *to);
};

/* Where messages go. */
struct printer {
    FILE *to;
    bool has_colour, hides_source;   /* hides_source: shows no source lines */
    const struct message_form *form; /* null: lines of text */
};

enum mark { MARK_NONE, MARK_BOLD, MARK_RED, MARK_GREEN, MARK_YELLOW, MARK_BLUE };

/* Returns whether texts for that file have colours: it is a terminal, and NO_COLOR is not set
 * (no-color.org). */
bool colours_fit(FILE *to);

/* Changes how the texts that follow look, if the printer has colours. */
void message_mark(const struct printer *printer, enum mark mark);

/* Prints the first line. Without a line, `file` alone is the place, or nothing if it is null. */
void message_title(const struct printer *printer, const char *file, uint64_t line,
                   const char *level, const char *text);

/* Returns a line of a file, which the caller frees, or null. */
char *message_source(const char *file, uint64_t line);

/* Prints a line of the source, and what happens there. Returns false if the file has no such line
 * or cannot be read. */
bool message_place(const struct printer *printer, const char *file, uint64_t line,
                   const char *text);

/* The same for a second place. A line that is that of the first place is shown only once. `names`
 * tells to add file and line to the text. */
void message_related(const struct printer *printer, const char *first_file, uint64_t first_line,
                     const char *file, uint64_t line, const char *text, bool names);

/* Prints a line that begins with a word, such as "note". */
void message_note(const struct printer *printer, const char *word, const char *text);

/* Ends a message. */
void message_end(const struct printer *printer);

/* ---- Words ---- */

/* Writes the name of a rule in words, such as "out-of-bounds read". Returns the text. */
enum { RULE_TITLE = 64 };
const char *rule_title(const char *rule, char text[RULE_TITLE]);

/* Writes the calls of `outer`, as in struct fault, of which those of the same file are ":12" there:
 * "line 12, other.h:3". Of many, the first ones and the last one. Returns the text. */
const char *calls_text(const char *outer, char text[SOURCE_LINE]);

/* Writes a thread, such as "thread 5 of block 0" or "thread (1,2) of block 0", by as many indices
 * as both that thread and `other`, which may be null, need. Returns the text. */
enum { THREAD_TEXT = 96 };
const char *thread_text(const struct extent *thread, const struct extent *block,
                        const struct race_side *other, char text[THREAD_TEXT]);

#endif
