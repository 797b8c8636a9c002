/* SPDX-License-Identifier: MIT
 *
 * Faults in words. fault_render() fills the templates of fault_sentences.h.
 */
#include "fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kinds ---- */

static const struct {
    const char *name, *meaning, *cuda, *sanitizer;
    unsigned int identity;
} faults[] = {
#define ROW(name, word, meaning, error, cuda, sanitizer, identity)                                 \
    {word, meaning, cuda, sanitizer, identity},
    FAULT_KIND_ROWS(ROW)
#undef ROW
};

const char *fault_name(enum fault_kind kind)
{
    return faults[kind].name;
}

const char *fault_meaning(enum fault_kind kind)
{
    return faults[kind].meaning;
}

const char *fault_on_cuda(enum fault_kind kind)
{
    return faults[kind].cuda;
}

const char *fault_in_sanitizer(enum fault_kind kind)
{
    return faults[kind].sanitizer;
}

unsigned int fault_identity(enum fault_kind kind)
{
    return faults[kind].identity;
}

/* ---- Sentences ---- */

static const char *const sentences[] =
    {
#define ROW(name, template) [SAYS_##name] = (template),
        FAULT_SENTENCE_ROWS(ROW)
#undef ROW
},
                         *const origins[] = {
#define ROW(name, word, template) [FROM_##name] = (template),
                             FAULT_ORIGIN_ROWS(ROW)
#undef ROW
};

/* Appends to a text of that size, which cuts what is longer. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

const char *array_element_text(const struct array_element *element, char *text, size_t size)
{
    bool is_phrase = strchr(element->array, ' ') != NULL; /* such as a call of the host */
    bool is_indexed = element->indexed[0] != '\0';

    snprintf(text, size,
             is_indexed || element->unit == ELEMENT_NONE   ? "%1$s"
             : element->unit == ELEMENT_INDEX && is_phrase ? "element %2$" PRId64 " of %1$s"
             : element->unit == ELEMENT_INDEX              ? "%1$s[%2$" PRId64 "]"
             : element->unit == ELEMENT_BYTE               ? "%1$s, byte %2$" PRId64
                                                           : "byte %2$" PRId64 " of %1$s",
             is_indexed ? element->indexed : element->array, element->index);
    return text;
}

static void add_waiting(char *text, size_t size, const struct fault *fault)
{
    for (int k = 0; k < FAULT_PLACES && fault->others[k].line != 0; k++) {
        const struct fault_place *other = &fault->others[k];
        add(text, size, "%s%u thread%s at %s:%d", k > 0 ? ", " : "", other->threads,
            other->threads == 1 ? "" : "s", other->file, other->line);
    }
}

/* Adds a name with an index, such as "x0". Returns false if the name has no index. */
static bool add_indexed(char *text, size_t size, const struct fault *fault, const char *name)
{
    size_t letters = strcspn(name, "0123456789");
    unsigned int k = (unsigned int)strtoul(name + letters, NULL, 10);
    const struct fault_place *other = &fault->others[k % FAULT_PLACES];
    int64_t number = fault->numbers[k % FAULT_NUMBERS];

    if (name[letters] == '\0')
        return false;
    if (letters == 0)
        add(text, size, "%" PRId64, number);
    else if (name[0] == 'x')
        add(text, size, "0x%" PRIx64, (uint64_t)number);
    else if (name[0] == 'w')
        add(text, size, "0x%08" PRIx64, (uint64_t)number);
    else if (name[0] == 'q')
        add(text, size, "0x%016" PRIx64, (uint64_t)number);
    else if (name[0] == 's')
        add(text, size, "%s", number == 1 ? "" : "s");
    else if (name[0] == 'a')
        add(text, size, "%s:%d", other->file, other->line);
    else if (name[0] == 'l')
        add(text, size, "%d", other->line);
    else
        add(text, size, "%s%s", other->outer[0] != '\0' ? ", inlined at " : "", other->outer);
    return true;
}

static void fill(char *text, size_t size, const struct fault *fault, const char *template);

