/* SPDX-License-Identifier: MIT
 *
 * Records read from JSON.
 */
#include "json_model.h"

#include <regex.h>
#include <stdarg.h>
#include <string.h>

struct reading {
    struct memory *memory;
    char *why; /* null: mistakes are ignored */
    size_t why_size;
    char path[192];
};

/* Reports the first mistake, preceded by the path of its value. Returns whether reading goes on. */
__attribute__((format(printf, 2, 3))) static bool mistake(struct reading *reading,
                                                          const char *format, ...)
{
    va_list arguments;
    int used;

    if (reading->why == NULL)
        return true;
    used = snprintf(reading->why, reading->why_size, "%s%s", reading->path,
                    reading->path[0] != '\0' ? " " : "");
    va_start(arguments, format);
    if ((size_t)used < reading->why_size)
        vsnprintf(reading->why + used, reading->why_size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static size_t enter_member(struct reading *reading, const char *name)
{
    size_t length = strlen(reading->path);

    snprintf(reading->path + length, sizeof reading->path - length, "%s%.60s",
             length > 0 ? "." : "", name);
    return length;
}

static size_t enter_item(struct reading *reading, size_t item)
{
    size_t length = strlen(reading->path);

    snprintf(reading->path + length, sizeof reading->path - length, "[%zu]", item);
    return length;
}

static bool read_record(struct reading *reading, const struct table *table, const json_t *value,
                        void *record);
static bool read_value(struct reading *reading, const struct field *field, const json_t *value,
                       void *record);

/* ---- Values ---- */

static bool read_count(struct reading *reading, const struct field *field, const json_t *value,
                       void *record)
{
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value) || number < (json_int_t)field->least)
        return mistake(reading, "must be a whole number of at least %u", field->least);
    return field_set_number(field, record, (uint64_t)number) || mistake(reading, "is too large");
}

static bool read_number(struct reading *reading, const struct field *field, const json_t *value,
                        void *at)
{
    double number = json_number_value(value);
    bool fits = json_is_number(value) && (field->flags & FIELD_POSITIVE ? number > 0 : number >= 0);

    if (!fits && reading->why != NULL)
        return mistake(reading, "must be a number %s 0",
                       field->flags & FIELD_POSITIVE ? "above" : "of at least");
    memcpy(at, &number, sizeof number);
    return true;
}

static bool matches(const char *text, const char *pattern)
{
    regex_t compiled;
    bool good;

    if (pattern == NULL)
        return true;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    good = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return good;
}

static bool read_text(struct reading *reading, const struct field *field, const json_t *value,
                      char *at)
{
    const char *text = json_string_value(value);

    if (text == NULL)
        text = "";
    if (!json_is_string(value) && !mistake(reading, "must be a string"))
        return false;
    if (!matches(text, field->pattern) && !mistake(reading, "must match %s", field->pattern))
        return false;
    if (field->type == FIELD_STRING)
        memcpy(at, &text, sizeof text);
    else if (snprintf(at, field->size, "%s", text) >= (int)field->size)
        return mistake(reading, "must be shorter than %zu bytes", field->size);
    return true;
}

static bool unknown_word(struct reading *reading, const struct words *words, const json_t *value)
{
    char known[512];

    words_list(words, "'", known, sizeof known);
    if (json_is_string(value))
        return mistake(reading, "must be %s, not '%.60s'", known, json_string_value(value));
    return mistake(reading, "must be %s", known);
}

/* Returns the value of a word in JSON, or words->count if it is none of them. */
static unsigned int word_of(const struct words *words, const json_t *value)
{
    return json_is_string(value) ? words_value(words, json_string_value(value)) : words->count;
}

/* Reads a word. An unknown word becomes words->count if the field is nullable, and 0 otherwise. */
static bool read_word(struct reading *reading, const struct field *field, const json_t *value,
                      void *record)
{
    unsigned int word = word_of(field->words, value);
    struct field any = *field;

    any.words = NULL;
    if (word == field->words->count && !unknown_word(reading, field->words, value))
        return false;
    if (word == field->words->count && !(field->flags & FIELD_NULLABLE))
        word = 0;
    return field_set_number(&any, record, word);
}

static bool read_set(struct reading *reading, const struct field *field, const json_t *value,
                     unsigned int *bits)
{
    const json_t *item;
    size_t k;

    if (!json_is_array(value))
        return mistake(reading, "must be an array");
    json_array_foreach(value, k, item)
    {
        unsigned int word = word_of(field->words, item);
        if (word < field->words->count)
            *bits |= 1u << word;
        else if (!unknown_word(reading, field->words, item))
            return false;
    }
    return true;
}

