/* SPDX-License-Identifier: MIT */
#include "launch_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

struct reader {
    const char *text, *at;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *reader, const char *format,
                                                       ...)
{
    va_list arguments;

    if (reader->error[0] != '\0')
        return false;
    va_start(arguments, format);
    vsnprintf(reader->error, reader->error_size, format, arguments);
    va_end(arguments);
    return false;
}

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool take(struct reader *reader, const char *word)
{
    skip_blanks(reader);
    if (strncmp(reader->at, word, strlen(word)) != 0)
        return false;
    reader->at += strlen(word);
    return true;
}

static bool expect(struct reader *reader, const char *word)
{
    return take(reader, word) || fail(reader, "'%s' would be right here", word);
}

static size_t name_length(const char *at)
{
    size_t length = 0;

    if (!isalpha((unsigned char)*at) && *at != '_')
        return 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

/* A whole word, not the beginning of a longer one. */
static bool take_word(struct reader *reader, const char *word)
{
    skip_blanks(reader);
    if (name_length(reader->at) != strlen(word) || strncmp(reader->at, word, strlen(word)) != 0)
        return false;
    reader->at += strlen(word);
    return true;
}

static bool read_expression(struct reader *reader, struct expression *expression)
{
    const char *error;

    skip_blanks(reader);
    return expression_parse(&reader->at, expression, &error) || fail(reader, "%s", error);
}

static struct expression constant(int64_t value)
{
    return (struct expression){.count = 1, .steps = {{'k', value}}};
}

/* ---- Types ---- */

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
        if (!take_word(reader, type->words[w])) {
            reader->at = start;
            return false;
        }
    return true;
}

static bool read_type(struct reader *reader, enum element *element, uint32_t *lanes)
{
    size_t length;

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (take_words(reader, &types[t])) {
            *element = types[t].element;
            *lanes = types[t].lanes;
            return true;
        }
    length = name_length(reader->at);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        size_t name = strlen(vectors[v].name);
        if (length == name + 1 && strncmp(reader->at, vectors[v].name, name) == 0 &&
            reader->at[name] >= '1' && reader->at[name] <= '4') {
            *element = vectors[v].element;
            *lanes = (uint32_t)(reader->at[name] - '0');
            reader->at += length;
            return true;
        }
    }
    return fail(reader, "a type would be right here: an integer of 8 to 64 bits, half, float, "
                        "double, or a vector of them such as float4");
}

/* ---- Arguments ---- */

/* "[n]", or "[ny][nx]": the product. */
static bool read_count(struct reader *reader, struct launch_array *array)
{
    struct expression more;

    if (!expect(reader, "[") || !read_expression(reader, &array->count) || !expect(reader, "]"))
        return false;
    while (take(reader, "[")) {
        if (!read_expression(reader, &more) || !expect(reader, "]"))
            return false;
        if (array->count.count + more.count >= MOST_STEPS)
            return fail(reader, "this size is longer than %d operations", MOST_STEPS);
        memcpy(array->count.steps + array->count.count, more.steps,
               more.count * sizeof *more.steps);
        array->count.count += more.count;
        array->count.steps[array->count.count++] = (struct step){'*', 0};
    }
    return true;
}

/* What stands behind "=": uniform(low, high), sorted(low, high), permutation, offsets(high). */
static bool read_fill(struct reader *reader, struct launch_array *array)
{
    static const struct {
        const char *word;
        enum fill fill;
        int numbers;
    } fills[] = {{"uniform", FILL_UNIFORM, 2},
                 {"sorted", FILL_SORTED, 2},
                 {"permutation", FILL_PERMUTATION, 0},
                 {"offsets", FILL_OFFSETS, 1}};

    array->low = array->high = constant(0);
    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
        if (!take_word(reader, fills[f].word))
            continue;
        array->fill = fills[f].fill;
        return fills[f].numbers == 0 ||
               (expect(reader, "(") &&
                (fills[f].numbers == 1 ||
                 (read_expression(reader, &array->low) && expect(reader, ","))) &&
                read_expression(reader, &array->high) && expect(reader, ")"));
    }
    return fail(reader, "uniform(low, high), sorted(low, high), permutation or offsets(high) would "
                        "be right here");
}

