/* SPDX-License-Identifier: MIT */
#include "translated.h"

#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *translated(const char *path, const char *ptx, size_t size, char error[TRANSLATED_ERROR])
{
    struct module module;
    char *text = NULL, *copy = malloc(size > 0 ? size : 1);
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    bool good;

    error[0] = '\0';
    memcpy(copy, ptx, size); /* without what stands behind it: AddressSanitizer sees who reads on */
    good = module_parse(&module, path, copy, size, error, TRANSLATED_ERROR) &&
           module_emit(&module, to, error, TRANSLATED_ERROR);
    module_free(&module);
    free(copy);
    fclose(to);
    if (good)
        return text;
    free(text);
    return NULL;
}

bool units_add(struct units *units, const char *c)
{
    char path[64];
    FILE *to;
    bool good;

    if (units->count == 0) {
        strcpy(units->folder, "/tmp/simtcheck_unit_XXXXXX");
        if (mkdtemp(units->folder) == NULL)
            return false;
    }
    snprintf(path, sizeof path, "%s/%zu.c", units->folder, units->count++);
    to = fopen(path, "w");
    good = to != NULL && fputs(c, to) >= 0;
    return to != NULL && fclose(to) == 0 && good;
}

bool units_compile(struct units *units)
{
    char command[1024];
    bool good;

    if (units->count == 0)
        return true;
    snprintf(command, sizeof command,
             "cd %s && { %s -c -O0 -Werror=implicit-function-declaration -fwrapv "
             "-fno-strict-aliasing -ffp-contract=off -fno-builtin -I'%s/include' "
             "-I'%s/src/device/dialect' "
             "-I'%s/src/engine/ptx/run' *.c >words 2>&1 || "
             "{ cat words >&2; false; }; } && rm -r %s",
             units->folder, C_COMPILER, SOURCE_FOLDER, SOURCE_FOLDER, SOURCE_FOLDER, units->folder);
    good = system(command) == 0;
    if (!good)
        fprintf(stderr, "what does not compile is in %s\n", units->folder);
    units->count = 0;
    return good;
}
