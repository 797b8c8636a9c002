/* SPDX-License-Identifier: MIT
 *
 * Reads text word by word. The first mistake is reported with its place.
 */
#ifndef SIMTCHECK_BASE_READER_H
#define SIMTCHECK_BASE_READER_H

#include <stdbool.h>
#include <stddef.h>

struct reader {
    const char *at;
    char *error; /* owned by the caller; empty: no mistake yet */
    size_t error_size;
};

/* Reports a mistake. Only the first mistake is kept. Returns false. */
__attribute__((format(printf, 2, 3))) bool reader_fail(struct reader *reader, const char *format,
                                                       ...);

void reader_skip_blanks(struct reader *reader);

/* Skips blanks and advances past the text if it is next. Returns false if it is not. */
bool reader_take(struct reader *reader, const char *text);

/* As reader_take(), for a whole word that is not the beginning of a longer one. */
bool reader_take_word(struct reader *reader, const char *word);

/* As reader_take(), and reports a mistake if the text is not next. */
bool reader_expect(struct reader *reader, const char *text);

/* Returns the length of the identifier at `at`; 0 if none begins there. */
size_t reader_name_length(const char *at);

/* Returns the process's only copy of the first `length` characters, which is never freed. It is for
 * structures without an owner. */
const char *kept_text(const char *text, size_t length);

#endif
