/* SPDX-License-Identifier: MIT */
#include "source_element.h"

#include "expression.h"
#include "launch_types.h"
#include "source_path.h"
#include "whole_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIMENSIONS = 5, MAX_SIZE = 1 << 28, MAX_DEPTH = 8 };

/* A declared variable, parameter or member. */
struct declared {
    uint64_t bytes, align;   /* of its type */
    uint32_t lanes;          /* of a type of numbers */
    const char *members;     /* of a struct, after its brace; null: numbers */
    const char *name, *text; /* text: the whole source, without comments */
    size_t count;            /* of dimensions */
    uint64_t sizes[MAX_DIMENSIONS];
    bool is_known; /* type and sizes */
    bool is_open;  /* a pointer, or without its first size */
    int depth;     /* of structs and constants in others */
};

/* ---- Words ---- */

/* Blanks comments. Lines of the preprocessor end as statements do. */
static void blank(char *c)
{
    for (bool is_directive = false; *c != '\0'; c++) {
        const char *end = strncmp(c, "//", 2) == 0   ? c + strcspn(c, "\n")
                          : strncmp(c, "/*", 2) == 0 ? strstr(c, "*/")
                                                     : NULL;
        if (end != NULL)
            memset(c, ' ', (size_t)(end - c) + (*end == '*' ? 2 : 0));
        if (*c == '\n' && is_directive)
            *c = ';';
        is_directive = *c == '#' || (is_directive && *c != ';');
    }
}

/* Returns the next place before `end` of the word that begins at `word`, or null. */
static const char *next_word_before(const char *from, const char *end, const char *word)
{
    size_t length = reader_name_length(word);

    for (const char *c = from; length > 0 && c < end; c++) {
        c = memmem(c, (size_t)(end - c), word, length);
        if (c == NULL)
            break;
        if ((c == from || !(isalnum((unsigned char)c[-1]) || c[-1] == '_')) &&
            reader_name_length(c) == length)
            return c;
    }
    return NULL;
}

static const char *next_word(const char *from, const char *word)
{
    return next_word_before(from, from + strlen(from), word);
}

static bool has_word(const char *from, const char *end, const char *word)
{
    return next_word_before(from, end, word) != NULL;
}

/* Returns where the statement or parameter begins that has this place. */
static const char *statement_of(const char *text, const char *place)
{
    const char *c = place, *comma;
    int closed = 0;

    while (c > text && strchr(";{}", c[-1]) == NULL && (c[-1] != '(' || closed > 0)) {
        closed += (c[-1] == ')') - (c[-1] == '(');
        c--;
    }
    comma = c > text && c[-1] == '(' ? memrchr(c, ',', (size_t)(place - c)) : NULL;
    return comma != NULL ? comma + 1 : c;
}

/* ---- Sizes ---- */

static bool take_value(const char *text, struct reader *reader, int depth, int64_t *value);

/* Finds the value of a macro, constant or enumerator. All definitions must have the same. */
static bool find_constant(const char *text, const char *name, int depth, int64_t *value)
{
    bool is_found = false;

    for (const char *c = text; (c = next_word(c, name)) != NULL; c++) {
        char error[8] = "";
        struct reader reader = {c + reader_name_length(c), error, sizeof error};
        const char *start = statement_of(text, c);
        bool is_enumerator = start > text && start[-1] == '{' &&
                             has_word(statement_of(text, start - 1), start, "enum");
        bool is_constant = has_word(start, c, "const") || has_word(start, c, "constexpr");
        int64_t read;
        if (!has_word(start, c, "define") &&
            !((is_enumerator || is_constant) && reader_take(&reader, "=")))
            continue;
        if (depth == MAX_DEPTH || !take_value(text, &reader, depth + 1, &read) ||
            (is_found && read != *value))
            return false;
        is_found = true;
        *value = read;
    }
    return is_found;
}

/* Reads an expression of constants. */
static bool take_value(const char *text, struct reader *reader, int depth, int64_t *value)
{
    struct expression_names names = {0};
    struct expression expression = {0};
    struct number values[VARIABLES] = {0};

    if (!expression_read(reader, &names, &expression))
        return false;
    for (uint32_t v = 0; v < VARIABLES; v++) {
        const char *own =
            v < VARIABLE_OWN ? expression_sizes[v] : names.name[v - VARIABLE_OWN].text;
        if (expression_has(&expression, v) && !find_constant(text, own, depth, &values[v].integer))
            return false;
    }
    return expression_value(&expression, values, value);
}

/* ---- Declarations ---- */

static bool find_member(struct declared *of, int64_t offset, struct array_element *element);

/* Finds the definition of a struct. Returns false if there is none, or if its size is unknown. */
static bool find_struct(const char *name, struct declared *declared)
{
    for (const char *c = declared->text; (c = next_word(c, name)) != NULL; c++) {
        struct reader body = {.at = c + reader_name_length(c)};
        if (!has_word(statement_of(declared->text, c), c, "struct") || !reader_take(&body, "{"))
            continue;
        declared->members = body.at;
        return declared->depth < MAX_DEPTH && find_member(declared, INT64_MAX, NULL);
    }
    return false;
}

