/* SPDX-License-Identifier: MIT */
#include "lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void lexer_start(struct lexer *lexer, const char *path, const char *text, size_t size,
                 struct arena *arena)
{
    *lexer =
        (struct lexer){.path = path, .at = text, .end = text + size, .line = 1, .arena = arena};
    lexer_next(lexer);
}

static char peek(const struct lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static void skip_line(struct lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n')
        lexer->at++;
}

static void skip_comment(struct lexer *lexer)
{
    uint32_t line = lexer->line;

    for (lexer->at += 2; peek(lexer, 0) != '*' || peek(lexer, 1) != '/'; lexer->at++) {
        if (lexer->at >= lexer->end)
            arena_fail(lexer->arena, lexer->path, line, "unterminated comment");
        lexer->line += *lexer->at == '\n';
    }
    lexer->at += 2;
}

static void skip_space(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (*lexer->at == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (isspace((unsigned char)*lexer->at)) {
            lexer->at++;
        } else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '/') {
            skip_line(lexer);
        } else if (peek(lexer, 0) == '#') { /* a preprocessor's line marker */
            skip_line(lexer);
        } else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
            skip_comment(lexer);
        } else {
            return;
        }
    }
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Reads a word. In opcodes, a word includes dots and "::": ld.shared::cta.b32. */
static void read_word(struct lexer *lexer)
{
    const char *start = lexer->at++;

    for (;;) {
        if (is_letter(peek(lexer, 0)))
            lexer->at++;
        else if (peek(lexer, 0) == '.' && is_letter(peek(lexer, 1)))
            lexer->at += 2;
        else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is_letter(peek(lexer, 2)))
            lexer->at += 3;
        else
            break;
    }
    lexer->token.text = arena_text(lexer->arena, start, (size_t)(lexer->at - start));
}

static unsigned int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned int)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A' + 10)
                                  : 16;
}

/* Reads at most `most` digits of that base, and returns how many it read. */
static size_t read_digits(struct lexer *lexer, unsigned int base, size_t most)
{
    size_t count = 0;

    lexer->token.value = 0;
    while (digit_of(peek(lexer, 0)) < base && count < most) {
        unsigned int digit = digit_of(*lexer->at);
        if (lexer->token.value > (UINT64_MAX - digit) / base)
            arena_fail(lexer->arena, lexer->path, lexer->line,
                       "this number does not fit in 64 bits");
        lexer->token.value = lexer->token.value * base + digit;
        lexer->at++;
        count++;
    }
    return count;
}

static _Noreturn void bad_number(const struct lexer *lexer)
{
    arena_fail(lexer->arena, lexer->path, lexer->line,
               "malformed number: write an integer, 0f and 8 hexadecimal digits, or 0d and 16");
}

/* Returns true if a fraction or an exponent follows the digits of a number. */
static bool is_decimal(const struct lexer *lexer)
{
    char after = peek(lexer, 1);

    if (peek(lexer, 0) == '.')
        return !is_letter(after) || isdigit((unsigned char)after);
    return (peek(lexer, 0) == 'e' || peek(lexer, 0) == 'E') &&
           (isdigit((unsigned char)after) || after == '-' || after == '+');
}

/* Reads the rest of 1.5, 1. or 1.5e-3. `start` is the first digit. */
static void read_decimal(struct lexer *lexer, const char *start)
{
    char text[64];
    size_t length = 0;
    double value;

    while (lexer->at < lexer->end && (isalnum((unsigned char)*lexer->at) || *lexer->at == '.' ||
                                      ((*lexer->at == '-' || *lexer->at == '+') &&
                                       tolower((unsigned char)lexer->at[-1]) == 'e')))
        lexer->at++;
    length = (size_t)(lexer->at - start);
    if (length >= sizeof text)
        bad_number(lexer);
    memcpy(text, start, length);
    text[length] = '\0';
    value = strtod(text, (char **)&start);
    if (*start != '\0')
        bad_number(lexer);
    lexer->token.kind = TOKEN_FLOAT;
    lexer->token.is_double = true;
    memcpy(&lexer->token.value, &value, sizeof value);
}

