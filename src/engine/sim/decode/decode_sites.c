/* SPDX-License-Identifier: MIT
 *
 * Source locations.
 */
#include "decoder.h"

#include <string.h>

struct location *decode_user_location(const struct module *module, struct location *location)
{
    while (location != NULL &&
           (location->line == 0 || module_file(module, location).name[0] == '\0' ||
            module_file(module, location).owner != OWNER_USER))
        location = location->inlined_at;
    return location;
}

/* Returns the call of a function that was inlined, with the calls around it. */
static const struct simt_site *outer_site(const struct module *module, struct location *location)
{
    struct simt_site *site;

    location = decode_user_location(module, location);
    if (location == NULL || location->site != NULL)
        return location != NULL ? location->site : NULL;
    location->site = site = arena_take(module->arena, 1, sizeof *site);
    *site = (struct simt_site){.file = module_file(module, location).name,
                               .line = (int)location->line,
                               .column = (int)location->column,
                               .outer = outer_site(module, location->inlined_at)};
    return site;
}

/* Returns whether a header of the toolkit declares CUDA's own functions, which a text names. */
static bool is_api(const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash != NULL ? (size_t)(slash - file) : 0;

    return (length > 8 && memcmp(slash - 8, "/include", 8) == 0) ||
           (length > 4 && memcmp(slash - 4, "/crt", 4) == 0);
}

struct simt_site decode_site(const struct module *module, struct location *location, uint32_t line)
{
    const struct location *shown = decode_user_location(module, location);
    const struct source_file file = module_file(module, location);
    struct simt_site site = {.file = module->path, .line = (int)line};

    if (shown == NULL)
        shown = location;
    if (shown == NULL)
        return site;
    site = (struct simt_site){.file = module_file(module, shown).name,
                              .line = (int)shown->line,
                              .column = (int)shown->column,
                              .outer = outer_site(module, shown->inlined_at)};
    if (file.owner == OWNER_LIBRARY && location->line > 0 && !is_api(file.name)) {
        site.library = file.name;
        site.library_line = (int)location->line;
    }
    return site;
}
