/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct driver driver;

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

const char *driver_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

#define DRIVER_LOOK_UP(name)                                                                       \
    {                                                                                              \
        void *found = library != NULL ? dlsym(library, TEXT(name)) : NULL;                         \
        if (found == NULL)                                                                         \
            return TEXT(name);                                                                     \
        memcpy(&driver.name, &found, sizeof found);                                                \
    }
    DRIVER_FUNCTIONS(DRIVER_LOOK_UP)
#undef DRIVER_LOOK_UP
    return NULL;
}

const char *driver_error(CUresult result)
{
    const char *name = NULL;

    if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL)
        return "an unknown error";
    return name;
}
