/* SPDX-License-Identifier: MIT */
#include "kernel.h"
#include "entry_variable.h"

#include <string.h>

/* ---- Kernels of this program ---- */

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

/* ---- Kernels in PTX ---- */

static bool is_text(const char *at, int length, const char *text)
{
    return strlen(text) == (size_t)length && strncmp(at, text, (size_t)length) == 0;
}

const char *entry_variable_name(const char *variable)
{
    const size_t length = sizeof ENTRY_VARIABLE - 1;

    return strncmp(variable, ENTRY_VARIABLE, length) == 0 ? variable + length : NULL;
}

bool entry_variable_next(const char *text, struct entry_variable *found)
{
    static const char start[] = " " ENTRY_VARIABLE, equals[] = " = ", generic[] = "generic(";

    while ((text = strstr(text, start)) != NULL) {
        text += sizeof start - 1;
        found->name = text;
        found->name_length = (int)strcspn(text, " \t\r\n");
        text += found->name_length;
        if (strncmp(text, equals, sizeof equals - 1) != 0)
            continue;
        text += sizeof equals - 1;
        if (strncmp(text, generic, sizeof generic - 1) == 0)
            text += sizeof generic - 1;
        found->symbol = text;
        found->symbol_length = (int)strcspn(text, ");");
        return true;
    }
    return false;
}

bool entry_variable_find(const char *text, const char *name, struct entry_variable *found)
{
    for (; entry_variable_next(text, found); text = found->symbol)
        if (is_text(found->name, found->name_length, name))
            return true;
    return false;
}

bool entry_variable_holds(const struct entry_variable *variable, const char *symbol)
{
    return is_text(variable->symbol, variable->symbol_length, symbol);
}
