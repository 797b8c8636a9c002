/* SPDX-License-Identifier: MIT
 *
 * decode_examples: reads modules of PTX from standard input. Each ends with a line
 * "// end INSTRUCTION", which repeats its instruction. Decodes each one, and writes a line for it:
 *
 *     supported
 *     rejected    PATTERN    REASON     of the row of unsupported_forms.c
 *     unknown     ERROR                 no row gives the reason
 *
 * Then it writes a line "row PATTERN" for each row of unsupported_forms.c.
 */
#include "accept.h"
#include "decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void decode_one(const char *text, size_t size, char *instruction)
{
    size_t length = strcspn(instruction, " ;");
    const char *operands = instruction + length + (instruction[length] != '\0');
    const struct form *row;
    struct module_code code;
    char error[1024];
    bool good = decode_alone(&code, "example.ptx", text, size, error, sizeof error);

    instruction[length] = '\0';
    row = forms_unsupported(instruction, operands);
    if (good)
        printf("supported\n");
    else if (row != NULL)
        printf("rejected\t%s %s\t%s\n", row->pattern, row->operands, row->meaning);
    else
        printf("unknown\t%s\n", error);
    decode_alone_free(&code);
}

int main(void)
{
    static const char end[] = "// end ";
    char *line = NULL, *text = NULL;
    size_t capacity = 0, size = 0;
    FILE *to = open_memstream(&text, &size);

    while (to != NULL && getline(&line, &capacity, stdin) > 0) {
        if (strncmp(line, end, strlen(end)) != 0) {
            fputs(line, to);
            continue;
        }
        fclose(to);
        decode_one(text, size, line + strlen(end));
        free(text);
        to = open_memstream(&text, &size);
    }
    if (to != NULL)
        fclose(to);
    free(text);
    free(line);
    for (const struct form *row = unsupported_forms; row->pattern != NULL; row++)
        printf("row\t%s %s\n", row->pattern, row->operands);
    return 0;
}
