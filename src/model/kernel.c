/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <string.h>

/* The bounds of the section. The linker defines them because the section's name is an identifier.
 */
extern const struct simt_kernel *const __start_simt_kernels[] __attribute__((weak));
extern const struct simt_kernel *const __stop_simt_kernels[] __attribute__((weak));

const struct simt_kernel *simt_kernel_find(const char *name)
{
    for (const struct simt_kernel *const *kernel = __start_simt_kernels;
         kernel < __stop_simt_kernels; kernel++)
        if (strcmp((*kernel)->name, name) == 0)
            return *kernel;
    return NULL;
}
