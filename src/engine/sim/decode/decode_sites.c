/* SPDX-License-Identifier: MIT
 *
 * Source locations.
 */
#include "decoder.h"

#include <string.h>

const char *decode_file(const struct module *module, const struct location *location)
{
    const char *file = location != NULL && location->file < module->file_count
                           ? module->files[location->file]
                           : NULL;
    return file != NULL ? file : "";
}

/* Returns true for a header of the CUDA toolkit, dialect.h, or the text of a user's launch. Code
 * in such a file is reported at the kernel's own line. */
bool decode_is_library(const struct module *module, const struct location *location)
{
    const char *file = decode_file(module, location), *name = strrchr(file, '/');

    return strstr(file, "/include/") != NULL || strstr(file, "/device/clang/") != NULL ||
           (name != NULL && (strcmp(name, "/dialect.h") == 0 || strcmp(name, "/the launch") == 0));
}

static bool is_hidden(const struct module *module, const struct location *location)
{
    return decode_is_library(module, location) || location->line == 0;
}

/* Returns the call of a function that was inlined, with the calls around it. */
static const struct simt_site *outer_site(const struct module *module, struct location *location)
{
    struct simt_site *site;

    while (location != NULL && is_hidden(module, location))
        location = location->inlined_at;
    if (location == NULL || location->site != NULL)
        return location != NULL ? location->site : NULL;
    location->site = site = arena_take(module->arena, 1, sizeof *site);
    *site = (struct simt_site){decode_file(module, location), (int)location->line,
                               outer_site(module, location->inlined_at)};
    return site;
}

struct simt_site decode_site(const struct module *module, const struct location *location,
                             uint32_t line)
{
    const struct location *shown = location;

    while (shown != NULL && is_hidden(module, shown))
        shown = shown->inlined_at;
    if (shown == NULL)
        shown = location;
    if (shown == NULL)
        return (struct simt_site){module->path, (int)line, NULL};
    return (struct simt_site){decode_file(module, shown), (int)shown->line,
                              outer_site(module, shown->inlined_at)};
}
