/* SPDX-License-Identifier: MIT
 *
 * Files of litmus tests: the reader, and the kernels of what it accepted.
 */
#include "fuzz.h"
#include "litmus_kernel.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), error[256] = "";
    struct litmus_tests tests = {.count = 0};
    FILE *nowhere = fopen("/dev/null", "w");

    fuzz_expect(nowhere != NULL);
    fuzz_expect(litmus_read(text, &tests, error, sizeof error) == (error[0] == '\0'));
    for (size_t k = 0; error[0] == '\0' && k < tests.count; k++) {
        struct litmus_layout layout;

        if (litmus_layout_of(&tests.list[k], &layout) == NULL)
            litmus_kernel_write(&tests.list[k], &layout, 90, nowhere);
    }
    fclose(nowhere);
    free(tests.list);
    free(text);
    return 0;
}
