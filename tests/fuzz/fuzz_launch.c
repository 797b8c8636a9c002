/* SPDX-License-Identifier: MIT
 *
 * Launches as users write them: parses them, and computes what they launch for some shapes.
 */
#include "fuzz.h"
#include "launch_text.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if the launch names files. Those are never read, because the input may name any
 * file. */
static bool names_files(const struct launch_text *launch)
{
    for (uint32_t a = 0; a < launch->array_count; a++)
        if (launch->arrays[a].file[0] != '\0')
            return true;
    return false;
}

static void invoke(const struct launch_text *launch)
{
    static const struct shape shapes[] = {{{1, 1, 1}, {0, 0}, 0, 0, {0, 0}},
                                          {{33, 1, 1}, {1000, 7}, 0, 0, {0, 0}},
                                          {{1024, 1, 1}, {UINT32_MAX, 3}, 1, 0, {0, 0}}};
    static struct invocation invocation;
    char error[512];

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        memset(&invocation, 0, sizeof invocation);
        error[0] = '\0';
        if (!launch_invoke(launch, &shapes[k], &invocation, error, sizeof error))
            fuzz_expect(error[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct size_names sizes = {.count = 1, .name = {"rows"}};
    static struct launch_text launch;
    char *text = fuzz_string(data, size), error[512] = "";
    size_t column = 0;

    memset(&launch, 0, sizeof launch);
    if (!launch_parse(text, &sizes, &launch, &column, error, sizeof error))
        fuzz_expect(error[0] != '\0' && column >= 1 && column <= strlen(text) + 1);
    else if (!names_files(&launch))
        invoke(&launch);
    free(text);
    return 0;
}
