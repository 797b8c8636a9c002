/* SPDX-License-Identifier: MIT
 *
 * Words of CUDA C++ that mean something in device functions which no declaration can give them.
 */
#ifndef SIMTCHECK_COMPILERS_CUDA_WORDS_H
#define SIMTCHECK_COMPILERS_CUDA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum cuda_word_kind {
    CUDA_VALUE,        /* `meaning` stands in its place */
    CUDA_CALL,         /* likewise, where it is called */
    CUDA_PLACED_CALL,  /* and its first argument is the place of the call */
    CUDA_REFUSED,      /* is not there: `meaning` says what it is */
    CUDA_REFUSED_CALL, /* likewise, where it is called: else it is a name of the user's */
    CUDA_REFUSED_WORD, /* likewise, but for placement new, and for = delete */
};

struct cuda_word {
    const char *name;
    enum cuda_word_kind kind;
    const char *meaning;
    bool starts; /* all names that start so */
};

/* Null: it means what it says. */
const struct cuda_word *cuda_word_find(const char *word, size_t length);

/* Is that, as a file includes it, a header of CUDA's that is not there? */
bool cuda_library_names(const char *header, size_t length);

/* Where in the path of a file the name of such a header starts; null: it is none, as a file of the
 * user's in a folder that is called as one of CUDA's. */
const char *cuda_library_find(const char *path, size_t length);

#endif
