/* SPDX-License-Identifier: MIT */
#include "launch_types.h"

#include <string.h>

static const struct type {
    const char *words[3]; /* one after the other */
    enum element element;
    uint32_t lanes;
} types[] = {
    {{"unsigned", "long", "long"}, ELEMENT_I64, 1},
    {{"unsigned", "long"}, ELEMENT_I64, 1},
    {{"unsigned", "short"}, ELEMENT_I16, 1},
    {{"unsigned", "char"}, ELEMENT_I8, 1},
    {{"unsigned", "int"}, ELEMENT_I32, 1},
    {{"unsigned"}, ELEMENT_I32, 1},
    {{"signed", "char"}, ELEMENT_I8, 1},
    {{"long", "long"}, ELEMENT_I64, 1},
    {{"long"}, ELEMENT_I64, 1},
    {{"short"}, ELEMENT_I16, 1},
    {{"char"}, ELEMENT_I8, 1},
    {{"bool"}, ELEMENT_I8, 1},
    {{"int"}, ELEMENT_I32, 1},
    {{"int8_t"}, ELEMENT_I8, 1},
    {{"uint8_t"}, ELEMENT_I8, 1},
    {{"int16_t"}, ELEMENT_I16, 1},
    {{"uint16_t"}, ELEMENT_I16, 1},
    {{"int32_t"}, ELEMENT_I32, 1},
    {{"uint32_t"}, ELEMENT_I32, 1},
    {{"int64_t"}, ELEMENT_I64, 1},
    {{"uint64_t"}, ELEMENT_I64, 1},
    {{"size_t"}, ELEMENT_I64, 1},
    {{"uchar"}, ELEMENT_I8, 1},
    {{"ushort"}, ELEMENT_I16, 1},
    {{"uint"}, ELEMENT_I32, 1},
    {{"ulong"}, ELEMENT_I64, 1},
    {{"half"}, ELEMENT_F16, 1},
    {{"__half"}, ELEMENT_F16, 1},
    {{"half2"}, ELEMENT_F16, 2},
    {{"__half2"}, ELEMENT_F16, 2},
    {{"nv_bfloat16"}, ELEMENT_BF16, 1},
    {{"__nv_bfloat16"}, ELEMENT_BF16, 1},
    {{"nv_bfloat162"}, ELEMENT_BF16, 2},
    {{"__nv_bfloat162"}, ELEMENT_BF16, 2},
    {{"float"}, ELEMENT_F32, 1},
    {{"double"}, ELEMENT_F64, 1},
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

static bool take_words(struct reader *reader, const struct type *type)
{
    const char *start = reader->at;

    for (int w = 0; w < 3 && type->words[w] != NULL; w++)
        if (!reader_take_word(reader, type->words[w])) {
            reader->at = start;
            return false;
        }
    return true;
}

bool launch_type_read(struct reader *reader, struct launch_type *read)
{
    size_t length;

    reader_skip_blanks(reader);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (take_words(reader, &types[t])) {
            *read = (struct launch_type){types[t].element, types[t].lanes,
                                         strcmp(types[t].words[0], "bool") == 0};
            return true;
        }
    length = reader_name_length(reader->at);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        size_t name = strlen(vectors[v].name);
        if (length == name + 1 && strncmp(reader->at, vectors[v].name, name) == 0 &&
            reader->at[name] >= '1' && reader->at[name] <= '4') {
            *read =
                (struct launch_type){vectors[v].element, (uint32_t)(reader->at[name] - '0'), false};
            reader->at += length;
            return true;
        }
    }
    return reader_fail(reader, "expected a type here: an integer of 8 to 64 bits, half, "
                               "nv_bfloat16, float, double, or a vector such as float4");
}
