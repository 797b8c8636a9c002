/* SPDX-License-Identifier: MIT
 *
 * Can the simulator run a module? For programs that have no simulator in them.
 */
#include "accept.h"

#include "decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct simt_place *places;

static struct simt_place *take_places(size_t count)
{
    places = calloc(count + 1, sizeof *places);
    return places;
}

/* Any address: nothing is run. */
static uint64_t address_of(struct module_code *code, const struct variable *variable)
{
    (void)code;
    (void)variable;
    return UINT64_C(1) << GLOBAL_SHIFT;
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

bool decode_accepts(const char *path, char *error, size_t error_size)
{
    static const struct decode_links links = {address_of, take_places, CODE_WINDOW_BASE};
    struct module_code code = {.functions = NULL};
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
    good = module_parse(&code.module, path, text, size, error, error_size) &&
           decode_module(&code, &links, error, error_size);
    module_free(&code.module);
    free(places);
    places = NULL;
    free(text);
    return good;
}