static bool read_array(struct reader *reader, enum role role, struct launch_text *launch)
{
    struct launch_array *array = &launch->arrays[launch->array_count];
    size_t length;

    if (launch->array_count == MAX_BUFFERS)
        return fail(reader, "there are more than %d arrays", MAX_BUFFERS);
    *array = (struct launch_array){.role = role};
    skip_blanks(reader);
    if (!read_type(reader, &array->element, &array->lanes))
        return false;
    take(reader, "*"); /* as a pointer is written */
    skip_blanks(reader);
    length = name_length(reader->at);
    if (length == 0 || length >= sizeof array->name)
        return fail(reader, "the array's name would be right here, of at most %zu characters",
                    sizeof array->name - 1);
    memcpy(array->name, reader->at, length);
    for (uint32_t k = 0; k < launch->array_count; k++)
        if (strcmp(launch->arrays[k].name, array->name) == 0)
            return fail(reader, "there is an array of that name already");
    reader->at += length;
    launch->array_count++;
    array->low = array->high = constant(0);
    if (!read_count(reader, array) || !take(reader, "="))
        return reader->error[0] == '\0';
    return role == ROLE_INPUT || role == ROLE_INOUT
               ? read_fill(reader, array)
               : fail(reader, "only what is 'in' or 'inout' holds something at first");
}

/* Is a number with a point or an exponent next? */
static bool is_floating(const char *at)
{
    size_t digits = strspn(at, "0123456789");

    return (digits > 0 || at[0] == '.') && at[1] != 'x' &&
           (at[digits] == '.' || at[digits] == 'e' || at[digits] == 'E' || at[digits] == 'f');
}

static bool read_floating(struct reader *reader, double sign, struct launch_argument *argument)
{
    char *end;

    argument->scalar.is_floating = true;
    argument->scalar.floating = sign * strtod(reader->at, &end);
    argument->type = *end == 'f' || *end == 'F' ? SCALAR_F32 : SCALAR_F64;
    reader->at = end + (argument->type == SCALAR_F32);
    return true;
}

static bool read_scalar(struct reader *reader, struct launch_argument *argument)
{
    const char *start;

    skip_blanks(reader);
    start = reader->at;
    if (take(reader, "-")) {
        skip_blanks(reader);
        if (is_floating(reader->at))
            return read_floating(reader, -1, argument);
        reader->at = start;
    }
    if (is_floating(reader->at))
        return read_floating(reader, 1, argument);
    if (take_word(reader, "true") || take_word(reader, "false")) {
        argument->scalar.value = constant(reader->at[-1] == 'e' && reader->at[-2] == 'u');
        return true;
    }
    return read_expression(reader, &argument->scalar.value);
}

/* "{int n, float 0.5f}", as C lays it out. */
static bool read_struct(struct reader *reader, struct launch_text *launch,
                        struct launch_argument *argument)
{
    uint32_t alignment = 1;

    argument->first = launch->member_count;
    do {
        struct launch_member *member = &launch->members[launch->member_count];
        struct launch_argument number = {.members = 0};
        uint32_t lanes, size;
        if (launch->member_count == MAX_ARGUMENTS)
            return fail(reader, "there are more than %d members", MAX_ARGUMENTS);
        skip_blanks(reader);
        if (!read_type(reader, &member->element, &lanes))
            return false;
        if (lanes > 1)
            return fail(reader, "a member is a number: write its parts one by one");
        if (!read_scalar(reader, &number))
            return false;
        member->scalar = number.scalar;
        size = (uint32_t)element_size(member->element);
        member->offset = (argument->bytes + size - 1) / size * size;
        argument->bytes = member->offset + size;
        alignment = size > alignment ? size : alignment;
        launch->member_count++;
        argument->members++;
    } while (take(reader, ","));
    argument->bytes = (argument->bytes + alignment - 1) / alignment * alignment;
    return take(reader, "}") || fail(reader, "',' and a member, or '}', would be right here");
}

