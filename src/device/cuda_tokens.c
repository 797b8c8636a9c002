/* SPDX-License-Identifier: MIT */
#include "cuda_tokens.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader is. */
struct reader {
    const char *at, *end;
    const char *file;
    size_t file_length;
    int line;
    bool starts_line;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Behind a string or character that starts at `at` with that quote. */
static const char *behind_quoted(const char *at, const char *end, char quote)
{
    for (at++; at < end && *at != quote && *at != '\n'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : end;
}

/* Behind R"delimiter( ... )delimiter", whose quote stands at `at`. */
static const char *behind_raw(const char *at, const char *end)
{
    const char *open = memchr(at, '(', (size_t)(end - at));
    size_t length = open != NULL ? (size_t)(open - at - 1) : 0;

    for (const char *c = open; c != NULL && c + length + 1 < end; c++)
        if (*c == ')' && memcmp(c + 1, at + 1, length) == 0 && c[length + 1] == '"')
            return c + length + 2;
    return end;
}

/* # 12 "file" 3: what the next line is. */
static void take_marker(struct reader *reader, const char *start, const char *end)
{
    char number[16] = "", *number_end;
    size_t digits;
    long line;
    const char *quote = memchr(start, '"', (size_t)(end - start));

    start++;
    if (end - start > 5 && memcmp(start, "line ", 5) == 0)
        start += 5;
    digits = (size_t)(end - start) < sizeof number - 1 ? (size_t)(end - start) : sizeof number - 1;
    memcpy(number, start, digits); /* no zero stands behind the text */
    line = strtol(number, &number_end, 10);
    if (number_end == number || quote == NULL || line < 1 || line > INT_MAX)
        return;
    reader->file = quote;
    reader->file_length = (size_t)(behind_quoted(quote, end, '"') - quote);
    reader->line = (int)line - 1; /* the end of this line counts */
}

static enum token_kind read_token(struct reader *reader, const char **behind)
{
    const char *at = reader->at, *end = reader->end;

    if (*at == '#' && reader->starts_line) {
        while (at < end && *at != '\n')
            at += *at == '\\' && at + 1 < end ? 2 : 1;
        *behind = at < end ? at : end;
        take_marker(reader, reader->at, *behind);
        return TOKEN_DIRECTIVE;
    }
    if (isdigit((unsigned char)*at) ||
        (*at == '.' && at + 1 < end && isdigit((unsigned char)at[1]))) {
        while (at < end && (is_word(*at) || *at == '.' || *at == '\'' ||
                            ((*at == '+' || *at == '-') && strchr("eEpP", at[-1]) != NULL)))
            at++;
        *behind = at;
        return TOKEN_NUMBER;
    }
    if (is_word(*at)) {
        while (at < end && is_word(*at))
            at++;
        *behind = at;
        if (at == end || (*at != '"' && *at != '\'') || at - reader->at > 3)
            return TOKEN_WORD;
        *behind = at[-1] == 'R' && *at == '"' ? behind_raw(at, end) : behind_quoted(at, end, *at);
        return TOKEN_TEXT;
    }
    if (*at == '"' || *at == '\'') {
        *behind = behind_quoted(at, end, *at);
        return TOKEN_TEXT;
    }
    *behind = at + 1 + (at + 1 < end && (memcmp(at, "::", 2) == 0 || memcmp(at, "->", 2) == 0));
    return TOKEN_MARK;
}

/* Skips to the next token; false at the end. */
static bool skip_space(struct reader *reader)
{
    while (reader->at < reader->end && isspace((unsigned char)*reader->at)) {
        if (*reader->at == '\n') {
            reader->line++;
            reader->starts_line = true;
        }
        reader->at++;
    }
    return reader->at < reader->end;
}

static struct token *add(struct tokens *tokens)
{
    if (tokens->count == tokens->capacity) {
        size_t capacity = tokens->capacity > 0 ? 2 * tokens->capacity : 1 << 16;
        struct token *grown = realloc(tokens->tokens, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        tokens->tokens = grown;
        tokens->capacity = capacity;
    }
    return &tokens->tokens[tokens->count++];
}

bool tokens_read(struct tokens *tokens, const char *text, size_t size)
{
    struct reader reader = {text, text + size, "\"\"", 2, 1, true};

    *tokens = (struct tokens){.text = text, .size = size};
    while (skip_space(&reader)) {
        struct token token = {.start = reader.at, .line = reader.line}, *added;
        const char *behind;
        token.kind = read_token(&reader, &behind);
        token.file = reader.file;
        token.file_length = reader.file_length;
        token.length = (size_t)(behind - token.start);
        for (const char *c = reader.at; token.kind == TOKEN_TEXT && c < behind; c++)
            reader.line += *c == '\n';
        reader.at = behind;
        reader.starts_line = false;
        if (token.kind == TOKEN_DIRECTIVE) /* stays as it is, as space does */
            continue;
        added = add(tokens);
        if (added == NULL) {
            tokens_free(tokens);
            return false;
        }
        *added = token;
    }
    return true;
}

void tokens_free(struct tokens *tokens)
{
    for (size_t k = 0; k < tokens->count; k++) {
        free(tokens->tokens[k].instead);
        free(tokens->tokens[k].behind);
    }
    free(tokens->tokens);
    *tokens = (struct tokens){0};
}

bool token_is(const struct tokens *tokens, size_t at, const char *text)
{
    return at < tokens->count && tokens->tokens[at].length == strlen(text) &&
           memcmp(tokens->tokens[at].start, text, tokens->tokens[at].length) == 0;
}

bool token_touches_next(const struct tokens *tokens, size_t at)
{
    return at + 1 < tokens->count &&
           tokens->tokens[at].start + tokens->tokens[at].length == tokens->tokens[at + 1].start;
}

size_t tokens_behind(const struct tokens *tokens, size_t at)
{
    size_t depth = 0;

    for (; at < tokens->count; at++) {
        const struct token *token = &tokens->tokens[at];
        if (token->kind != TOKEN_MARK)
            continue;
        depth += strchr("([{", *token->start) != NULL;
        if (strchr(")]}", *token->start) != NULL && --depth == 0)
            return at + 1;
    }
    return tokens->count;
}

size_t tokens_behind_angles(const struct tokens *tokens, size_t at)
{
    size_t depth = 0, first = at;

    while (at < tokens->count) {
        char mark = tokens->tokens[at].kind == TOKEN_MARK ? *tokens->tokens[at].start : 'a';
        if (mark == '(' || mark == '[' || mark == '{') {
            at = tokens_behind(tokens, at);
            continue;
        }
        if (mark == ';' || mark == '}' || mark == ')')
            return first;
        depth += mark == '<';
        at++;
        if (mark == '>' && --depth == 0)
            return at;
    }
    return first;
}

static char *formatted(const char *format, va_list values)
{
    char *text = NULL;

    return vasprintf(&text, format, values) >= 0 ? text : NULL;
}

void token_replace(struct token *token, const char *format, ...)
{
    va_list values;

    free(token->instead);
    va_start(values, format);
    token->instead = formatted(format, values);
    va_end(values);
}

void token_append(struct token *token, const char *format, ...)
{
    char *before = token->behind, *both, *text;
    va_list values;

    va_start(values, format);
    text = formatted(format, values);
    va_end(values);
    if (before != NULL && text != NULL && asprintf(&both, "%s%s", before, text) >= 0) {
        free(before);
        free(text);
        text = both;
    }
    token->behind = text;
}
