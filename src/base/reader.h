/* SPDX-License-Identifier: MIT
 *
 * Reading text word by word, up to the first mistake, which is told with its place.
 */
#ifndef SIMTCHECK_CASES_READER_H
#define SIMTCHECK_CASES_READER_H

#include <stdbool.h>
#include <stddef.h>

struct reader {
    const char *at;
    char *error; /* the caller's; empty: no mistake yet */
    size_t error_size;
};

/* False. Of several mistakes the first is told. */
__attribute__((format(printf, 2, 3))) bool reader_fail(struct reader *reader, const char *format,
                                                       ...);

void reader_skip_blanks(struct reader *reader);

/* Is that next, behind blanks? Then the reader is behind it. */
bool reader_take(struct reader *reader, const char *text);

/* The same of a whole word, not the beginning of a longer one. */
bool reader_take_word(struct reader *reader, const char *word);

/* The same, and a mistake where it is not. */
bool reader_expect(struct reader *reader, const char *text);

/* Of the identifier that begins there; 0: none does. */
size_t reader_name_length(const char *at);

#endif
