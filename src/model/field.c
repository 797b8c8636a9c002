/* SPDX-License-Identifier: MIT */
#include "field.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct field string_item = {.type = FIELD_STRING, .size = sizeof(const char *)},
                   number_item = {.type = FIELD_NUMBER,
                                  .size = sizeof(double),
                                  .flags = FIELD_POSITIVE},
                   count_item = {.type = FIELD_COUNT, .size = sizeof(uint64_t)};

const char *words_name(const struct words *words, unsigned int value)
{
    return *(const char *const *)((const char *)words->first + value * words->stride);
}

const char *words_list(const struct words *words, const char *quote, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned int k = 0; k < words->count && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
                                 k == 0                  ? ""
                                 : k == words->count - 1 ? " or "
                                                         : ", ",
                                 quote, words_name(words, k), quote);
    return text;
}

unsigned int words_value(const struct words *words, const char *word)
{
    unsigned int value = 0;

    while (value < words->count && strcmp(words_name(words, value), word) != 0)
        value++;
    return value;
}

size_t field_item_size(const struct field *field)
{
    if (field->table != NULL)
        return field->table->size;
    if (field->type == FIELD_MAP)
        return field->item_size > 0 ? field->item_size : sizeof(struct named_value);
    return field->item->size;
}

size_t field_elements(const struct field *field)
{
    return field->size / (field->type == FIELD_COUNTS32 ? sizeof(uint32_t) : sizeof(uint64_t));
}

struct field field_element(const struct field *field, size_t k)
{
    size_t size = field->size / field_elements(field);

    return (struct field){.type = field->type == FIELD_NUMBERS ? FIELD_NUMBER : FIELD_COUNT,
                          .offset = field->offset + k * size,
                          .size = size,
                          .flags = field->flags & FIELD_POSITIVE};
}

uint64_t field_number(const struct field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    uint64_t large = 0;
    uint32_t small = 0;
    bool flag;

    switch (field->size) {
    case sizeof large:
        memcpy(&large, at, sizeof large);
        return large;
    case sizeof small:
        memcpy(&small, at, sizeof small);
        return small;
    default:
        memcpy(&flag, at, sizeof flag);
        return flag;
    }
}

bool field_set_number(const struct field *field, void *record, uint64_t number)
{
    char *at = (char *)record + field->offset;
    uint32_t small = (uint32_t)number;
    bool flag = number != 0;
    uint64_t most = field->type == FIELD_BOOL ? 1
                    : field->words != NULL    ? field->words->count - 1
                    : field->size == 4        ? UINT32_MAX
                                              : UINT64_MAX;

    if (number > most)
        return false;
    switch (field->size) {
    case sizeof number:
        memcpy(at, &number, sizeof number);
        break;
    case sizeof small:
        memcpy(at, &small, sizeof small);
        break;
    default:
        memcpy(at, &flag, sizeof flag);
    }
    return true;
}

/* ---- Texts ---- */

size_t utf8_length(const char *at)
{
    const unsigned char *text = (const unsigned char *)at;
    static const unsigned int least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xc0 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf8 ? 4
                                     : 0;
    unsigned int code = length > 1 ? text[0] & (0x7fu >> length) : text[0];

    for (size_t k = 1; k < length; k++) {
        if ((text[k] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[k] & 0x3f);
    }
    if (length == 0 || code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return (code < ' ' && strchr("\t\n\r", (int)code) == NULL) || (code & 0xfffe) == 0xfffe
               ? 0
               : length;
}

/* ---- Lines of fields separated by tabs ---- */

/* Writes a text. Control characters become blanks, because the text may be output of a kernel. A
 * path may have a tab, which is written as '\v'. */
static void write_text(FILE *stream, const char *text)
{
    fputc('\t', stream);
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = utf8_length(text);
        if (*text == '\t')
            fputc('\v', stream);
        else if (*text > 0 && *text < ' ')
            fputc(' ', stream);
        else if (length == 0 || *text == '\177')
            fputc('?', stream);
        else
            fwrite(text, 1, length, stream);
    }
}

static void write_field(FILE *stream, const struct field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;

    switch (field->type) {
    case FIELD_TEXT:
        write_text(stream, at);
        break;
    case FIELD_COUNTS32:
    case FIELD_COUNTS64:
        for (size_t k = 0; k < field_elements(field); k++) {
            struct field element = field_element(field, k);
            write_field(stream, &element, record);
        }
        break;
    case FIELD_OBJECT:
    case FIELD_MEMBERS:
        field_wire_write(stream, field->table, at);
        break;
    case FIELD_BOOL:
    case FIELD_COUNT:
    case FIELD_WORD:
        fprintf(stream, "\t%" PRIu64, field_number(field, record));
        break;
    default: /* other types are not on the wire */
        abort();
    }
}

static bool read_number(char **fields, const struct field *field, void *record)
{
    const char *text = strsep(fields, "\t");
    unsigned long long number;
    char *end;

    if (text == NULL)
        return false;
    number = strtoull(text, &end, 10);
    return end != text && *end == '\0' && field_set_number(field, record, number);
}

static bool read_field(char **fields, const struct field *field, void *record)
{
    char *at = (char *)record + field->offset;
    const char *text;
    bool good = true;

    switch (field->type) {
    case FIELD_TEXT:
        text = strsep(fields, "\t");
        snprintf(at, field->size, "%s", text != NULL ? text : "");
        while ((at = strchr(at, '\v')) != NULL)
            *at = '\t';
        return text != NULL;
    case FIELD_COUNTS32:
    case FIELD_COUNTS64:
        for (size_t k = 0; good && k < field_elements(field); k++) {
            struct field element = field_element(field, k);
            good = read_number(fields, &element, record);
        }
        return good;
    case FIELD_OBJECT:
    case FIELD_MEMBERS:
        return field_wire_read(fields, field->table, at);
    default:
        return read_number(fields, field, record);
    }
}

void field_wire_write(FILE *stream, const struct table *table, const void *record)
{
    for (size_t k = 0; k < table->count; k++)
        if (!(table->fields[k].flags & FIELD_ONLY_JSON))
            write_field(stream, &table->fields[k], record);
}

bool field_wire_read(char **fields, const struct table *table, void *record)
{
    for (size_t k = 0; k < table->count; k++)
        if (!(table->fields[k].flags & FIELD_ONLY_JSON) &&
            !read_field(fields, &table->fields[k], record))
            return false;
    return true;
}
