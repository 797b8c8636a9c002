/* SPDX-License-Identifier: MIT */
#include "engine.h"
#include "modules.h"
#include "source.h"

#include <dlfcn.h>
#include <stdio.h>

bool engine_load(const char *path, char *reason, size_t reason_size)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct simt_code *code = handle != NULL ? dlsym(handle, "simt_code") : NULL;

    if (code == NULL) {
        snprintf(reason, reason_size, "cannot load the kernels of %s: %s", path, dlerror());
        return false;
    }
    simt_kernels_take(code->kernels, (size_t)(code->kernels_end - code->kernels));
    source_take(code->places, code->places_end);
    modules_take(code->modules, (size_t)(code->modules_end - code->modules));
    return true;
}
