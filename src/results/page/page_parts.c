/* SPDX-License-Identifier: MIT
 *
 * What sections of a page share: verdicts, lines of source, accesses, commands.
 */
#include "html.h"
#include "installation.h"
#include "members.h"
#include "page.h"
#include "record_snapshot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Verdicts ---- */

struct sign {
    const char *class, *mark;
};

static const struct sign good = {"good", "✓"}, domain = {"domain", "◐"}, finding = {"finding", "!"},
                         bad = {"bad", "✗"}, none = {"none", "–"}, unknown = {"bad", "?"};

static const struct sign *const run_signs[VERDICTS] = {
    [VERDICT_CONFORMS] = &good,   [VERDICT_CONFORMS_IN_DOMAIN] = &domain,
    [VERDICT_FINDING] = &finding, [VERDICT_MISMATCH] = &bad,
    [VERDICT_FAULT] = &bad,       [VERDICT_UNAVAILABLE] = &none,
    [VERDICT_PARTIAL] = &unknown,
};

static const struct sign *const race_signs[RACE_VERDICTS] = {
    [RACE_FREE] = &good,       [RACE] = &finding,   [ORDER_DEPENDENT] = &finding,
    [RACE_OF_SAME] = &finding, [RACE_FAULT] = &bad, [RACE_UNAVAILABLE] = &none,
};

static const struct sign change_signs[CHANGES] = {
    [CHANGE_SAME] = {"bad", "?"},    [CHANGE_CHANGED] = {"finding", "~"},
    [CHANGE_NEW] = {"domain", "+"},  [CHANGE_FIX] = {"good", "✓"},
    [CHANGE_MISSING] = {"bad", "?"}, [CHANGE_REGRESSION] = {"bad", "✗"},
};

static const struct sign *sign_of(const char *word)
{
    unsigned int verdict = words_value(&verdict_words, word),
                 race = words_value(&race_verdict_words, word);

    if (word[0] == '\0')
        return &none;
    if (verdict < VERDICTS)
        return run_signs[verdict];
    if (race < RACE_VERDICTS)
        return race_signs[race];
    for (int change = 0; change < CHANGES; change++)
        if (strcmp(change_name((enum change)change), word) == 0)
            return &change_signs[change];
    return &unknown;
}

const char *page_class(const char *verdict)
{
    return sign_of(verdict)->class;
}

const char *page_mark(const char *verdict)
{
    return sign_of(verdict)->mark;
}

void page_verdict(FILE *to, const char *verdict)
{
    html(to, "<span class=\"sign %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
         page_class(verdict), page_mark(verdict), verdict);
}

/* ---- Lines of source ---- */

