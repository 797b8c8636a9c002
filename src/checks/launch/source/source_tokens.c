/* SPDX-License-Identifier: MIT */
#include "source_tokens.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tokens ---- */

struct reader {
    struct source *source;
    size_t at;
    int line;
    bool fresh; /* only blanks precede in this line */
};

static char peek(const struct reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;
    return at < reader->source->size ? reader->source->text[at] : '\0';
}

static void step(struct reader *reader)
{
    if (peek(reader, 0) == '\n') {
        reader->line++;
        reader->fresh = true;
    }
    reader->at++;
}

static void skip_line(struct reader *reader)
{
    while (reader->at < reader->source->size && peek(reader, 0) != '\n') {
        if (peek(reader, 0) == '\\' && peek(reader, 1) == '\n')
            step(reader);
        step(reader);
    }
}

static void skip_comment(struct reader *reader)
{
    while (reader->at < reader->source->size && !(peek(reader, 0) == '*' && peek(reader, 1) == '/'))
        step(reader);
    for (int k = 0; k < 2 && reader->at < reader->source->size; k++)
        step(reader);
}

/* Skips blanks, comments and preprocessor lines. */
static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->source->size) {
        if (isspace((unsigned char)peek(reader, 0)))
            step(reader);
        else if (peek(reader, 0) == '/' && peek(reader, 1) == '*')
            skip_comment(reader);
        else if ((peek(reader, 0) == '/' && peek(reader, 1) == '/') ||
                 (peek(reader, 0) == '#' && reader->fresh))
            skip_line(reader);
        else
            return;
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_name(text[length]))
        length++;
    return length;
}

/* Returns the length of a number, with its suffix, an exponent's sign, and quotes between
 * digits. */
static size_t number_length(const char *text)
{
    size_t k = 0;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

    while (is_name(text[k]) || text[k] == '.' || (text[k] == '\'' && is_name(text[k + 1])) ||
           ((text[k] == '+' || text[k] == '-') && k > 0 &&
            strchr(hexadecimal ? "pP" : "eE", text[k - 1]) != NULL))
        k++;
    return k;
}

static size_t text_length(const char *text)
{
    size_t k = 1;

    while (text[k] != '\0' && text[k] != text[0])
        k += text[k] == '\\' && text[k + 1] != '\0' ? 2 : 1;
    return text[k] == '\0' ? k : k + 1;
}

static size_t operator_length(const char *text)
{
    static const char *const known[] = {
        "<<<", ">>>", "<<=", ">>=", "...", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "++",  "--",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "->", "::", "##"};

    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strncmp(text, known[k], strlen(known[k])) == 0)
            return strlen(known[k]);
    return 1;
}

static void read_token(struct reader *reader)
{
    const char *text = reader->source->text + reader->at;
    enum source_kind kind;
    size_t length, offset = reader->at;
    struct list tokens;
    int line = reader->line;

    if (isdigit((unsigned char)text[0]) || (text[0] == '.' && isdigit((unsigned char)text[1]))) {
        kind = SOURCE_NUMBER;
        length = number_length(text);
    } else if (is_name(text[0])) {
        kind = SOURCE_NAME;
        length = name_length(text);
    } else if (text[0] == '"' || text[0] == '\'') {
        kind = SOURCE_TEXT;
        length = text_length(text);
    } else {
        kind = SOURCE_OPERATOR;
        length = operator_length(text);
    }
    for (size_t k = 0; k < length; k++)
        step(reader);
    reader->fresh = false;
    tokens = (struct list){reader->source->tokens, reader->source->count};
    LIST_ADD(&reader->source->memory, &tokens, struct source_token) =
        (struct source_token){kind, offset, length, line, NO_MATCH};
    reader->source->tokens = tokens.items;
    reader->source->count = tokens.count;
}

bool source_is(const struct source *source, size_t k, const char *words)
{
    const struct source_token *token = &source->tokens[k];

    for (size_t length; k < source->count && *words != '\0';
         words += length + (words[length] == ' ')) {
        for (length = 0;
             words[length] != '\0' && words[length] != ' ';) /* it is called very often */
            length++;
        if (length == token->length && memcmp(words, source->text + token->offset, length) == 0)
            return true;
    }
    return false;
}

size_t source_find(const struct source *source, size_t first, size_t end, const char *words)
{
    while (first < end && !source_is(source, first, words))
        first++;
    return first;
}

size_t source_close(const struct source *source, size_t k)
{
    size_t match = source->tokens[k].match;

    return match != NO_MATCH && match > k ? match : k;
}

char *source_copy(struct memory *memory, const struct source *source, size_t first, size_t end)
{
    size_t last = end < source->count ? end : source->count, used = 0, size = 1;
    char *text;

    for (size_t k = first; k < last; k++)
        size += 1 + source->tokens[k].length;
    text = memory_take(memory, size);
    for (size_t k = first; k < last; k++) {
        const struct source_token *token = &source->tokens[k];
        bool apart = k > first && (token->kind == SOURCE_NAME || source_is(source, k, "*")) &&
                     (source->tokens[k - 1].kind == SOURCE_NAME || source_is(source, k - 1, ">"));
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", apart ? " " : "",
                                 (int)token->length, source->text + token->offset);
    }
    return text;
}

/* ---- Brackets ---- */

static void match(struct source *source, size_t one, size_t other)
{
    source->tokens[one].match = other;
    source->tokens[other].match = one;
}

