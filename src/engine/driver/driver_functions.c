/* SPDX-License-Identifier: MIT */
#include "driver_functions.h"

#include <dlfcn.h>
#include <string.h>

struct driver driver;

static const struct {
    const char *name;
    void *slot;
} functions[] = {
#define FUNCTION(name, parameters) {#name, &driver.name},
    DRIVER_FUNCTIONS(FUNCTION)};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const char *driver_load(const char *names)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *found;

    for (size_t length, k = 0; *names != '\0'; names += length + strspn(names + length, " ")) {
        length = strcspn(names, " ");
        for (k = 0; k < FUNCTIONS; k++)
            if (strlen(functions[k].name) == length &&
                strncmp(functions[k].name, names, length) == 0)
                break;
        if (k == FUNCTIONS)
            return names;
        found = library != NULL ? dlsym(library, functions[k].name) : NULL;
        if (found == NULL)
            return functions[k].name;
        memcpy(functions[k].slot, &found, sizeof found);
    }
    return NULL;
}
