/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <string.h>

/* Section bounds that the linker defines for a section whose name is an identifier. */
extern const struct simt_kernel *const __start_simt_kernels[] __attribute__((weak));
extern const struct simt_kernel *const __stop_simt_kernels[] __attribute__((weak));

static const struct simt_kernel *const *taken;
static size_t taken_count;

void simt_kernels_take(const struct simt_kernel *const *kernels, size_t count)
{
    taken = kernels;
    taken_count = count;
}

const struct simt_kernel *simt_kernel_at(size_t k)
{
    if (taken != NULL)
        return k < taken_count ? taken[k] : NULL;
    return k < (size_t)(__stop_simt_kernels - __start_simt_kernels) ? __start_simt_kernels[k]
                                                                    : NULL;
}

const struct simt_kernel *simt_kernel_find(const char *name)
{
    const struct simt_kernel *kernel;

    for (size_t k = 0; (kernel = simt_kernel_at(k)) != NULL; k++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

const char *simt_kernel_name(void (*function)(void))
{
    const struct simt_kernel *kernel;

    for (size_t k = 0; (kernel = simt_kernel_at(k)) != NULL; k++)
        if (memcmp(&kernel->function, &function, sizeof function) == 0)
            return kernel->name;
    return NULL;
}
