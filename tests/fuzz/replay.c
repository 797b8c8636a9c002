/* SPDX-License-Identifier: MIT
 *
 * replay FILE...: gives a target each file, pieces of it, and each of its lines. A short file is
 * cut at every byte, a long one in half.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives the target a copy, so that AddressSanitizer detects reads past the end. */
static void give(const char *bytes, size_t size)
{
    uint8_t *copy = calloc(1, size > 0 ? size : 1);

    if (copy == NULL)
        exit(3);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void give_lines(const char *bytes, size_t size)
{
    while (size > 0) {
        const char *end = memchr(bytes, '\n', size);
        size_t length = end != NULL ? (size_t)(end - bytes) : size;
        give(bytes, length);
        length += end != NULL;
        bytes += length;
        size -= length;
    }
}

int main(int argc, char **argv)
{
    enum { MAX_BYTES = 1 << 22, SHORT = 1 << 13 };
    static char bytes[MAX_BYTES];

    give(bytes, 0);
    for (int k = 1; k < argc; k++) {
        FILE *file = fopen(argv[k], "rb");
        size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (file == NULL || ferror(file) || size == sizeof bytes) {
            fprintf(stderr, "cannot read '%s' whole\n", argv[k]);
            return 3;
        }
        fclose(file);
        give(bytes, size);
        for (size_t cut = size > SHORT ? size / 2 : 0; cut<size; cut += size> SHORT ? size : 1)
            give(bytes, cut);
        give_lines(bytes, size);
    }
    return argc > 1 ? 0 : 2;
}
