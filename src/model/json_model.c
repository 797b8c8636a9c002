/* SPDX-License-Identifier: MIT */
#include "json_model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

/* A block begins with a pointer to the next one. */
enum { BLOCK_HEAD = sizeof(max_align_t) };

void *memory_take(struct memory *memory, size_t size)
{
    void **block = calloc(1, BLOCK_HEAD + size);

    if (block == NULL) {
        fputs("simtcheck: out of memory\n", stderr);
        exit(3); /* EXIT_ENVIRONMENT of the commands */
    }
    *block = memory->blocks;
    memory->blocks = block;
    return (char *)block + BLOCK_HEAD;
}

char *memory_text(struct memory *memory, const char *format, ...)
{
    va_list arguments, again;
    char *text;
    int length;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    text = memory_take(memory, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

char *memory_copy(struct memory *memory, const char *text)
{
    return memory_text(memory, "%s", text);
}

char *text_for_files(struct memory *memory, const char *text)
{
    char *copied, *to;

    to = copied = memory_take(memory, 4 * strlen(text) + 1);
    while (*text != '\0') {
        size_t length = utf8_length(text);
        if (length == 0)
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
        else
            to = mempcpy(to, text, length);
        text += length > 0 ? length : 1;
    }
    return copied;
}

const char *memory_json(struct memory *memory, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *kept = memory_copy(memory, text != NULL ? text : "");

    free(text);
    return kept;
}

void memory_free(struct memory *memory)
{
    while (memory->blocks != NULL) {
        void **block = memory->blocks;
        memory->blocks = *block;
        free(block);
    }
}

/* The capacity of a list with items is the smallest power of two that holds them. */
struct list list_take(struct memory *memory, size_t count, size_t item_size)
{
    size_t room = 1;

    while (room < count)
        room *= 2;
    return (struct list){memory_take(memory, room * item_size), count};
}

void *list_add(struct memory *memory, struct list *list, size_t item_size)
{
    if ((list->count & (list->count - 1)) == 0) {
        struct list larger = list_take(memory, list->count + 1, item_size);
        if (list->count > 0)
            memcpy(larger.items, list->items, list->count * item_size);
        list->items = larger.items;
    }
    return (char *)list->items + item_size * list->count++;
}

/* ---- Values ---- */

static const void *pointer_at(const void *at)
{
    const void *pointer;

    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static unsigned int bits_at(const void *at)
{
    unsigned int bits;

    memcpy(&bits, at, sizeof bits);
    return bits;
}

static bool is_known(const struct field *field, const void *record)
{
    return !(field->flags & FIELD_KNOWN) || *((const bool *)record + field->known);
}

static bool is_empty(const struct field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    double number;

    switch (field->type) {
    case FIELD_TEXT:
        return at[0] == '\0';
    case FIELD_STRING:
    case FIELD_POINTER:
    case FIELD_LIST:
    case FIELD_MAP:
    case FIELD_ANY:
        return pointer_at(at) == NULL;
    case FIELD_NUMBER:
        memcpy(&number, at, sizeof number);
        return !(number < 0 || number > 0);
    default:
        return field_number(field, record) == 0;
    }
}

static bool is_null(const struct field *field, const void *record)
{
    if (!(field->flags & FIELD_NULLABLE))
        return false;
    if (field->flags & FIELD_KNOWN)
        return !is_known(field, record);
    return field->type == FIELD_WORD ? field_number(field, record) >= field->words->count
                                     : is_empty(field, record);
}

static bool is_left_out(const struct field *field, const void *record)
{
    if ((field->flags & (FIELD_ONLY_WIRE | FIELD_FROM_PLACE)) ||
        (field->has != NULL && !field->has(record)))
        return true;
    if ((field->flags & FIELD_OPTIONAL) && is_empty(field, record))
        return true;
    return !(field->flags & FIELD_NULLABLE) && !is_known(field, record);
}

/* ---- Writing ---- */

static json_t *text_json(const char *text)
{
    json_t *string = json_string(text != NULL ? text : "");
    return string != NULL ? string : json_string("a text that is not valid UTF-8");
}

static void add_members(json_t *object, const struct table *table, const void *record);
static json_t *value_json(const struct field *field, const void *record);

static json_t *list_json(const struct field *field, const struct list *list)
{
    json_t *array = json_array();
    size_t size = field_item_size(field);

    for (size_t k = 0; k < list->count; k++) {
        const char *item = (const char *)list->items + k * size;
        json_array_append_new(array, field->table != NULL ? model_json(field->table, item)
                                                          : value_json(field->item, item));
    }
    return array;
}

static json_t *map_json(const struct field *field, const struct list *list)
{
    json_t *object = json_object();
    size_t size = field_item_size(field);

    for (size_t k = 0; k < list->count; k++) {
        const char *entry = (const char *)list->items + k * size;
        json_object_set_new(object, pointer_at(entry), value_json(field->item, entry));
    }
    return object;
}

static json_t *set_json(const struct words *words, unsigned int bits)
{
    json_t *array = json_array();

    for (unsigned int k = 0; k < words->count; k++)
        if (bits >> k & 1)
            json_array_append_new(array, json_string(words_name(words, k)));
    return array;
}

static json_t *bits_json(const struct field *field, unsigned int bits)
{
    unsigned int word = 0;

    while ((bits & field->bits[word]) != field->bits[word])
        word++;
    return json_string(words_name(field->words, word));
}

/* Returns an array of fixed length as JSON. */
static json_t *array_json(const struct field *field, const void *record)
{
    json_t *array = json_array();

    for (size_t k = 0; k < field_elements(field); k++) {
        const struct field element = field_element(field, k);
        json_array_append_new(array, value_json(&element, record));
    }
    return array;
}

static json_t *value_json(const struct field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    double number;

    if (is_null(field, record))
        return json_null();
    switch (field->type) {
    case FIELD_BOOL:
        return json_boolean(field_number(field, record));
    case FIELD_COUNT:
        return json_integer((json_int_t)field_number(field, record));
    case FIELD_NUMBER:
        memcpy(&number, at, sizeof number);
        return json_real(number);
    case FIELD_TEXT:
        return text_json(at);
    case FIELD_STRING:
        return text_json(pointer_at(at));
    case FIELD_WORD:
        return json_string(words_name(field->words, (unsigned int)field_number(field, record)));
    case FIELD_BIT:
        return json_boolean(bits_at(at) & field->bit);
    case FIELD_BITS:
        return bits_json(field, bits_at(at));
    case FIELD_SET:
        return set_json(field->words, bits_at(at));
    case FIELD_OBJECT:
    case FIELD_MEMBERS:
        return model_json(field->table, at);
    case FIELD_POINTER:
        return pointer_at(at) != NULL ? model_json(field->table, pointer_at(at)) : json_object();
    case FIELD_LIST:
        return list_json(field, (const struct list *)(const void *)at);
    case FIELD_MAP:
        return map_json(field, (const struct list *)(const void *)at);
    case FIELD_ANY:
        return json_incref((json_t *)(uintptr_t)pointer_at(at));
    case FIELD_COUNTS32:
    case FIELD_COUNTS64:
    case FIELD_NUMBERS:
        break;
    }
    return array_json(field, record);
}

static void add_members(json_t *object, const struct table *table, const void *record)
{
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        if (is_left_out(field, record))
            continue;
        if (field->type == FIELD_MEMBERS)
            add_members(object, field->table, (const char *)record + field->offset);
        else
            json_object_set_new(object, field->name, value_json(field, record));
    }
}

json_t *model_json(const struct table *table, const void *record)
{
    json_t *object = json_object();

    add_members(object, table, record);
    return object;
}

json_t *model_json_list(const struct table *table, const struct list *list)
{
    const struct field field = {.type = FIELD_LIST, .table = table};

    return list_json(&field, list);
}

/* ---- Tables ---- */

json_t *model_member(const struct field *field, const json_t *object)
{
    return json_object_get(object, field->name);
}

const struct field *table_field(const struct table *table, size_t offset)
{
    const struct field *field = table->fields;

    while (field->offset != offset)
        field++;
    return field;
}

const struct field *table_inner(const struct table *table, const struct table *inner)
{
    for (size_t k = 0; k < table->count; k++)
        if (table->fields[k].table == inner)
            return &table->fields[k];
    return NULL;
}

void model_drop_varying(const struct table *table, json_t *object)
{
    json_t *item;
    size_t i;

    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        if (field->flags & FIELD_VARYING)
            json_object_del(object, field->name);
        if (field->type == FIELD_LIST && field->table != NULL)
            json_array_foreach(model_member(field, object), i, item)
                model_drop_varying(field->table, item);
    }
}

bool model_is_marked(const struct table *table, const json_t *value)
{
    bool marked = false;

    for (size_t k = 0; k < table->count; k++)
        if (table->fields[k].flags & FIELD_MARK) {
            marked = true;
            if (model_member(&table->fields[k], value) == NULL)
                return false;
        }
    return marked;
}
