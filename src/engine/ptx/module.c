/* SPDX-License-Identifier: MIT
 *
 * The types of PTX, the names of a module, and what is said of a line that is wrong.
 */
#include "parser.h"

#include <string.h>

static const struct type types[] = {
    {"pred", 1, 'p'},   {"b8", 1, 'b'},     {"b16", 2, 'b'},  {"b32", 4, 'b'},
    {"b64", 8, 'b'},    {"b128", 16, 'b'},  {"u8", 1, 'u'},   {"u16", 2, 'u'},
    {"u32", 4, 'u'},    {"u64", 8, 'u'},    {"s8", 1, 's'},   {"s16", 2, 's'},
    {"s32", 4, 's'},    {"s64", 8, 's'},    {"f16", 2, 'f'},  {"f16x2", 4, 'f'},
    {"bf16", 2, 'f'},   {"bf16x2", 4, 'f'}, {"f32", 4, 'f'},  {"f64", 8, 'f'},
    {"u16x2", 4, 'u'},  {"s16x2", 4, 's'},  {"tf32", 4, 'f'}, {"e4m3x2", 2, 'f'},
    {"e5m2x2", 2, 'f'},
};

const struct type *type_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return &types[i];
    return NULL;
}

struct function *module_function(const struct module *module, const char *name)
{
    return names_get(&module->function_names, name, 0);
}

struct variable *module_variable(const struct module *module, const char *name)
{
    return names_get(&module->variable_names, name, 0);
}

struct source_file module_file(const struct module *module, const struct location *location)
{
    return location != NULL && location->file < module->file_count &&
                   module->files[location->file].name != NULL
               ? module->files[location->file]
               : (struct source_file){"", OWNER_USER};
}

_Noreturn void parser_fail(const struct parser *parser, uint32_t line, const char *format, ...)
{
    char text[400];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    arena_fail(parser->module->arena, parser->module->path, line, "%s", text);
}