/* 0f3F800000, 0d3FF0000000000000, 42, 052, 0x2A, 0b101010, 42U, 1.5. */
static void read_number(struct lexer *lexer)
{
    const char *start = lexer->at;
    char kind = peek(lexer, 1);

    lexer->token.kind = TOKEN_INTEGER;
    if (*lexer->at == '0' && (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D')) {
        lexer->token.kind = TOKEN_FLOAT;
        lexer->token.is_double = kind == 'd' || kind == 'D';
        lexer->at += 2;
        if (read_digits(lexer, 16, 16) != (lexer->token.is_double ? 16u : 8u))
            bad_number(lexer);
    } else if (*lexer->at == '0' && (kind == 'x' || kind == 'X')) {
        lexer->at += 2;
        if (read_digits(lexer, 16, 16) == 0)
            bad_number(lexer);
    } else if (*lexer->at == '0' && (kind == 'b' || kind == 'B')) {
        lexer->at += 2;
        if (read_digits(lexer, 2, 64) == 0)
            bad_number(lexer);
    } else if (*lexer->at == '0') {
        read_digits(lexer, 8, 32);
    } else {
        read_digits(lexer, 10, 20);
    }
    if (lexer->token.kind == TOKEN_INTEGER && peek(lexer, 0) == 'U')
        lexer->at++;
    if (lexer->token.kind == TOKEN_INTEGER && is_decimal(lexer))
        read_decimal(lexer, start);
    if (is_letter(peek(lexer, 0)))
        bad_number(lexer);
    lexer->token.text = arena_text(lexer->arena, start, (size_t)(lexer->at - start));
}

static void read_string(struct lexer *lexer)
{
    const char *start = ++lexer->at;

    while (peek(lexer, 0) != '"') {
        if (lexer->at >= lexer->end || *lexer->at == '\n')
            arena_fail(lexer->arena, lexer->path, lexer->line, "unterminated string");
        lexer->at += peek(lexer, 0) == '\\' && lexer->at + 1 < lexer->end ? 2 : 1;
    }
    lexer->token.text = arena_text(lexer->arena, start, (size_t)(lexer->at - start));
    lexer->at++;
}

void lexer_next(struct lexer *lexer)
{
    skip_space(lexer);
    lexer->token = (struct token){.kind = TOKEN_END, .line = lexer->line, .text = "end of file"};
    if (lexer->at >= lexer->end)
        return;
    char c = *lexer->at;
    if (isalpha((unsigned char)c) ||
        ((c == '_' || c == '$' || c == '%') && is_letter(peek(lexer, 1)))) {
        lexer->token.kind = TOKEN_WORD;
        read_word(lexer);
    } else if (c == '.' && is_letter(peek(lexer, 1))) {
        lexer->token.kind = TOKEN_DOT;
        const char *start = lexer->at++;
        while (is_letter(peek(lexer, 0)))
            lexer->at++;
        lexer->token.text = arena_text(lexer->arena, start, (size_t)(lexer->at - start));
    } else if (isdigit((unsigned char)c)) {
        read_number(lexer);
    } else if (c == '"') {
        lexer->token.kind = TOKEN_STRING;
        read_string(lexer);
    } else {
        lexer->token.kind = c == '_' ? TOKEN_WORD : TOKEN_MARK;
        lexer->token.text = arena_text(lexer->arena, lexer->at, 1);
        lexer->at++;
    }
}

bool lexer_is(const struct lexer *lexer, const char *text)
{
    return lexer->token.kind != TOKEN_STRING && lexer->token.kind != TOKEN_END &&
           strcmp(lexer->token.text, text) == 0;
}

bool lexer_take(struct lexer *lexer, const char *text)
{
    if (!lexer_is(lexer, text))
        return false;
    lexer_next(lexer);
    return true;
}

/* Returns the part of a token that is safe to print in a message. A token may hold any bytes. */
static const char *shown(const struct lexer *lexer)
{
    const char *text = lexer->token.text;
    char *safe;
    size_t length = strlen(text);

    if (length > 60)
        length = 60;
    safe = arena_text(lexer->arena, text, length);
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)safe[i]))
            safe[i] = '?';
    return safe;
}

_Noreturn void lexer_unexpected(const struct lexer *lexer, const char *wanted)
{
    arena_fail(lexer->arena, lexer->path, lexer->token.line, "expected %s, found `%s`", wanted,
               shown(lexer));
}

void lexer_expect(struct lexer *lexer, const char *text)
{
    char wanted[64];
    size_t length = strlen(text);

    if (lexer_take(lexer, text))
        return;
    wanted[0] = '`';
    memcpy(wanted + 1, text, length);
    memcpy(wanted + 1 + length, "`", 2);
    lexer_unexpected(lexer, wanted);
}

const char *lexer_word(struct lexer *lexer, const char *what)
{
    const char *text = lexer->token.text;

    if (lexer->token.kind != TOKEN_WORD)
        lexer_unexpected(lexer, what);
    lexer_next(lexer);
    return text;
}

int64_t lexer_integer(struct lexer *lexer, const char *what)
{
    bool minus = lexer_take(lexer, "-");
    uint64_t value = lexer->token.value;

    if (lexer->token.kind != TOKEN_INTEGER)
        lexer_unexpected(lexer, what);
    lexer_next(lexer);
    return (int64_t)(minus ? 0 - value : value);
}
