/* SPDX-License-Identifier: MIT */
#include "message.h"

#include "printable.h"
#include "verdict_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_WIDTH = 5 /* of a line number */, MAX_COLUMNS = 200 /* of a source line */ };

bool colours_fit(FILE *to)
{
    const char *none = getenv("NO_COLOR");

    return printable_columns(to) > 0 && (none == NULL || none[0] == '\0');
}

void message_mark(const struct printer *printer, enum mark mark)
{
    static const char *const codes[] = {"\033[0m",    "\033[1m",    "\033[1;31m",
                                        "\033[1;32m", "\033[1;33m", "\033[1;34m"};

    if (printer->has_colour)
        printable_sequence(printer->to, codes[mark]);
}

void message_title(const struct printer *printer, const char *file, uint64_t line,
                   const char *level, const char *text)
{
    if (printer->form != NULL) {
        printer->form->title(printer->to, file, line, level, text);
        return;
    }
    message_mark(printer, MARK_BOLD);
    if (file != NULL && line > 0)
        fprintf(printer->to, "%s:%" PRIu64 ": ", file, line);
    else if (file != NULL)
        fprintf(printer->to, "%s: ", file);
    message_mark(printer, strcmp(level, "error") == 0 ? MARK_RED : MARK_YELLOW);
    fprintf(printer->to, "%s: ", level);
    message_mark(printer, MARK_NONE);
    message_mark(printer, MARK_BOLD);
    fprintf(printer->to, "%s\n", text);
    message_mark(printer, MARK_NONE);
}

char *message_source(const char *file, uint64_t line)
{
    FILE *from = line > 0 ? fopen(file, "re") : NULL;
    char *text = NULL;
    size_t size = 0;
    uint64_t at = 0;

    while (from != NULL && at < line && getline(&text, &size, from) > 0)
        at++;
    if (from != NULL)
        fclose(from);
    if (at > 0 && at == line)
        return text;
    free(text);
    return NULL;
}

/* Cuts a source line to the width of the terminal, and blanks control characters. */
static void fit(char *text, unsigned int columns)
{
    const size_t most = columns > 2 * NUMBER_WIDTH ? columns - NUMBER_WIDTH - 3 : MAX_COLUMNS;

    text[strcspn(text, "\r\n")] = '\0';
    if (strlen(text) > most)
        strcpy(text + most - 3, "...");
    for (; *text != '\0'; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == '\177')
            *text = ' ';
}

/* Prints a line of a file without its line end. Returns false if the file lacks it. */
static bool print_source(const struct printer *printer, const char *file, uint64_t line)
{
    char *text = printer->hides_source ? NULL : message_source(file, line);
    bool is_read = text != NULL;

    if (is_read) {
        fit(text, printable_columns(printer->to));
        message_mark(printer, MARK_BLUE);
        fprintf(printer->to, "%*" PRIu64 " |", NUMBER_WIDTH, line);
        message_mark(printer, MARK_NONE);
        fprintf(printer->to, " %s\n", text);
    }
    free(text);
    return is_read;
}

bool message_place(const struct printer *printer, const char *file, uint64_t line, const char *text)
{
    bool found;

    if (printer->form != NULL) {
        printer->form->place(printer->to, file, line, text);
        return true;
    }
    found = print_source(printer, file, line);
    message_mark(printer, MARK_BLUE);
    fprintf(printer->to, "%*s |", NUMBER_WIDTH, "");
    message_mark(printer, MARK_NONE);
    fprintf(printer->to, "     %s\n", text);
    return found;
}

void message_related(const struct printer *printer, const char *first_file, uint64_t first_line,
                     const char *file, uint64_t line, const char *text, bool names)
{
    bool is_shown = printer->form == NULL && line == first_line && strcmp(file, first_file) == 0;
    char named[2048];

    snprintf(named, sizeof named, "%s (%s:%" PRIu64 ")", text, file, line);
    message_place(printer, file, is_shown && !names ? 0 : line, names && line > 0 ? named : text);
}

void message_note(const struct printer *printer, const char *word, const char *text)
{
    if (printer->form != NULL) {
        printer->form->note(printer->to, word, text);
        return;
    }
    fputs("   ", printer->to);
    message_mark(printer, MARK_BOLD);
    fprintf(printer->to, "%s:", word);
    message_mark(printer, MARK_NONE);
    fprintf(printer->to, " %s\n", text);
}

void message_end(const struct printer *printer)
{
    if (printer->form != NULL)
        printer->form->end(printer->to);
    else
        fputc('\n', printer->to);
}

/* ---- Words ---- */

const char *rule_title(const char *rule, char text[RULE_TITLE])
{
    static const char bounds[] = "out-of-bounds";
    const char *const titles[][2] = {{race_verdict_name(RACE), "data race"},
                                     {race_verdict_name(ORDER_DEPENDENT), "order-dependent result"},
                                     {"determinism", "differing result"},
                                     {"invalid-async", "invalid asynchronous operation"},
                                     {"cost", "higher cost"},
                                     {"unsupported", "unsupported feature"}};
    char *from = text;

    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
        if (strcmp(rule, titles[k][0]) == 0)
            return titles[k][1];
    snprintf(text, RULE_TITLE, "%s", rule);
    if (strncmp(text, bounds, strlen(bounds)) == 0)
        from += strlen(bounds);
    for (; *from != '\0'; from++)
        *from = *from == '-' ? ' ' : *from;
    return text;
}

const char *calls_text(const char *outer, char text[SOURCE_LINE])
{
    enum { MOST = 4 };
    const char *file = outer;
    size_t used = 0;

    text[0] = '\0';
    for (int k = 0; outer[0] != '\0' && used < SOURCE_LINE; k++) {
        size_t length = strcspn(outer, ",");
        bool is_own = outer[0] == ':', is_last = outer[length] == '\0';
        file = is_own ? file : outer;
        if (k < MOST)
            used += (size_t)snprintf(text + used, SOURCE_LINE - used, "%s%s%.*s", k > 0 ? ", " : "",
                                     is_own ? "line " : "", (int)(length - is_own), outer + is_own);
        else if (is_last) /* the code of the user, below that of libraries */
            snprintf(text + used, SOURCE_LINE - used, ", up to %s%.*s%.*s",
                     file[0] == ':' ? "line " : "", is_own ? (int)strcspn(file, ":") : 0, file,
                     (int)(length - (file[0] == ':')), outer + (file[0] == ':'));
        outer += length;
        outer += strspn(outer, ", ");
    }
    return text;
}

static unsigned int dimensions_of(const struct extent *at)
{
    return at->z > 0 ? 3 : at->y > 0 ? 2 : 1;
}

static void write_index(const struct extent *at, const struct extent *other, char text[40])
{
    unsigned int own = dimensions_of(at), its = other != NULL ? dimensions_of(other) : 1;
    unsigned int count = own > its ? own : its;

    snprintf(text, 40,
             count == 1   ? "%1$u"
             : count == 2 ? "(%1$u,%2$u)"
                          : "(%1$u,%2$u,%3$u)",
             at->x, at->y, at->z);
}

const char *thread_text(const struct extent *thread, const struct extent *block,
                        const struct race_side *other, char text[THREAD_TEXT])
{
    char of_thread[40], of_block[40];

    write_index(thread, other != NULL ? &other->thread : NULL, of_thread);
    write_index(block, other != NULL ? &other->block : NULL, of_block);
    snprintf(text, THREAD_TEXT, "thread %s of block %s", of_thread, of_block);
    return text;
}
