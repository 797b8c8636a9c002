/* SPDX-License-Identifier: MIT
 *
 * Splits CUDA C++ into tokens, as far as mutation and the reading of declarations need. It looks up
 * no types and no names.
 */
#ifndef SIMTCHECK_CHECKS_SOURCE_TOKENS_H
#define SIMTCHECK_CHECKS_SOURCE_TOKENS_H

#include "json_model.h"

enum source_kind { SOURCE_NAME, SOURCE_NUMBER, SOURCE_TEXT, SOURCE_OPERATOR };

static const size_t NO_MATCH = (size_t)-1;

struct source_token {
    enum source_kind kind;
    size_t offset, length; /* in the text */
    int line;              /* line number, from 1 on */
    size_t match; /* index of the matching bracket; of ( [ {, and of < of templates and launches;
                     else NO_MATCH */
};

struct source {
    const char *text; /* owned by the caller, ends with a zero */
    size_t size;
    struct source_token *tokens;
    size_t count;
    struct memory memory; /* holds the tokens and functions */
};

/* A function that is defined in the text, by indices of its tokens. */
struct source_function {
    size_t first;                          /* first token of its declaration, `template` included */
    size_t name;                           /* the name, before its parameters */
    size_t open, close;                    /* the braces of its body */
    bool is_kernel, is_device, is_generic; /* __global__; __device__ or constexpr; a template */
};

/* Reads the tokens of a text. Comments and preprocessor lines are not tokens. A `<` that begins a
 * list of template arguments or a launch matches the token that ends it. A comparison matches
 * nothing. */
void source_read(const char *text, size_t size, struct source *source);
void source_free(struct source *source);

/* Returns whether the token is one of the words, between which are blanks. */
bool source_is(const struct source *source, size_t k, const char *words);

/* Returns the first token from `first` on that is one of the words, or `end`. */
size_t source_find(const struct source *source, size_t first, size_t end, const char *words);

/* Returns the bracket that closes the one at `k`, or `k`. */
size_t source_close(const struct source *source, size_t k);

/* Copies the text of the tokens from `first` to before `end`, with one blank between words, to
 * `memory`. */
char *source_copy(struct memory *memory, const struct source *source, size_t first, size_t end);

/* Returns the functions with a body in order, at the top level or in namespaces and structs. */
struct source_function *source_functions(struct source *source, size_t *count);

#endif
