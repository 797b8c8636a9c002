/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

char *fuzz_string(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL)
        exit(3);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_expect(int holds)
{
    if (!holds)
        abort();
}
