/* SPDX-License-Identifier: MIT */
#include "entry.h"

#include "build.h"
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The symbol behind "simt_entry_<name> = ", in generic() or not; "" where there is none. */
static void find_symbol(const char *text, const char *name, char symbol[512])
{
    char wanted[128];
    const char *found;

    snprintf(wanted, sizeof wanted, " simt_entry_%s = ", name);
    found = strstr(text, wanted);
    symbol[0] = '\0';
    if (found == NULL)
        return;
    found += strlen(wanted);
    if (strncmp(found, "generic(", 8) == 0)
        found += 8;
    snprintf(symbol, 512, "%.*s", (int)strcspn(found, ");"), found);
}

static bool take(const struct function *function, struct entry *entry, char *error,
                 size_t error_size)
{
    if (function == NULL || !function->is_entry) {
        snprintf(error, error_size, "the PTX has no such kernel");
        return false;
    }
    if (function->parameter_count > MOST_PARAMETERS) {
        snprintf(error, error_size, "the kernel takes more than %d arguments", MOST_PARAMETERS);
        return false;
    }
    entry->parameter_count = function->parameter_count;
    for (size_t p = 0; p < entry->parameter_count; p++) {
        entry->parameters[p].bytes = function->parameters[p]->bytes;
        entry->parameters[p].is_float = function->parameters[p]->type->kind == 'f';
    }
    return true;
}

bool entry_read(const char *ptx, const char *name, struct entry *entry, char *error,
                size_t error_size)
{
    struct module module;
    size_t size;
    char *text = build_read_file(ptx, &size);
    bool good = text != NULL;

    if (!good) {
        snprintf(error, error_size, "cannot read %s: %s", ptx, strerror(errno));
        return false;
    }
    good = module_parse(&module, ptx, text, size, error, error_size);
    if (good) {
        text[size] = '\0';
        find_symbol(text, name, entry->symbol);
        good = take(module_function(&module, entry->symbol), entry, error, error_size);
        module_free(&module);
    }
    free(text);
    return good;
}
