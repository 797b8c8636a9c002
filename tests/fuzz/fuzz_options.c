/* SPDX-License-Identifier: MIT
 *
 * Command lines, one word per line.
 */
#include "command.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_WORDS = 64 };
    char *text = fuzz_string(data, size), *rest = text, *words[MAX_WORDS + 1];
    char program[] = "simtcheck";
    struct command_line line;
    int count = 1;

    words[0] = program;
    while (count < MAX_WORDS && rest != NULL)
        words[count++] = strsep(&rest, "\n");
    words[count] = NULL;
    if (command_line_parse(count, words, all_commands(), &line))
        fuzz_expect(line.command != NULL || line.help || line.version);
    command_line_free(&line);
    free(text);
    return 0;
}
