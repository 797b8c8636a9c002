/* SPDX-License-Identifier: MIT */
#include "launch_types.h"

#include "near_name.h"

#include <stdio.h>
#include <string.h>

/* The words of C's own types, which may come in any order. */
enum { SIGNED, UNSIGNED, SHORT, LONG, INT, CHAR, BOOL, FLOAT, DOUBLE, WORDS };
static const char *const words[WORDS] = {"signed", "unsigned", "short", "long",  "int",
                                         "char",   "bool",     "float", "double"};

static const struct {
    const char *name;
    struct launch_type type;
} named[] = {
    {"int8_t", {ELEMENT_I8, 1, false, true}},
    {"uint8_t", {ELEMENT_I8, 1, false, false}},
    {"int16_t", {ELEMENT_I16, 1, false, true}},
    {"uint16_t", {ELEMENT_I16, 1, false, false}},
    {"int32_t", {ELEMENT_I32, 1, false, true}},
    {"uint32_t", {ELEMENT_I32, 1, false, false}},
    {"int64_t", {ELEMENT_I64, 1, false, true}},
    {"uint64_t", {ELEMENT_I64, 1, false, false}},
    {"size_t", {ELEMENT_I64, 1, false, false}},
    {"ptrdiff_t", {ELEMENT_I64, 1, false, true}},
    {"intptr_t", {ELEMENT_I64, 1, false, true}},
    {"uintptr_t", {ELEMENT_I64, 1, false, false}},
    {"uchar", {ELEMENT_I8, 1, false, false}},
    {"ushort", {ELEMENT_I16, 1, false, false}},
    {"uint", {ELEMENT_I32, 1, false, false}},
    {"ulong", {ELEMENT_I64, 1, false, false}},
    {"half", {ELEMENT_F16, 1, false, true}},
    {"__half", {ELEMENT_F16, 1, false, true}},
    {"half2", {ELEMENT_F16, 2, false, true}},
    {"__half2", {ELEMENT_F16, 2, false, true}},
    {"nv_bfloat16", {ELEMENT_BF16, 1, false, true}},
    {"__nv_bfloat16", {ELEMENT_BF16, 1, false, true}},
    {"nv_bfloat162", {ELEMENT_BF16, 2, false, true}},
    {"__nv_bfloat162", {ELEMENT_BF16, 2, false, true}},
};

/* Vector types: a name and the number of lanes, from 1 to 4. */
static const struct {
    const char *name;
    enum element element;
} vectors[] = {
    {"char", ELEMENT_I8},       {"uchar", ELEMENT_I8},  {"short", ELEMENT_I16},
    {"ushort", ELEMENT_I16},    {"int", ELEMENT_I32},   {"uint", ELEMENT_I32},
    {"long", ELEMENT_I64},      {"ulong", ELEMENT_I64}, {"longlong", ELEMENT_I64},
    {"ulonglong", ELEMENT_I64}, {"float", ELEMENT_F32}, {"double", ELEMENT_F64},
};

/* Takes the words of one of C's own types. Otherwise takes nothing and returns
 * false. */
static bool take_words(struct reader *reader, struct launch_type *read)
{
    const char *start = reader->at;
    unsigned int count[WORDS] = {0}, all = 0;

    for (int w = 0; w < WORDS; w++) {
        if (!reader_take_word(reader, words[w]))
            continue;
        count[w]++;
        all++;
        w = -1; /* any word may follow */
    }
    *read = (struct launch_type){count[CHAR] + count[BOOL] > 0 ? ELEMENT_I8
                                 : count[SHORT] > 0            ? ELEMENT_I16
                                 : count[LONG] > 0             ? ELEMENT_I64
                                 : count[FLOAT] > 0            ? ELEMENT_F32
                                 : count[DOUBLE] > 0           ? ELEMENT_F64
                                                               : ELEMENT_I32,
                                 1, count[BOOL] > 0, count[UNSIGNED] + count[BOOL] == 0};
    if (all > 0 && count[LONG] <= 2 && count[CHAR] + count[BOOL] + count[SHORT] <= 1 &&
        (count[FLOAT] + count[DOUBLE] + count[BOOL] == 0 || all == 1))
        return true;
    reader->at = start;
    return false;
}

bool launch_type_take(struct reader *reader, struct launch_type *read)
{
    size_t length;

    reader_take_word(reader, "const");
    if (take_words(reader, read))
        return true;
    for (size_t t = 0; t < sizeof named / sizeof *named; t++)
        if (reader_take_word(reader, named[t].name)) {
            *read = named[t].type;
            return true;
        }
    length = reader_name_length(reader->at);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        size_t name = strlen(vectors[v].name);
        if (length == name + 1 && strncmp(reader->at, vectors[v].name, name) == 0 &&
            reader->at[name] >= '1' && reader->at[name] <= '4') {
            *read = (struct launch_type){vectors[v].element, (uint32_t)(reader->at[name] - '0'),
                                         false, strncmp(reader->at, "u", 1) != 0};
            reader->at += length;
            return true;
        }
    }
    return false;
}

bool launch_type_read(struct reader *reader, struct launch_type *read)
{
    char word[NEAR_NAME];
    struct near_name near = {.word = word};

    if (launch_type_take(reader, read))
        return true;
    snprintf(word, sizeof word, "%.*s", (int)reader_name_length(reader->at), reader->at);
    for (size_t w = 0; w < WORDS; w++)
        near_name_offer(&near, words[w]);
    for (size_t t = 0; t < sizeof named / sizeof *named; t++)
        near_name_offer(&near, named[t].name);
    return reader_fail(
        reader,
        "expected a type here: an integer of 8 to 64 bits, half, nv_bfloat16, float, "
        "double, or a vector such as float4%s",
        near.text);
}

void launch_type_name(const struct launch_type *type, char *name, size_t size)
{
    static const char *const integers[][2] = {
        [ELEMENT_I8] = {"unsigned char", "char"},
        [ELEMENT_I16] = {"unsigned short", "short"},
        [ELEMENT_I32] = {"unsigned int", "int"},
        [ELEMENT_I64] = {"unsigned long long", "long long"},
    };
    bool is_float = element_is_float(type->element);

    if (type->lanes == 1 && type->is_bool)
        snprintf(name, size, "bool");
    else if (type->element == ELEMENT_F16 || type->element == ELEMENT_BF16)
        snprintf(name, size, "%s%s", type->element == ELEMENT_F16 ? "__half" : "__nv_bfloat16",
                 type->lanes == 2 ? "2" : "");
    else if (type->lanes == 1)
        snprintf(name, size, "%s",
                 is_float ? type->element == ELEMENT_F32 ? "float" : "double"
                          : integers[type->element][type->is_signed]);
    else
        for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
            if (vectors[v].element == type->element &&
                (is_float || (vectors[v].name[0] == 'u') == !type->is_signed)) {
                snprintf(name, size, "%s%u", vectors[v].name, type->lanes);
                return;
            }
}
