/* SPDX-License-Identifier: MIT
 *
 * The JSON schema of documents, generated from their field tables: one definition for each table.
 */
#include "json_model.h"

static json_t *record_schema(const struct table *table, json_t *definitions);
static json_t *field_schema(const struct field *field, json_t *definitions);

static json_t *type_schema(const char *type)
{
    return json_pack("{s:s}", "type", type);
}

static json_t *count_schema(unsigned int least)
{
    return json_pack("{s:s, s:i}", "type", "integer", "minimum", (int)least);
}

static json_t *number_schema(unsigned int flags)
{
    return json_pack("{s:s, s:i}", "type", "number",
                     flags & FIELD_POSITIVE ? "exclusiveMinimum" : "minimum", 0);
}

static json_t *text_schema(const char *pattern)
{
    json_t *schema = type_schema("string");

    if (pattern != NULL)
        json_object_set_new(schema, "pattern", json_string(pattern));
    return schema;
}

static json_t *words_schema(const struct words *words)
{
    json_t *names = json_array();

    for (unsigned int k = 0; k < words->count; k++)
        json_array_append_new(names, json_string(words_name(words, k)));
    return json_pack("{s:o}", "enum", names);
}

/* Returns the schema of an array with a minimum and a maximum length. A maximum of 0 means no
 * limit. */
static json_t *array_schema(json_t *items, size_t least, size_t most)
{
    json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", items);

    if (least > 0)
        json_object_set_new(schema, "minItems", json_integer((json_int_t)least));
    if (most > 0)
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)most));
    return schema;
}

static json_t *fixed_schema(const struct field *field)
{
    size_t count = field_elements(field);
    json_t *item = field->type == FIELD_NUMBERS ? number_schema(field->flags) : count_schema(0);

    return array_schema(item, count, count);
}

/* Returns a reference to the table's definition, which is added at its first use. */
static json_t *reference(const struct table *table, json_t *definitions)
{
    if (json_object_get(definitions, table->name) == NULL) {
        json_object_set_new(definitions, table->name, json_null()); /* reserves its position */
        json_object_set_new(definitions, table->name, record_schema(table, definitions));
    }
    return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", table->name));
}

static json_t *map_schema(const struct field *field, json_t *definitions)
{
    json_t *schema = json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                               field_schema(field->item, definitions));

    if (field->words != NULL)
        json_object_set_new(schema, "propertyNames", words_schema(field->words));
    return schema;
}

static json_t *some_schema(const struct field *field, json_t *definitions)
{
    switch (field->type) {
    case FIELD_BOOL:
    case FIELD_BIT:
        return type_schema("boolean");
    case FIELD_COUNT:
        return count_schema(field->least);
    case FIELD_NUMBER:
        return number_schema(field->flags);
    case FIELD_TEXT:
    case FIELD_STRING:
        return text_schema(field->pattern);
    case FIELD_WORD:
    case FIELD_BITS:
        return words_schema(field->words);
    case FIELD_SET:
        return array_schema(words_schema(field->words), 0, 0);
    case FIELD_OBJECT:
    case FIELD_MEMBERS:
    case FIELD_POINTER:
        return reference(field->table, definitions);
    case FIELD_LIST:
        return array_schema(field->table != NULL ? reference(field->table, definitions)
                                                 : field_schema(field->item, definitions),
                            field->least, 0);
    case FIELD_MAP:
        return map_schema(field, definitions);
    case FIELD_ANY:
        return json_object();
    case FIELD_COUNTS32:
    case FIELD_COUNTS64:
    case FIELD_NUMBERS:
        break;
    }
    return fixed_schema(field);
}

static json_t *field_schema(const struct field *field, json_t *definitions)
{
    json_t *schema = some_schema(field, definitions);

    return field->flags & FIELD_NULLABLE
               ? json_pack("{s:[{s:s}, o]}", "anyOf", "type", "null", schema)
               : schema;
}

static bool is_required(const struct field *field)
{
    return field->has == NULL && !(field->flags & FIELD_OPTIONAL) &&
           (!(field->flags & FIELD_KNOWN) || (field->flags & FIELD_NULLABLE));
}

static void add_members(const struct table *table, bool required, json_t *names, json_t *properties,
                        json_t *definitions)
{
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        bool needed = required && is_required(field);
        if (field->flags & (FIELD_ONLY_WIRE | FIELD_FROM_PLACE))
            continue;
        if (field->type == FIELD_MEMBERS) {
            add_members(field->table, needed, names, properties, definitions);
            continue;
        }
        json_object_set_new(properties, field->name, field_schema(field, definitions));
        if (needed)
            json_array_append_new(names, json_string(field->name));
    }
}

static json_t *record_schema(const struct table *table, json_t *definitions)
{
    json_t *names = json_array(), *properties = json_object();

    add_members(table, true, names, properties, definitions);
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "required", names, "properties",
                     properties, "additionalProperties", 0);
}

json_t *model_schema(const struct table *table, const char *title, const char *description)
{
    json_t *definitions = json_object(), *whole = record_schema(table, definitions),
           *schema = json_pack("{s:s, s:s, s:s}", "$schema",
                               "https://json-schema.org/draft/2020-12/schema", "title", title,
                               "description", description);

    json_object_update(schema, whole);
    json_object_set_new(schema, "$defs", definitions);
    json_decref(whole);
    return schema;
}
