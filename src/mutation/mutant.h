/* SPDX-License-Identifier: MIT
 *
 * A mutant: one small change to a kernel's source, or to its launch.
 */
#ifndef SIMTCHECK_MUTATION_MUTANT_H
#define SIMTCHECK_MUTATION_MUTANT_H

#include "source_tokens.h"

/* Kinds of change; docs/mutate.md says where each is from. */
enum mutation_kind {
    MUTATION_RELATIONAL, /* a comparison by another */
    MUTATION_LOGICAL,    /* && and || */
    MUTATION_ARITHMETIC, /* an operator by another, of assignments too */
    MUTATION_CONSTANT,   /* 0 and 1 by each other, a number by its neighbours */
    MUTATION_INDEX,      /* another dimension, another built-in, the element beside */
    MUTATION_GUARD,      /* a condition, or a part of it, that always or never holds; no return */
    MUTATION_BARRIER,    /* left out */
    MUTATION_VOLATILE,   /* likewise */
    MUTATION_FENCE,      /* likewise */
    MUTATION_ATOMIC,     /* as a plain read and write */
    MUTATION_LAUNCH,     /* a block or thread more or fewer, shared memory less */
};

enum { MUTATIONS = MUTATION_LAUNCH + 1 };

extern const char *const mutation_names[MUTATIONS];

struct mutant {
    enum mutation_kind by;
    size_t offset, length; /* what is replaced in the text */
    const char *with;      /* in its place; "" leaves it out */
    size_t function;       /* of the text's functions, in which it is */
    int line;              /* from 1 on */
};

struct mutants {
    struct mutant *all; /* in the order of the text */
    size_t count;
    struct memory memory;
};

/* The mutants of those functions' bodies for which `wanted` is true. */
void mutants_of_source(const struct source *source, const struct source_function *functions,
                       const bool *wanted, size_t function_count, struct mutants *mutants);

/* Of a launch as its user writes it (launch_text.h): of each number of its grid and block, and of
 * its shared bytes. */
void mutants_of_launch(const struct source *launch, struct mutants *mutants);

void mutants_free(struct mutants *mutants);

/* Adds one; takes a copy of `with`. */
void mutants_add(struct mutants *mutants, const struct mutant *mutant);

/* The text with the change; the caller's. Null when memory runs out. */
char *mutant_apply(const struct mutant *mutant, const char *text, size_t size);

/* The lines of the text that the change touches, before and after it, as one, with single blanks:
 * the caller's. Null when memory runs out. */
char *mutant_lines(const struct mutant *mutant, const char *text, size_t size, bool after);

#endif
