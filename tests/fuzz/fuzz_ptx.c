/* SPDX-License-Identifier: MIT
 *
 * Modules of PTX: read, and written as C.
 */
#include "fuzz.h"
#include "module.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct module module;
    char error[512] = "", *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    bool good;

    if (to == NULL)
        exit(3);
    good = module_parse(&module, "module.ptx", (const char *)data, size, error, sizeof error) &&
           module_emit(&module, to, error, sizeof error);
    module_free(&module);
    fclose(to);
    fuzz_expect(good ? length > 0 : error[0] != '\0');
    free(text);
    return 0;
}
