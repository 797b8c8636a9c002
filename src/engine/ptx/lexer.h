/* SPDX-License-Identifier: MIT
 *
 * PTX ISA, chapter 4: the tokens of a module.
 */
#ifndef SIMTCHECK_PTX_LEXER_H
#define SIMTCHECK_PTX_LEXER_H

#include "arena.h"
#include "module.h"

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,    /* identifier or opcode with its modifiers: add.s32, $L__BB0_1, %r1, %tid.x */
    TOKEN_DOT,     /* a directive or type: .reg, .b32 */
    TOKEN_INTEGER, /* value */
    TOKEN_FLOAT,   /* value: bits; `is_double` */
    TOKEN_STRING,
    TOKEN_MARK, /* one character */
};

struct token {
    enum token_kind kind;
    uint32_t line;
    const char *text; /* in the arena; for a mark, the one character */
    uint64_t value;
    bool is_double;
};

struct lexer {
    const char *path, *at, *end;
    uint32_t line;
    struct arena *arena;
    struct token token; /* the current one */
};

void lexer_start(struct lexer *lexer, const char *path, const char *text, size_t size,
                 struct arena *arena);

/* Reads the next token. */
void lexer_next(struct lexer *lexer);

/* lexer_is() returns true if the current token is that mark, word or directive. lexer_take() also
 * moves on if so. lexer_expect() fails if not. */
bool lexer_is(const struct lexer *lexer, const char *text);
bool lexer_take(struct lexer *lexer, const char *text);
void lexer_expect(struct lexer *lexer, const char *text);

/* Returns the text of the current token, which must be a word, and moves on. `what` describes the
 * expected word in the error message. */
const char *lexer_word(struct lexer *lexer, const char *what);
/* Returns the value of the current token, which must be an integer with an optional sign, and moves
 * on. */
int64_t lexer_integer(struct lexer *lexer, const char *what);

_Noreturn void lexer_unexpected(const struct lexer *lexer, const char *wanted);

#endif