/* Reads words such as __shared__, and the type after them. Returns false if none is known before
 * the name of the declaration, if that is set. */
static bool take_type(struct reader *reader, struct declared *declared)
{
    struct launch_type number;

    for (size_t length = 1; length > 0; reader->at += length) {
        if (reader_take_word(reader, "alignas") || reader_take_word(reader, "__align__"))
            reader->at += strcspn(reader->at, ")") + (strchr(reader->at, ')') != NULL);
        reader_skip_blanks(reader);
        if (launch_type_take(reader, &number)) {
            uint64_t bytes = element_size(number.element) * number.lanes;
            declared->lanes = number.lanes;
            declared->bytes = bytes;
            declared->align = number.lanes == 3 ? bytes / 3 : bytes > 16 ? 16 : bytes;
            return true;
        }
        length = reader->at == declared->name ? 0 : reader_name_length(reader->at);
        if (length > 0 && find_struct(reader->at, declared)) {
            reader->at += length;
            return true;
        }
        if (length > 0 && reader->at[length] == '<')
            length += strcspn(reader->at + length, ">;") + (strchr(reader->at, '>') != NULL);
    }
    return false;
}

/* Takes a name with its sizes: "*x", "x[][N + 1]". */
static bool take_name(struct reader *reader, struct declared *declared)
{
    declared->is_open = reader_take(reader, "*");
    declared->count = declared->is_open;
    do { /* the last word is the name, as in "__restrict__ x" */
        reader_skip_blanks(reader);
        declared->name = reader->at;
        reader->at += reader_name_length(reader->at);
        reader_skip_blanks(reader);
    } while (reader_name_length(reader->at) > 0);
    while (reader_take(reader, "[")) {
        int64_t size = 1;
        if (declared->count == 0 && reader_take(reader, "]"))
            declared->is_open = true;
        else if (declared->count == MAX_DIMENSIONS ||
                 !take_value(declared->text, reader, declared->depth, &size) || size <= 0 ||
                 size > MAX_SIZE || !reader_take(reader, "]"))
            return false;
        declared->sizes[declared->count++] = (uint64_t)size;
    }
    reader_skip_blanks(reader);
    return reader_name_length(declared->name) > 0;
}

/* Returns the bytes of a variable, or of what an index of an open one counts. */
static uint64_t bytes_of(const struct declared *declared)
{
    uint64_t bytes = declared->bytes;

    for (size_t k = declared->is_open; k < declared->count && bytes <= MAX_SIZE; k++)
        bytes *= declared->sizes[k];
    return bytes;
}

/* Adds to the text of an element. */
#define ADD(element, ...)                                                                          \
    snprintf((element)->indexed + strlen((element)->indexed),                                      \
             sizeof(element)->indexed - strlen((element)->indexed), __VA_ARGS__)

/* Adds the indices and members at an offset in the variable. Returns false if nothing starts there.
 */
static bool add_indices(struct declared *declared, int64_t offset, struct array_element *element)
{
    int64_t below = (int64_t)bytes_of(declared), index;

    for (size_t k = 0; k < declared->count; k++) {
        below /= k == 0 && declared->is_open ? 1 : (int64_t)declared->sizes[k];
        index = offset / below - (offset % below < 0);
        ADD(element, "[%" PRId64 "]", index);
        offset -= index * below;
    }
    if (offset == 0 && element->access >= declared->bytes)
        return true;
    if (offset < 0 || offset >= below)
        return false;
    if (declared->members != NULL)
        return find_member(declared, offset, element);
    below /= declared->lanes;
    if (declared->lanes > 1)
        ADD(element, ".%c", "xyzw"[offset / below]);
    return offset % below == 0;
}

/* Adds the member of a struct at an offset. Without such a member it sets the size of the struct.
 * Returns false if one of both is unknown. */
static bool find_member(struct declared *of, int64_t offset, struct array_element *element)
{
    char error[8] = "";
    struct reader reader = {of->members, error, sizeof error};

    of->bytes = 0;
    for (of->align = 1; !reader_take(&reader, "}");) {
        struct declared member = {.text = of->text, .depth = of->depth + 1};
        if (!take_type(&reader, &member))
            return false;
        do {
            int64_t start = (int64_t)((of->bytes + member.align - 1) / member.align * member.align);
            if (!take_name(&reader, &member) || member.is_open)
                return false;
            of->bytes = (uint64_t)start + bytes_of(&member);
            of->align = member.align > of->align ? member.align : of->align;
            if (offset >= start && (uint64_t)offset < of->bytes) {
                ADD(element, ".%.*s", (int)reader_name_length(member.name), member.name);
                return add_indices(&member, offset - start, element);
            }
        } while (reader_take(&reader, ","));
        if (!reader_take(&reader, ";"))
            return false;
    }
    of->bytes = (of->bytes + of->align - 1) / of->align * of->align;
    return element == NULL && of->bytes > 0;
}

