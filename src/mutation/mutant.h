/* SPDX-License-Identifier: MIT
 *
 * A mutant: one small change to a kernel's source, or to its launch.
 */
#ifndef SIMTCHECK_MUTATION_MUTANT_H
#define SIMTCHECK_MUTATION_MUTANT_H

#include "source_tokens.h"

/* Kinds of change; docs/mutate.md says where each is from. */
enum mutation_kind {
    MUTATION_RELATIONAL, /* a comparison becomes another */
    MUTATION_LOGICAL,    /* && and || are swapped */
    MUTATION_ARITHMETIC, /* an operator becomes another, also in assignments */
    MUTATION_CONSTANT,   /* 0 and 1 are swapped, a number becomes its neighbours */
    MUTATION_INDEX,      /* another dimension, another built-in, the neighbouring element */
    MUTATION_GUARD,      /* a condition, or a part of it, always or never holds; no return */
    MUTATION_BARRIER,    /* a barrier is removed */
    MUTATION_VOLATILE,   /* a volatile is removed */
    MUTATION_FENCE,      /* a fence is removed */
    MUTATION_ATOMIC,     /* an atomic becomes a plain read and write */
    MUTATION_LAUNCH,     /* a block or thread more or fewer, less shared memory */
};

enum { MUTATIONS = MUTATION_LAUNCH + 1 };

extern const char *const mutation_names[MUTATIONS];

/* What is known of a mutant. If targets differ, the last of these kinds that holds for one of them
 * holds for the mutant. */
enum mutant_kind {
    MUTANT_UNDECIDED,
    MUTANT_EQUIVALENT, /* the same code as the kernel */
    MUTANT_SURVIVED,
    MUTANT_DIFFERS,      /* no check fails, but the results differ from the kernel's own */
    MUTANT_KILLED,       /* the suite, or the user's check, fails */
    MUTANT_NOT_COMPILED, /* the mutant does not compile */
    MUTANT_KINDS,
};

struct mutant_verdict {
    enum mutant_kind kind;
    char how[256]; /* what failed, in which case */
};

struct mutant {
    enum mutation_kind by;
    size_t offset, length; /* the replaced part of the text */
    const char *with;      /* the replacement; "" removes the part */
    size_t function;       /* index of the function that contains it */
    int line;              /* line number, from 1 on */
    struct mutant_verdict verdict;
};

struct mutants {
    struct mutant *all; /* in the order of the text */
    size_t count;
    struct memory memory;
};

/* Makes the mutants of the bodies of the functions for which `wanted` is true. */
void mutants_of_source(const struct source *source, const struct source_function *functions,
                       const bool *wanted, size_t function_count, struct mutants *mutants);

/* Makes the mutants of a user's launch (launch_text.h): of each number of its grid and block, and
 * of its shared bytes. */
void mutants_of_launch(const struct source *launch, struct mutants *mutants);

void mutants_free(struct mutants *mutants);

/* Adds a mutant. Copies `with`. */
void mutants_add(struct mutants *mutants, const struct mutant *mutant);

/* Returns the text with the change. The caller frees it. Returns null when memory runs out. */
char *mutant_apply(const struct mutant *mutant, const char *text, size_t size);

/* Returns the lines of the text that the change touches, before or after it, as one line with
 * single blanks. The caller frees it. Returns null when memory runs out. */
char *mutant_lines(const struct mutant *mutant, const char *text, size_t size, bool after);

#endif
