/* SPDX-License-Identifier: MIT
 *
 * CUDA C++ that has been preprocessed, made C++.
 */
#include "cuda_text.h"
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kernels[] = {"saxpy", "a::b"};
    static const char *const own[] = {"/include/", "/kernels"};
    char error[512] = "", *text = NULL;
    const char *missing = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);

    if (to == NULL)
        exit(3);
    if (!cuda_text_write((const char *)data, size, own, kernels, 2, to, &missing, error,
                         sizeof error))
        fuzz_expect(error[0] != '\0');
    fclose(to);
    free(text);
    return 0;
}
