/* SPDX-License-Identifier: MIT */
#include "field.h"

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
    return field->item_size > 0 ? field->item_size : field->item->size;
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