/* Reads the declaration of the name at `c`. Returns false if there is none. */
static bool read_declaration(const char *c, struct declared *declared)
{
    const char *start = statement_of(declared->text, c);
    const char *comma = memrchr(start, ',', (size_t)(c - start));
    char error[8] = "";
    struct reader reader = {start, error, sizeof error};
    bool is_typed, is_sized, is_pointer;

    declared->name = c;
    is_typed = take_type(&reader, declared);
    is_pointer = *reader.at == '*';
    if (is_typed && comma != NULL && comma >= reader.at)
        reader.at = comma + 1;
    is_sized = take_name(&reader, declared);
    declared->is_known = is_typed && is_sized;
    return declared->name == c && (!is_sized || strchr(";,)={", *reader.at) != NULL) &&
           (is_typed ||
            (start + strspn(start, " \t\n") < c && !has_word(start, c, "return") &&
             !has_word(start, c, "else") && (!is_pointer || strchr(",)", *reader.at) != NULL)));
}

/* Returns whether a name that is declared at `c` can be used in the line. */
static bool is_in_scope(const char *c, const char *line)
{
    int depth = 0, open = 0;
    bool is_in = c < line;

    for (; c < line && is_in; c++) {
        depth += (*c == '{') - (*c == '}');
        open += (*c == '(') - (*c == ')');
        is_in = depth >= 0 && !(depth == 0 && open < 0 && strchr("};", *c) != NULL);
    }
    return is_in;
}

/* Takes the last declaration that can be used in the line. If there is none, as in a function that
 * gets a pointer, all arrays of that name and size must give the same text. */
static void find_text(const char *text, const char *line, struct array_element *element)
{
    struct array_element none = *element, scoped = none, other = none;
    bool differs = false;

    for (const char *c = text; (c = next_word(c, element->array)) != NULL; c++) {
        struct declared declared = {.text = text};
        struct array_element read = none;
        bool is_scoped = line != NULL && is_in_scope(c, line);
        if (!read_declaration(c, &declared))
            continue;
        if (declared.is_known && (declared.is_open ? element->bytes % bytes_of(&declared) != 0 ||
                                                         (!is_scoped && line != NULL)
                                                   : element->bytes != bytes_of(&declared)))
            continue;
        ADD(&read, "%s", element->array);
        read.declared = declared.is_known ? element->bytes / declared.bytes : 0;
        if (!declared.is_known || !add_indices(&declared, element->offset, &read))
            read = none;
        differs = differs || !declared.is_known ||
                  (other.indexed[0] != '\0' && strcmp(other.indexed, read.indexed) != 0);
        other = read;
        if (is_scoped)
            scoped = read;
    }
    *element = scoped.indexed[0] != '\0' ? scoped : differs ? none : other;
}

/* Sets `indexed` for an access. `outer`: the calls into which it was inlined: the last one is in
 * the kernel. */
static void set_indexed(struct array_element *element, const char *file, int line,
                        const char *outer, source_finder *find, void *context)
{
    const char *call = strrchr(outer, ' ') != NULL ? strrchr(outer, ' ') + 1 : outer;
    const char *colon = strrchr(call, ':'), *at;
    char shown[SOURCE_FILE], *text;
    size_t size;

    if (element->bytes == 0 || element->indexed[0] != '\0' ||
        reader_name_length(element->array) != strlen(element->array))
        return;
    snprintf(shown, sizeof shown, "%.*s", colon > call ? (int)(colon - call) : SOURCE_FILE,
             colon > call ? call : file);
    at = text =
        read_whole_file(find != NULL ? find(context, shown) : source_path_whole(shown), &size);
    for (int k = colon != NULL ? atoi(colon + 1) : line; k > 1 && at != NULL; k--)
        at = strchr(at, '\n') != NULL ? strchr(at, '\n') + 1 : NULL;
    if (at != NULL) {
        blank(text);
        find_text(text, file[0] != '\0' ? at : NULL, element);
    }
    free(text);
}

void source_element_fault(struct fault *fault, source_finder *find, void *context)
{
    fault->element.access = fault->bytes > 0 ? fault->bytes : fault->element.access;
    set_indexed(&fault->element, fault->file, fault->line, fault->outer, find, context);
    set_indexed(&fault->stored, fault->file, fault->line, fault->outer, find, context);
    fault_render(fault);
}

void source_element_difference(struct difference *difference, source_finder *find, void *context)
{
    struct array_element *element = &difference->element;

    set_indexed(element, difference->file, difference->line, difference->outer, find, context);
    if (element->indexed[0] != '\0')
        snprintf(difference->place, sizeof difference->place, "%.55s", element->indexed);
}

void source_element_race(struct race *race, source_finder *find, void *context)
{
    const struct race_side *side = &race->second;

    set_indexed(&race->element, side->file, side->line, side->outer, find, context);
    race_render(race);
}
