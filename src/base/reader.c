/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <ctype.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;

    if (reader->error[0] != '\0')
        return false;
    va_start(arguments, format);
    vsnprintf(reader->error, reader->error_size, format, arguments);
    va_end(arguments);
    return false;
}

void reader_skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

bool reader_take(struct reader *reader, const char *text)
{
    reader_skip_blanks(reader);
    if (strncmp(reader->at, text, strlen(text)) != 0)
        return false;
    reader->at += strlen(text);
    return true;
}

size_t reader_name_length(const char *at)
{
    size_t length = 0;

    if (!isalpha((unsigned char)*at) && *at != '_')
        return 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

bool reader_take_word(struct reader *reader, const char *word)
{
    reader_skip_blanks(reader);
    return reader_name_length(reader->at) == strlen(word) && reader_take(reader, word);
}

bool reader_expect(struct reader *reader, const char *text)
{
    return reader_take(reader, text) || reader_fail(reader, "expected '%s' here", text);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *kept_text(const char *text, size_t length)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *all;
    char *copy = strndup(text, length), **kept;

    pthread_mutex_lock(&lock);
    kept = copy != NULL ? tsearch(copy, &all, compare_texts) : NULL;
    pthread_mutex_unlock(&lock);
    if (kept == NULL)
        abort(); /* out of memory */
    text = *kept;
    if (text != copy)
        free(copy);
    return text;
}
