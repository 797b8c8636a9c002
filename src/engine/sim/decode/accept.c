/* SPDX-License-Identifier: MIT
 *
 * Decodes modules without a simulator, for programs that only check PTX.
 */
#include "accept.h"

#include "decode.h"
#include "source_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct simt_place *take_places(size_t count)
{
    return calloc(count, sizeof(struct simt_place));
}

static uint64_t address_of(struct module_code *code, const struct variable *variable)
{
    (void)code;
    return ((uint64_t)variable->number + 1) << GLOBAL_SHIFT;
}

bool decode_alone(struct module_code *code, const char *path, const char *text, size_t size,
                  char *error, size_t error_size)
{
    static const struct decode_links links = {address_of, take_places, CODE_WINDOW_BASE, NULL};

    *code = (struct module_code){.functions = NULL};
    return module_parse(&code->module, path, text, size, error, error_size) &&
           decode_module(code, &links, error, error_size);
}

void decode_alone_free(struct module_code *code)
{
    module_free(&code->module);
    free((void *)(uintptr_t)code->places);
    *code = (struct module_code){.functions = NULL};
}

static char *read_all(FILE *from, size_t *size)
{
    char *text = NULL, block[1 << 16];
    FILE *to = open_memstream(&text, size);
    size_t got;

    while (to != NULL && (got = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, got, to);
    if (to != NULL)
        fclose(to);
    return text;
}

void decode_undefined(const struct op *call, char *error, size_t error_size)
{
    char file[200], name[80];

    source_path_shorten(call->place->site.file, file, sizeof file);
    source_function(call->call->name, name, sizeof name);
    snprintf(error, error_size, "%s:%d: calls %s(), which no file defines", file,
             call->place->site.line, name);
}

/* Checks that the module has every function that it calls. */
static bool has_callees(const struct module_code *code, char *error, size_t error_size)
{
    for (size_t f = 0; f < code->module.function_count; f++) {
        const struct function_code *function = &code->functions[f];
        for (uint32_t i = 0; i < function->op_count; i++) {
            const struct op *op = &function->ops[i];
            if (op->kind != OP_CALL || op->call->name == NULL)
                continue;
            decode_undefined(op, error, error_size);
            return false;
        }
    }
    return true;
}

bool decode_accepts(const char *path, char *error, size_t error_size)
{
    struct module_code code;
    size_t size = 0;
    FILE *from = fopen(path, "rb");
    char *text = from != NULL ? read_all(from, &size) : NULL;
    bool good;

    if (from == NULL || text == NULL) {
        snprintf(error, error_size, "cannot read %s: %s", path, strerror(errno));
        if (from != NULL)
            fclose(from);
        return false;
    }
    fclose(from);
    good = decode_alone(&code, path, text, size, error, error_size) &&
           has_callees(&code, error, error_size);
    decode_alone_free(&code);
    free(text);
    return good;
}
