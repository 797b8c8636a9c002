/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <string.h>

/* Section bounds that the linker defines for a section whose name is an identifier. */
extern const struct simt_kernel *const __start_simt_kernels[];
extern const struct simt_kernel *const __stop_simt_kernels[];

const struct simt_kernel *simt_kernel_find(const char *name)
{
    for (const struct simt_kernel *const *entry = __start_simt_kernels; entry < __stop_simt_kernels;
         entry++)
        if (strcmp((*entry)->name, name) == 0)
            return *entry;
    return NULL;
}

const struct simt_kernel *simt_kernel_at(size_t k)
{
    size_t count = (size_t)(__stop_simt_kernels - __start_simt_kernels);
    return k < count ? __start_simt_kernels[k] : NULL;
}

const char *simt_kernel_name(void (*function)(void))
{
    for (const struct simt_kernel *const *entry = __start_simt_kernels; entry < __stop_simt_kernels;
         entry++)
        if (memcmp(&(*entry)->function, &function, sizeof function) == 0)
            return (*entry)->name;
    return NULL;
}
