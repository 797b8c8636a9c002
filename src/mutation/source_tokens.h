/* SPDX-License-Identifier: MIT
 *
 * CUDA C++ in tokens, as far as places to change in it have to be found: no types and no names are
 * looked up.
 */
#ifndef SIMTCHECK_MUTATION_SOURCE_TOKENS_H
#define SIMTCHECK_MUTATION_SOURCE_TOKENS_H

#include "json_model.h"

enum source_kind { SOURCE_NAME, SOURCE_NUMBER, SOURCE_TEXT, SOURCE_OPERATOR };

static const size_t NO_MATCH = (size_t)-1;

struct source_token {
    enum source_kind kind;
    size_t offset, length; /* in the text */
    int line;              /* from 1 on */
    size_t match; /* of ( [ { and their ends, and of brackets of templates and launches: the
                     other one's index; else NO_MATCH */
};

struct source {
    const char *text; /* the caller's, ended by a zero */
    size_t size;
    struct source_token *tokens;
    size_t count;
    struct memory memory; /* of the tokens and functions */
};

/* A function that is defined in the text, by indices of its tokens. */
struct source_function {
    size_t first;                          /* of its declaration, `template` included */
    size_t name;                           /* the name, before its parameters */
    size_t open, close;                    /* the braces of its body */
    bool is_kernel, is_device, is_generic; /* __global__; __device__ or constexpr; a template */
};

/* Comments and preprocessor lines are no tokens. A `<` that begins a list of template arguments or
 * a launch, and what ends it, match each other; one that compares matches nothing. */
void source_read(const char *text, size_t size, struct source *source);
void source_free(struct source *source);

bool source_is(const struct source *source, size_t k, const char *word);

/* The functions with a body, at the top or in namespaces and structs, in order. */
struct source_function *source_functions(struct source *source, size_t *count);

#endif
