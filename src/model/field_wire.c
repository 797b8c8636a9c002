/* SPDX-License-Identifier: MIT
 *
 * Records as lines of fields separated by tabs.
 */
#include "field.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes a text. Control characters become blanks, because the text may be output of a kernel. */
static void write_text(FILE *stream, const char *text)
{
    fputc('\t', stream);
    for (; *text != '\0'; text++)
        fputc(*text >= 0 && *text < ' ' ? ' ' : *text > '~' || *text < 0 ? '?' : *text, stream);
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