static bool read_argument(struct reader *reader, struct launch_text *launch)
{
    static const struct {
        const char *word;
        enum role role;
    } roles[] = {{"in", ROLE_INPUT},
                 {"out", ROLE_OUTPUT},
                 {"inout", ROLE_INOUT},
                 {"scratch", ROLE_SCRATCH},
                 {"zeros", ROLE_LOG}};
    struct launch_argument *argument = &launch->arguments[launch->argument_count];

    if (launch->argument_count == MAX_ARGUMENTS)
        return fail(reader, "there are more than %d arguments", MAX_ARGUMENTS);
    *argument = (struct launch_argument){.array = launch->array_count};
    launch->argument_count++;
    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++)
        if (take_word(reader, roles[r].word)) {
            argument->is_array = true;
            return read_array(reader, roles[r].role, launch);
        }
    return take(reader, "{") ? read_struct(reader, launch, argument)
                             : read_scalar(reader, argument);
}

/* ---- The launch ---- */

/* A number, or dim3(x, y, z). */
static bool read_extent(struct reader *reader, struct expression extent[3])
{
    bool listed = take_word(reader, "dim3") && expect(reader, "(");

    for (int d = 0; d < 3; d++)
        extent[d] = constant(1);
    for (int d = 0; d < 3; d++) {
        if (!read_expression(reader, &extent[d]))
            return false;
        if (!listed)
            return true;
        if (take(reader, ")"))
            return true;
        if (d < 2 && !expect(reader, ","))
            return false;
    }
    return expect(reader, ")");
}

/* With template arguments, which end before "<<<". */
static bool read_kernel(struct reader *reader, char kernel[256])
{
    const char *end = strstr(reader->at, "<<<");
    size_t length;

    skip_blanks(reader);
    if (name_length(reader->at) == 0 && strncmp(reader->at, "::", 2) != 0)
        return fail(reader, "the kernel's name would be right here");
    if (end == NULL)
        return fail(reader, "'<<<' is missing: a launch is kernel<<<grid, block>>>(arguments)");
    length = (size_t)(end - reader->at);
    while (length > 0 && isspace((unsigned char)reader->at[length - 1]))
        length--;
    if (length >= 256)
        return fail(reader, "the kernel's name is longer than 255 characters");
    memcpy(kernel, reader->at, length);
    kernel[length] = '\0';
    reader->at = end + 3;
    return strstr(end, ">>>") != NULL ||
           fail(reader, "what begins here has no '>>>': kernel<<<grid, block>>>(arguments)");
}

static bool read_launch(struct reader *reader, struct launch_text *launch)
{
    if (!read_kernel(reader, launch->kernel) || !read_extent(reader, launch->grid) ||
        !expect(reader, ",") || !read_extent(reader, launch->block))
        return false;
    launch->shared_bytes = constant(0);
    if (take(reader, ",") && !read_expression(reader, &launch->shared_bytes))
        return false;
    if (take(reader, ",") && !expect(reader, "0")) /* the default stream */
        return false;
    if (!expect(reader, ">>>") || !expect(reader, "("))
        return false;
    if (!take(reader, ")")) {
        do
            if (!read_argument(reader, launch))
                return false;
        while (take(reader, ","));
        if (!take(reader, ")"))
            return fail(reader, "',' and an argument, or ')', would be right here");
    }
    take(reader, ";");
    skip_blanks(reader);
    return *reader->at == '\0' || fail(reader, "the launch ends before this");
}

bool launch_parse(const char *text, struct launch_text *launch, size_t *column, char *error,
                  size_t error_size)
{
    struct reader reader = {text, text, error, error_size};
    bool good;

    *launch = (struct launch_text){.array_count = 0};
    error[0] = '\0';
    good = read_launch(&reader, launch);
    *column = (size_t)(reader.at - text) + 1;
    return good;
}
