/* SPDX-License-Identifier: MIT */
#include "engine.h"
#include "loaded.h"
#include "memory.h"
#include "modules.h"
#include "source.h"

#include <dlfcn.h>
#include <stdio.h>

/* Kernels translated from PTX. */
static bool take_translated(const struct simt_code *code)
{
    simt_kernels_take(code->kernels, (size_t)(code->kernels_end - code->kernels));
    source_take(code->places, code->places_end);
    modules_take(code->modules, (size_t)(code->modules_end - code->modules));
    return true;
}

/* Kernels of source. */
static bool take_source(void *handle, const struct simt_source_code *code, char *reason,
                        size_t reason_size)
{
    if (!loaded_take(handle, code, reason, reason_size))
        return false;
    simt_kernels_take(code->kernels, (size_t)(code->kernels_end - code->kernels));
    source_take_object(code);
    return memory_open_again(reason, reason_size);
}

bool engine_load(const char *path, char *reason, size_t reason_size)
{
    /* Lazily: host code beside kernels may call what is nowhere, for nobody runs it. */
    void *handle = dlopen(path, (modules_are_there() ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
    const struct simt_code *code = handle != NULL ? dlsym(handle, "simt_code") : NULL;
    const struct simt_source_code *source =
        handle != NULL ? dlsym(handle, "simt_source_code") : NULL;

    if (code != NULL)
        return take_translated(code);
    if (source != NULL)
        return take_source(handle, source, reason, reason_size);
    snprintf(reason, reason_size, "cannot load the kernels of %s: %s", path, dlerror());
    return false;
}