enum { LINES_AROUND = 2, LINES_SHOWN = 2 * LINES_AROUND + 1, LONGEST_SOURCE = 1 << 20 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Source code only: a file of results may name any file. */
static bool is_source(const char *path)
{
    return ends_with(path, ".cu") || ends_with(path, ".cuh") || ends_with(path, ".h") ||
           ends_with(path, ".c");
}

/* Opens a file that lies within a folder; null when it does not, or is too long. */
static FILE *open_within(const char *folder, const char *file)
{
    char path[PATH_MAX], root[PATH_MAX], target[PATH_MAX];
    struct stat status;
    size_t length;

    if (snprintf(path, sizeof path, "%s%s%s", file[0] == '/' ? "" : folder,
                 file[0] == '/' ? "" : "/", file) >= (int)sizeof path ||
        realpath(folder, root) == NULL || realpath(path, target) == NULL)
        return NULL;
    length = strlen(root);
    if (strncmp(target, root, length) != 0 || (target[length] != '/' && length > 1) ||
        !is_source(target) || stat(target, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > LONGEST_SOURCE)
        return NULL;
    return fopen(target, "r");
}

static FILE *open_source(const char *file)
{
    char kernels[PATH_MAX], *slash;
    FILE *from;

    if (file[0] == '\0')
        return NULL;
    installation_data("kernels", kernels, sizeof kernels);
    slash = strrchr(kernels, '/');
    if (slash != NULL && strncmp(file, "kernels/", 8) == 0 &&
        (from = open_within(kernels, file + 8)) != NULL)
        return from;
    return open_within(".", file);
}

/* Up to so many lines, from `first` on; returns their number. Each is the caller's. */
static int read_lines(FILE *from, json_int_t first, char *lines[LINES_SHOWN])
{
    char *text = NULL;
    size_t room = 0;
    int count = 0;

    for (json_int_t k = 1; count < LINES_SHOWN && getline(&text, &room, from) >= 0; k++) {
        if (k < first)
            continue;
        text[strcspn(text, "\r\n")] = '\0';
        lines[count++] = text;
        text = NULL;
        room = 0;
    }
    free(text);
    return count;
}

/* How many columns all lines that are not empty leave blank. */
static size_t indentation(char *const lines[], int count)
{
    size_t least = SIZE_MAX;

    for (int k = 0; k < count; k++) {
        size_t blank = strspn(lines[k], " \t");
        if (lines[k][blank] != '\0' && blank < least)
            least = blank;
    }
    return least;
}

/* The lines around that one; false when it is not in the file. */
static bool write_lines(FILE *to, FILE *from, json_int_t line)
{
    json_int_t first = line > LINES_AROUND ? line - LINES_AROUND : 1;
    char *lines[LINES_SHOWN];
    int count = read_lines(from, first, lines);
    size_t blank = indentation(lines, count);

    for (int k = 0; k < count; k++) {
        const char *text = strlen(lines[k]) < blank ? "" : lines[k] + blank;
        html(to, first + k == line ? "<mark><i>%lld</i> %s</mark>" : "<i>%lld</i> %s\n", first + k,
             text);
        free(lines[k]);
    }
    return first + count > line;
}

void page_code(FILE *to, const char *file, json_int_t line)
{
    FILE *from = line > 0 && line < LONGEST_SOURCE ? open_source(file) : NULL;

    html(to, "<p class=\"where\"><code>%s:%lld</code></p>\n", file, line);
    if (from == NULL)
        return;
    html(to, "<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"%s, line %lld\">",
         file, line);
    if (!write_lines(to, from, line))
        html(to, "The file at hand has no such line.");
    html(to, "</pre>\n");
    fclose(from);
}

/* ---- Accesses ---- */

/* What an access wrote or read, as a 32-bit number. */
static void write_values(FILE *to, const json_t *side)
{
    const json_t *before = json_object_get(side, "old"), *after = json_object_get(side, "new"),
                 *value = json_object_get(side, "value");

    if (before != NULL && after != NULL)
        html(to, ", %d to %d", (int)json_integer_value(before), (int)json_integer_value(after));
    else if (after != NULL || value != NULL)
        html(to, ", %d", (int)json_integer_value(after != NULL ? after : value));
}

static void write_side(FILE *to, const json_t *side, const char *lead)
{
    const char *access = text_in(side, "access");

    html(to, "<div class=\"side\"><p><b>%s</b> thread (%lld,%lld,%lld) of block (%lld,%lld,%lld)",
         lead, number_at(side, "thread", 0), number_at(side, "thread", 1),
         number_at(side, "thread", 2), number_at(side, "block", 0), number_at(side, "block", 1),
         number_at(side, "block", 2));
    if (number_in(side, "grid") > 0)
        html(to, " of grid %lld", number_in(side, "grid"));
    html(to, " <b>%s</b> it%s%s",
         strcmp(access, "atomic") == 0  ? "updates"
         : strcmp(access, "write") == 0 ? "writes"
                                        : "reads",
         strcmp(access, "atomic") == 0 ? " atomically, in the scope of its " : "",
         strcmp(access, "atomic") == 0                     ? text_in(side, "scope")
         : json_is_true(json_object_get(side, "volatile")) ? " (volatile)"
                                                           : "");
    write_values(to, side);
    html(to, ", in <code>%s</code></p>\n", text_in(side, "kernel"));
    page_code(to, text_in(side, "file"), number_in(side, "line"));
    if (json_object_get(side, "inlined_at") != NULL)
        html(to, "<p class=\"where\">inlined at <code>%s</code></p>\n",
             text_in(side, "inlined_at"));
    html(to, "</div>\n");
}

void page_pair(FILE *to, const json_t *pair)
{
    bool strong = json_is_true(json_object_get(pair, "strong"));

    html(to, "<div class=\"pair\"><p class=\"place\">%s</p>\n<div class=\"sides\">\n",
         text_in(pair, "place"));
    write_side(to, json_object_get(pair, "first"), "first");
    write_side(to, json_object_get(pair, "second"), "then");
    html(to, "</div>\n<p class=\"missing\">%s%s</p></div>\n", text_in(pair, "missing"),
         strong ? "; both are strong: no race, but their order may matter" : "");
}

/* ---- Cases ---- */

void page_replay(FILE *to, const char *token)
{
    if (token[0] != '\0')
        html(to,
             "<pre class=\"command\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"Command\">simtcheck replay %s</pre>\n",
             token);
}

void page_outcome(FILE *to, const json_t *witness)
{
    const json_t *fault = json_object_get(witness, "fault");

    if (fault != NULL)
        html(to, "<b>%s</b>: %s", text_in(fault, "kind"), text_in(fault, "text"));
    else if (json_object_get(witness, "expected") != NULL)
        html(to, "<code>%s</code>: expected <code>%s</code>, got <code>%s</code>",
             text_in(witness, "place"), text_in(witness, "expected"), text_in(witness, "got"));
    else
        html(to, "%s", text_in(witness, "outcome"));
}