static bool read_bits(struct reading *reading, const struct field *field, const json_t *value,
                      unsigned int *bits)
{
    unsigned int word = word_of(field->words, value);

    if (word == field->words->count)
        return unknown_word(reading, field->words, value);
    *bits |= field->bits[word];
    return true;
}

static bool read_bool(struct reading *reading, const struct field *field, const json_t *value,
                      void *record)
{
    if (!json_is_boolean(value))
        return mistake(reading, "must be true or false");
    if (field->type == FIELD_BIT)
        *(unsigned int *)(void *)((char *)record + field->offset) |=
            json_is_true(value) ? field->bit : 0;
    else
        field_set_number(field, record, json_is_true(value));
    return true;
}

/* Reads an array of fixed length. */
static bool read_array(struct reading *reading, const struct field *field, const json_t *value,
                       void *record)
{
    size_t count = field_elements(field);
    bool good = true;

    if ((!json_is_array(value) || json_array_size(value) != count) &&
        !mistake(reading, "must be an array of %zu numbers", count))
        return false;
    for (size_t k = 0; good && k < count; k++) {
        const struct field element = field_element(field, k);
        size_t outer = enter_item(reading, k);
        good = read_value(reading, &element, json_array_get(value, k), record);
        reading->path[outer] = '\0';
    }
    return good;
}

static bool read_list(struct reading *reading, const struct field *field, const json_t *value,
                      struct list *list)
{
    const json_t *item;
    size_t size = field_item_size(field), k;

    if (!json_is_array(value))
        return mistake(reading, "must be an array");
    if (json_array_size(value) < field->least &&
        !mistake(reading, "must have at least %u items", field->least))
        return false;
    *list = list_take(reading->memory, json_array_size(value), size);
    json_array_foreach(value, k, item)
    {
        char *to = (char *)list->items + k * size;
        size_t outer = enter_item(reading, k);
        bool good = field->table != NULL ? read_record(reading, field->table, item, to)
                                         : read_value(reading, field->item, item, to);
        reading->path[outer] = '\0';
        if (!good)
            return false;
    }
    return true;
}

static bool is_known_name(struct reading *reading, const struct words *words, const char *name)
{
    char known[512];

    return words == NULL || words_value(words, name) < words->count ||
           mistake(reading, "is not a known name: the names are %s",
                   words_list(words, "'", known, sizeof known));
}

static bool read_map(struct reading *reading, const struct field *field, json_t *value,
                     struct list *list)
{
    size_t size = field_item_size(field);
    const char *name;
    json_t *item;

    if (!json_is_object(value))
        return mistake(reading, "must be an object");
    *list = list_take(reading->memory, 0, size);
    json_object_foreach(value, name, item)
    {
        size_t outer = enter_member(reading, name);
        char *entry = list_add(reading->memory, list, size);
        bool good = is_known_name(reading, field->words, name) &&
                    read_value(reading, field->item, item, entry);
        memcpy(entry, &name, sizeof name);
        reading->path[outer] = '\0';
        if (!good)
            return false;
    }
    return true;
}

static bool read_pointer(struct reading *reading, const struct field *field, const json_t *value,
                         char *at)
{
    void *pointer;

    if (!json_is_object(value))
        return mistake(reading, "must be an object");
    pointer = memory_take(reading->memory, field->table->size);
    memcpy(at, &pointer, sizeof pointer);
    return read_record(reading, field->table, value, pointer);
}

/* Reads a value other than null. */
static bool read_some(struct reading *reading, const struct field *field, const json_t *value,
                      void *record)
{
    char *at = (char *)record + field->offset;

    switch (field->type) {
    case FIELD_BOOL:
    case FIELD_BIT:
        return read_bool(reading, field, value, record);
    case FIELD_COUNT:
        return read_count(reading, field, value, record);
    case FIELD_NUMBER:
        return read_number(reading, field, value, at);
    case FIELD_TEXT:
    case FIELD_STRING:
        return read_text(reading, field, value, at);
    case FIELD_WORD:
        return read_word(reading, field, value, record);
    case FIELD_BITS:
        return read_bits(reading, field, value, (unsigned int *)(void *)at);
    case FIELD_SET:
        return read_set(reading, field, value, (unsigned int *)(void *)at);
    case FIELD_OBJECT:
    case FIELD_MEMBERS:
        return read_record(reading, field->table, value, at);
    case FIELD_POINTER:
        return read_pointer(reading, field, value, at);
    case FIELD_LIST:
        return read_list(reading, field, value, (struct list *)(void *)at);
    case FIELD_MAP:
        return read_map(reading, field, (json_t *)(uintptr_t)value, (struct list *)(void *)at);
    case FIELD_ANY:
        memcpy(at, &value, sizeof value);
        return true;
    case FIELD_COUNTS32:
    case FIELD_COUNTS64:
    case FIELD_NUMBERS:
        break;
    }
    return read_array(reading, field, value, record);
}

