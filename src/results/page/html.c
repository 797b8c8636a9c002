/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLACEMENT = 0xFFFD };

/* Returns the character at *text and advances *text past it. */
static uint32_t take_character(const unsigned char **text)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned int first = *(*text)++;
    int more = first < 0x80                    ? 0
               : first >= 0xC2 && first < 0xE0 ? 1
               : first >= 0xE0 && first < 0xF0 ? 2
               : first >= 0xF0 && first < 0xF5 ? 3
                                               : -1;
    uint32_t character = more > 0 ? first & (0x3Fu >> more) : first;

    if (more < 0)
        return REPLACEMENT;
    for (int k = 0; k < more; k++) {
        if ((**text & 0xC0) != 0x80)
            return REPLACEMENT;
        character = character << 6 | (*(*text)++ & 0x3F);
    }
    return character < least[more] || character > 0x10FFFF || (character >> 11) == 0x1B
               ? REPLACEMENT
               : character;
}

/* Returns whether a character changes the appearance of others. */
static bool is_control(uint32_t character)
{
    return (character < 0x20 && character != '\n' && character != '\t') ||
           (character >= 0x7F && character < 0xA0) || character == 0x61C ||
           (character >= 0x200E && character <= 0x200F) ||
           (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xFEFF;
}

void html_text(FILE *to, const char *text)
{
    const unsigned char *place = (const unsigned char *)text;

    while (*place != '\0') {
        const unsigned char *start = place;
        uint32_t character = take_character(&place);
        if (character == '&')
            fputs("&amp;", to);
        else if (character == '<')
            fputs("&lt;", to);
        else if (character == '>')
            fputs("&gt;", to);
        else if (character == '"')
            fputs("&quot;", to);
        else if (character == '\'')
            fputs("&#39;", to);
        else if (character == REPLACEMENT || is_control(character))
            fputs("\xEF\xBF\xBD", to);
        else
            fwrite(start, 1, (size_t)(place - start), to);
    }
}
