/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
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
