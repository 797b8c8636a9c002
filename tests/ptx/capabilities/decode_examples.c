/* SPDX-License-Identifier: MIT
 *
 * decode_examples: reads modules of PTX from standard input, each ended by a line "// end". Decodes
 * each one, and writes a line for it: "taken", or the error.
 */
#include "accept.h"
#include "decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void decode_one(const char *text, size_t size)
{
    struct module_code code;
    char error[1024];
    bool good = decode_alone(&code, "example.ptx", text, size, error, sizeof error);

    printf("%s\n", good ? "taken" : error);
    decode_alone_free(&code);
}

int main(void)
{
    char *line = NULL, *text = NULL;
    size_t capacity = 0, size = 0;
    FILE *to = open_memstream(&text, &size);

    while (to != NULL && getline(&line, &capacity, stdin) > 0) {
        if (strcmp(line, "// end\n") != 0) {
            fputs(line, to);
            continue;
        }
        fclose(to);
        decode_one(text, size);
        free(text);
        to = open_memstream(&text, &size);
    }
    if (to != NULL)
        fclose(to);
    free(text);
    free(line);
    return 0;
}