static bool read_value(struct reading *reading, const struct field *field, const json_t *value,
                       void *record)
{
    if ((field->flags & FIELD_NULLABLE) && json_is_null(value)) {
        if (field->type != FIELD_WORD)
            return true;
        *(unsigned int *)(void *)((char *)record + field->offset) = field->words->count;
        return true;
    }
    if (field->flags & FIELD_KNOWN)
        *((bool *)record + field->known) = true;
    return read_some(reading, field, value, record);
}

/* ---- Records ---- */

/* Returns whether the member may be missing. */
static bool may_lack(const struct field *field, const void *record)
{
    return (field->flags & (FIELD_OPTIONAL | FIELD_KNOWN | FIELD_FROM_PLACE | FIELD_OF_WING)) !=
               0 ||
           (field->has != NULL && !field->has(record));
}

/* Sets the value of a missing member if zero is not right: unknown for a nullable word, "" for a
 * required text. */
static void set_unknown(const struct field *field, void *record)
{
    if (field->type == FIELD_WORD && (field->flags & FIELD_NULLABLE))
        *(unsigned int *)(void *)((char *)record + field->offset) = field->words->count;
    if (field->type == FIELD_STRING && !(field->flags & (FIELD_NULLABLE | FIELD_OPTIONAL))) {
        const char *empty = "";
        memcpy((char *)record + field->offset, &empty, sizeof empty);
    }
}

static bool read_member(struct reading *reading, const struct field *field, const json_t *value,
                        void *record)
{
    const json_t *member = model_member(field, value);
    size_t outer = enter_member(reading, field->name);
    bool good = true;

    if (member == NULL || json_is_null(member))
        set_unknown(field, record);
    if (member != NULL)
        good = read_value(reading, field, member, record);
    else if (!may_lack(field, record) ||
             ((field->flags & (FIELD_NULLABLE | FIELD_KNOWN)) == (FIELD_NULLABLE | FIELD_KNOWN)))
        good = mistake(reading, "is missing");
    reading->path[outer] = '\0';
    return good;
}

static bool read_members(struct reading *reading, const struct table *table, const json_t *value,
                         void *record)
{
    for (size_t k = 0; k < table->count; k++) {
        const struct field *field = &table->fields[k];
        bool needed = field->has == NULL || field->has(record);
        if (field->flags & FIELD_ONLY_WIRE)
            continue;
        if (field->type == FIELD_MEMBERS) {
            if (needed &&
                !read_members(reading, field->table, value, (char *)record + field->offset))
                return false;
        } else if (!read_member(reading, field, value, record)) {
            return false;
        }
    }
    return true;
}

/* Reads a zeroed record. */
static bool read_record(struct reading *reading, const struct table *table, const json_t *value,
                        void *record)
{
    char why[256];

    if (!json_is_object(value) && !mistake(reading, "must be an object"))
        return false;
    if (!read_members(reading, table, value, record))
        return false;
    return reading->why == NULL || table->check == NULL || table->check(record, why, sizeof why) ||
           mistake(reading, "%s", why);
}

bool model_read(const struct table *table, const json_t *value, void *record, struct memory *memory,
                char *why, size_t size)
{
    struct reading reading = {.memory = memory, .why = why, .why_size = size};

    memset(record, 0, table->size);
    return read_record(&reading, table, value, record);
}

bool model_read_list(const struct table *table, const json_t *value, struct list *list,
                     struct memory *memory, char *why, size_t size)
{
    struct reading reading = {.memory = memory, .why = why, .why_size = size};
    const struct field field = {.type = FIELD_LIST, .table = table};

    *list = (struct list){NULL, 0};
    return read_list(&reading, &field, value, list);
}