static void add_member(char *text, size_t size, const struct fault *fault, const char *name)
{
    char place[sizeof fault->element.array + 48];

    if (add_indexed(text, size, fault, name))
        return;
    if (strcmp(name, "verb") == 0)
        add(text, size, "%s", fault->writes ? "writes" : "reads");
    else if (strcmp(name, "bytes") == 0)
        add(text, size, "%u", fault->bytes);
    else if (strcmp(name, "array") == 0)
        add(text, size, "%s", fault->element.array);
    else if (strcmp(name, "element") == 0)
        add(text, size, "%" PRId64, fault->element.index);
    else if (strcmp(name, "elements") == 0)
        add(text, size, "%" PRIu64,
            fault->element.indexed[0] != '\0' ? fault->element.declared : fault->element.count);
    else if (strcmp(name, "place") == 0)
        add(text, size, "%s", array_element_text(&fault->element, place, sizeof place));
    else if (strcmp(name, "stored") == 0)
        add(text, size, "%s", array_element_text(&fault->stored, place, sizeof place));
    else if (strcmp(name, "object") == 0)
        add(text, size, "%s", fault->object);
    else if (strcmp(name, "reason") == 0)
        add(text, size, "%s", fault->reason);
    else if (strcmp(name, "depth") == 0)
        add(text, size, "%u", fault->depth);
    else if (strcmp(name, "origin") == 0)
        fill(text, size, fault, origins[fault->origin]);
    else if (strcmp(name, "waiting") == 0)
        add_waiting(text, size, fault);
    else
        abort(); /* no such member: a test renders every sentence */
}

static void fill(char *text, size_t size, const struct fault *fault, const char *template)
{
    while (*template != '\0') {
        size_t plain = strcspn(template, "{");
        char name[16];
        add(text, size, "%.*s", (int)plain, template);
        template += plain;
        if (*template == '\0')
            break;
        plain = strcspn(template, "}");
        snprintf(name, sizeof name, "%.*s", (int)plain - 1, template + 1);
        add_member(text, size, fault, name);
        template += plain + 1;
    }
}

void sentence_render(enum fault_sentence sentence, const int64_t numbers[FAULT_NUMBERS], char *text,
                     size_t size)
{
    struct fault members = {.sentence = sentence};

    memcpy(members.numbers, numbers, sizeof members.numbers);
    text[0] = '\0';
    fill(text, size, &members, sentences[sentence]);
}

/* Cuts the place of the origin, such as ", read at my.cu:3", from the end of a sentence. */
static void cut_place(const struct fault_place *place, char *text)
{
    char end[sizeof place->file + 32];
    size_t length = strlen(text);
    size_t cut = (size_t)snprintf(end, sizeof end, " at %s:%d", place->file, place->line);

    if (cut > length || strcmp(text + length - cut, end) != 0)
        return;
    text[length - cut] = '\0';
    if (strrchr(text, ',') != NULL)
        *strrchr(text, ',') = '\0';
}

void fault_clause(const struct fault *fault, enum fault_shown shown, char *text, size_t size)
{
    const struct fault_place *from = &fault->others[0];

    text[0] = '\0';
    fill(text, size, fault, sentences[fault->sentence]);
    if (fault->origin != FROM_NOTHING &&
        (shown == SHOWN_OTHER || (shown == SHOWN_PLACE && from->line == fault->line &&
                                  strcmp(from->file, fault->file) == 0)))
        cut_place(from, text);
}

void fault_render(struct fault *fault)
{
    size_t size = sizeof fault->text;
    char *text = fault->text;
    const struct extent *t = &fault->thread, *b = &fault->block;

    text[0] = '\0';
    if (fault->has_thread)
        add(text, size, "thread (%u,%u,%u) of block (%u,%u,%u) ", t->x, t->y, t->z, b->x, b->y,
            b->z);
    if (fault->has_thread && fault->depth > 0)
        add(text, size, "of a grid at depth %u ", fault->depth);
    fill(text, size, fault, sentences[fault->sentence]);
    if (fault->line != 0)
        add(text, size, " (%s:%d%s%s)", fault->file, fault->line,
            fault->outer[0] != '\0' ? ", inlined at " : "", fault->outer);
    if (fault->removed[0] != '\0')
        add(text, size, "; %s", fault->removed);
}

bool fault_is_in_library(const char *file, int line, const char *library)
{
    char place[SOURCE_LINE];

    snprintf(place, sizeof place, "%s:%d", file, line);
    return strcmp(place, library) == 0;
}

void fault_set(struct fault *fault, enum fault_kind kind, const char *format, ...)
{
    va_list arguments;

    *fault = (struct fault){.kind = kind, .sentence = SAYS_REASON};
    va_start(arguments, format);
    vsnprintf(fault->reason, sizeof fault->reason, format, arguments);
    va_end(arguments);
    fault_render(fault);
}
