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
    const char *text; /* in the arena; of a mark, the one character */
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

/* Goes on to the next token. */
void lexer_next(struct lexer *lexer);

/* Is the current token that mark, word or directive? lexer_take() goes on if it is; lexer_expect()
 * fails if it is not. */
bool lexer_is(const struct lexer *lexer, const char *text);
bool lexer_take(struct lexer *lexer, const char *text);
void lexer_expect(struct lexer *lexer, const char *text);

/* The text of the current token, which is a word; goes on. `what` it should be is for the message.
 */
const char *lexer_word(struct lexer *lexer, const char *what);
/* Likewise an integer, which may have a sign. */
int64_t lexer_integer(struct lexer *lexer, const char *what);

_Noreturn void lexer_unexpected(const struct lexer *lexer, const char *wanted);

#endif
