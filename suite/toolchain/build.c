/* SPDX-License-Identifier: MIT */
#include "build.h"

#include "module.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 4096 };

bool assembler_open(const char *path, struct assembler *assembler, char *error, size_t error_size)
{
    const char *const arguments[] = {path, "--version", NULL};
    char said[SAID], *version;
    int status = tool_run(arguments, said, sizeof said);

    *assembler = (struct assembler){.path = path};
    version = strstr(said, ", V");
    if (status == 0 && version != NULL && sscanf(version, ", V%31[0-9.]", assembler->version) == 1)
        return true;
    snprintf(error, error_size, "%s is no ptxas: it was to tell its version, and said '%.*s'", path,
             (int)strcspn(said, "\n"), said);
    return false;
}

bool build_machine_code(const struct assembler *assembler, const char *architecture, int level,
                        const char *ptx, const char *cubin, char *error, size_t error_size)
{
    char arch[32], optimise[8], said[SAID];
    const char *const arguments[] = {assembler->path, arch, optimise, ptx, "-o", cubin, NULL};
    int status;

    snprintf(arch, sizeof arch, "-arch=%s", architecture);
    snprintf(optimise, sizeof optimise, "-O%d", level);
    status = tool_run(arguments, said, sizeof said);
    if (status != 0)
        snprintf(error, error_size, "%s %s %s: exit status %d: %.*s", assembler->path, optimise,
                 ptx, status, (int)strcspn(said, "\n"), said);
    return status == 0;
}

/* ---- For the host engine ---- */

static char *read_file(const char *path, size_t *size)
{
    FILE *from = fopen(path, "rb");
    char *text = NULL;
    long end;

    if (from == NULL)
        return NULL;
    if (fseek(from, 0, SEEK_END) == 0 && (end = ftell(from)) >= 0) {
        rewind(from);
        *size = (size_t)end;
        text = malloc(*size + 1);
        if (text != NULL && fread(text, 1, *size, from) != *size) {
            free(text);
            text = NULL;
        }
    }
    fclose(from);
    return text;
}

static bool translate(const char *ptx, const char *c, char *error, size_t error_size)
{
    struct module module;
    size_t size = 0;
    char *text = read_file(ptx, &size);
    FILE *to = text != NULL ? fopen(c, "w") : NULL;
    bool good;

    if (to == NULL) {
        snprintf(error, error_size, "cannot %s: %s", text == NULL ? ptx : c, strerror(errno));
        free(text);
        return false;
    }
    good = module_parse(&module, ptx, text, size, error, error_size) &&
           module_emit(&module, to, error, error_size);
    if ((ferror(to) | fclose(to)) != 0 && good) {
        snprintf(error, error_size, "cannot write %s", c);
        good = false;
    }
    module_free(&module);
    free(text);
    return good;
}

bool build_host_code(const char *ptx, const char *object, char *error, size_t error_size)
{
    char c[4096], said[SAID];
    int status;
    const char *compiler = getenv("SIMTCHECK_CC");
    const char *const arguments[] = {compiler != NULL ? compiler : SIMTCHECK_CC,
                                     "-shared",
                                     "-fPIC",
                                     "-O1",
                                     "-w",
                                     "-fwrapv",
                                     "-fno-strict-aliasing",
                                     "-ffp-contract=off",
                                     "-fno-builtin",
                                     "-fno-omit-frame-pointer",
                                     "-I" SIMTCHECK_SOURCE "/kernels",
                                     "-I" SIMTCHECK_SOURCE "/engine/ptx",
                                     c,
                                     SIMTCHECK_SOURCE "/engine/ptx/code_object.c",
                                     "-o",
                                     object,
                                     NULL};

    snprintf(c, sizeof c, "%s.c", object);
    if (!translate(ptx, c, error, error_size))
        return false;
    status = tool_run(arguments, said, sizeof said);
    remove(c);
    if (status == 0)
        return true;
    snprintf(error, error_size, "%s does not compile what %s was translated to: %.*s", arguments[0],
             ptx, (int)strcspn(said, "\n"), said);
    return false;
}