static void match_brackets(struct source *source)
{
    size_t *open = memory_take(&source->memory, source->count * sizeof *open), depth = 0;

    for (size_t k = 0; k < source->count; k++) {
        char c = source->text[source->tokens[k].offset];
        if (source->tokens[k].kind != SOURCE_OPERATOR)
            continue;
        if (c == '(' || c == '[' || c == '{')
            open[depth++] = k;
        else if ((c == ')' || c == ']' || c == '}') && depth > 0)
            match(source, open[--depth], k);
    }
}

/* Returns true if the token, other than a bracket, may be part of a list of template arguments. */
static bool is_argument(const struct source *source, size_t k)
{
    return source->tokens[k].kind == SOURCE_NAME || source->tokens[k].kind == SOURCE_NUMBER ||
           source_is(source, k, ", :: * & ... + = && / -");
}

/* Returns true if the token is in parentheses. */
static bool is_within(const struct source *source, size_t k)
{
    while (k > 0) {
        size_t match = source->tokens[--k].match;
        if (source_is(source, k, "("))
            return true;
        if (source_is(source, k, "; { }"))
            return false;
        if (match != NO_MATCH && match < k)
            k = match;
    }
    return false;
}

/* Returns true if that token may follow a list of template arguments. Before an operand, `>` is a
 * comparison. A name in parentheses is more likely an operand than a declaration. */
static bool may_follow(const struct source *source, size_t k)
{
    if (k >= source->count || source->tokens[k].kind == SOURCE_NAME)
        return k >= source->count || !is_within(source, k);
    return source_is(source, k, "( :: , > >> { ; ) & *");
}

/* Returns the end of the list of template arguments that begins with the `<` at `first`, else
 * NO_MATCH. `surely`: it follows `template` or a cast. */
static size_t template_end(const struct source *source, size_t first, bool surely)
{
    size_t depth = 1;

    for (size_t k = first + 1; k < source->count; k++) {
        if (source_is(source, k, "<"))
            depth++;
        else if (source_is(source, k, ">"))
            depth--;
        else if (source_is(source, k, ">>"))
            depth -= depth < 2 ? depth : 2;
        else if (source_is(source, k, "(") && source->tokens[k].match != NO_MATCH)
            k = source->tokens[k].match;
        else if (!is_argument(source, k) || (!surely && source_is(source, k, "&&")))
            return NO_MATCH;
        if (depth == 0)
            return surely || may_follow(source, k + 1) ? k : NO_MATCH;
    }
    return NO_MATCH;
}

static bool ends_with(const struct source *source, size_t k, const char *end)
{
    const struct source_token *token = &source->tokens[k];
    size_t length = strlen(end);

    return token->length >= length &&
           strncmp(source->text + token->offset + token->length - length, end, length) == 0;
}

/* Matches angle brackets. Takes `a < b > (c)` for a template, since it is unusual as a
 * comparison. */
static void match_angles(struct source *source)
{
    for (size_t k = 1; k < source->count; k++) {
        size_t end = NO_MATCH;
        bool surely = source_is(source, k - 1, "template") || ends_with(source, k - 1, "_cast");
        if (source->tokens[k].match != NO_MATCH)
            continue;
        if (source_is(source, k, "<<<"))
            for (end = k + 1; end < source->count && !source_is(source, end, ">>>");)
                end++;
        else if (source_is(source, k, "<") && source->tokens[k - 1].kind == SOURCE_NAME)
            end = template_end(source, k, surely);
        if (end != NO_MATCH && end < source->count)
            match(source, k, end);
    }
}

void source_read(const char *text, size_t size, struct source *source)
{
    struct reader reader = {.source = source, .line = 1, .fresh = true};

    *source = (struct source){.text = text, .size = size};
    for (skip_blanks(&reader); reader.at < size; skip_blanks(&reader))
        read_token(&reader);
    match_brackets(source);
    match_angles(source);
}

void source_free(struct source *source)
{
    memory_free(&source->memory);
    *source = (struct source){.text = NULL};
}

/* ---- Functions ---- */

/* Returns true if a function's body begins with that brace, and sets the name in `function`. */
static bool is_body(const struct source *source, size_t first, size_t open,
                    struct source_function *function)
{
    for (size_t k = first; k < open; k++) {
        if (source_is(source, k, "(") && source->tokens[k].match < open && k > first &&
            source->tokens[k - 1].kind == SOURCE_NAME &&
            !source_is(source, k - 1, "__launch_bounds__ __attribute__ alignas")) {
            function->name = k - 1;
            return true;
        }
        if (source_is(source, k, "( <") && source->tokens[k].match < open)
            k = source->tokens[k].match;
        if (source_is(source, k, "=") && !source_is(source, k - 1, "operator"))
            return false;
    }
    return false;
}

struct source_function *source_functions(struct source *source, size_t *count)
{
    struct source_function *functions =
        memory_take(&source->memory, source->count * sizeof *functions);
    size_t first = 0;

    *count = 0;
    for (size_t k = 0; k < source->count; k++) {
        struct source_function function = {.first = first, .open = k};
        if (source_is(source, k, "; }") ||
            (source_is(source, k, ":") && !source_is(source, k - 1, ")"))) /* public: */
            first = k + 1;
        if (!source_is(source, k, "{"))
            continue;
        function.close = source->tokens[k].match;
        first = k + 1; /* the first token in a namespace or struct */
        if (function.close == NO_MATCH || !is_body(source, function.first, k, &function))
            continue;
        function.is_kernel = source_find(source, function.first, k, "__global__") < k;
        function.is_device = source_find(source, function.first, k, "__device__ constexpr") < k;
        function.is_generic = source_find(source, function.first, k, "template") < k;
        functions[(*count)++] = function;
        k = function.close;
        first = k + 1;
    }
    return functions;
}
