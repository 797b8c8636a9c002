/* SPDX-License-Identifier: MIT
 *
 * Words of CUDA C++ that mean something in device functions which no declaration can give them.
 */
#ifndef SIMTCHECK_TOOLCHAIN_CUDA_WORDS_H
#define SIMTCHECK_TOOLCHAIN_CUDA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum cuda_word_kind {
    CUDA_VALUE,       /* `meaning` stands in its place */
    CUDA_CALL,        /* likewise, where it is called */
    CUDA_PLACED_CALL, /* and its first argument is the place of the call */
    CUDA_REFUSED,     /* is not there: `meaning` says what it is */
};

struct cuda_word {
    const char *name;
    enum cuda_word_kind kind;
    const char *meaning;
    bool starts;      /* all names that start so */
    bool only_called; /* refused: else it may be a name of the user's */
};

/* Null: it means what it says. */
const struct cuda_word *cuda_word_find(const char *word, size_t length);

#endif
