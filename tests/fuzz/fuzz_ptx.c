/* SPDX-License-Identifier: MIT
 *
 * PTX modules: parses and decodes them.
 */
#include "decode.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct module_code code;
    char error[512] = "";
    bool good = decode_alone(&code, "module.ptx", (const char *)data, size, error, sizeof error);

    fuzz_expect(good ? code.functions != NULL : error[0] != '\0');
    decode_alone_free(&code);
    return 0;
}
