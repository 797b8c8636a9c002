/* SPDX-License-Identifier: MIT
 *
 * Command lines, a word a line.
 */
#include "command.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

extern const struct command list_command, run_command, replay_command, blame_command,
    counters_command, agree_command, races_command, delays_command, toolchain_command,
    snapshot_command, compare_command, check_command, gate_command, mutate_command;

static const struct command *const commands[] = {
    &list_command,    &run_command,   &replay_command, &blame_command,     &counters_command,
    &agree_command,   &races_command, &delays_command, &toolchain_command, &snapshot_command,
    &compare_command, &check_command, &gate_command,   &mutate_command,    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_WORDS = 64 };
    char *text = fuzz_string(data, size), *rest = text, *words[MOST_WORDS + 1];
    char program[] = "simtcheck";
    struct options options;
    int count = 1;

    words[0] = program;
    while (count < MOST_WORDS && rest != NULL)
        words[count++] = strsep(&rest, "\n");
    words[count] = NULL;
    if (options_parse(count, words, commands, &options))
        fuzz_expect(options.command != NULL || options.help || options.version);
    options_free(&options);
    free(text);
    return 0;
}
