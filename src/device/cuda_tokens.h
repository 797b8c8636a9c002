/* SPDX-License-Identifier: MIT
 *
 * The tokens of preprocessed CUDA C++, each with its place, and what is to be written instead.
 */
#ifndef SIMTCHECK_COMPILERS_CUDA_TOKENS_H
#define SIMTCHECK_COMPILERS_CUDA_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_MARK, TOKEN_DIRECTIVE };

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    const char *file; /* as a string literal, with its quotes; of file_length characters */
    size_t file_length;
    int line;
    bool in_kernel, in_device; /* in the body of a kernel; of any device function */
    char *instead, *behind;    /* null: the token itself; nothing more */
};

struct tokens {
    const char *text;
    size_t size;
    struct token *tokens;
    size_t count, capacity;
};

/* A mark is one character, but for "::" and "->". The text has to outlive the tokens. False when
 * memory runs out. */
bool tokens_read(struct tokens *tokens, const char *text, size_t size);
void tokens_free(struct tokens *tokens);

/* Is that token, if there is one, this text? */
bool token_is(const struct tokens *tokens, size_t at, const char *text);
/* Do two tokens stand side by side, without space? */
bool token_touches_next(const struct tokens *tokens, size_t at);

/* The token behind the bracket that closes the one at `at`: ( [ or {. The count where there is
 * none. */
size_t tokens_behind(const struct tokens *tokens, size_t at);
/* The same of the < of template arguments; `at` where it is a comparison. */
size_t tokens_behind_angles(const struct tokens *tokens, size_t at);

/* The text instead of a token, and that behind it, which is added to what is there. */
void token_replace(struct token *token, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void token_append(struct token *token, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
