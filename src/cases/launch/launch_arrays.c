/* SPDX-License-Identifier: MIT */
#include "launch_arrays.h"

#include "near_name.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool launch_add_number(struct reader *reader, struct launch_text *launch,
                       struct launch_numbers *list, const struct expression *number)
{
    if (launch->number_count == MAX_NUMBERS)
        return reader_fail(reader, "there are more than %d sizes", MAX_NUMBERS);
    if (list->count == 0)
        list->first = launch->number_count;
    launch->numbers[launch->number_count++] = *number;
    list->count++;
    return true;
}

/* Reads "[n]", or "[ny][nx]" for the product. Returns false on error. */
static bool read_count(struct launch_reader *text, struct launch_array *array)
{
    struct reader *reader = &text->reader;
    struct expression more;

    if (!reader_expect(reader, "[") || !launch_reader_expression(text, &array->count) ||
        !reader_expect(reader, "]") ||
        !launch_add_number(reader, text->launch, &array->sizes, &array->count))
        return false;
    while (reader_take(reader, "[")) {
        if (!launch_reader_expression(text, &more) || !reader_expect(reader, "]") ||
            !launch_add_number(reader, text->launch, &array->sizes, &more))
            return false;
        if (!expression_multiply(&array->count, &more))
            return reader_fail(reader, "this size has more than %d operations", MAX_STEPS);
    }
    return true;
}

/* Reads a file name such as "edges.bin" after '@', up to a blank, ',', ')' or ';'. */
static bool read_file_name(struct reader *reader, struct launch_array *array)
{
    size_t length = strcspn(reader->at, " \t\n,);");

    if (length == 0 || length >= sizeof array->file)
        return reader_fail(reader,
                           "expected a file name here, of at most %zu characters, without blanks, "
                           "',', ')' and ';'",
                           sizeof array->file - 1);
    memcpy(array->file, reader->at, length);
    array->file[length] = '\0';
    array->fill = FILL_DATA;
    reader->at += length;
    return true;
}

/* Reads the fill after "=": uniform(low, high), sorted(low, high), permutation, offsets(high), or a
 * file name. Returns false on error. */
static bool read_fill(struct launch_reader *text, struct launch_array *array)
{
    static const struct {
        const char *word;
        enum fill fill;
        int numbers;
    } fills[] = {{"uniform", FILL_UNIFORM, 2},
                 {"sorted", FILL_SORTED, 2},
                 {"permutation", FILL_PERMUTATION, 0},
                 {"offsets", FILL_OFFSETS, 1}};
    struct reader *reader = &text->reader;

    if (reader_take(reader, "@"))
        return read_file_name(reader, array);
    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
        if (!reader_take_word(reader, fills[f].word))
            continue;
        array->fill = fills[f].fill;
        return fills[f].numbers == 0 ||
               (reader_expect(reader, "(") &&
                (fills[f].numbers == 1 ||
                 (launch_reader_expression(text, &array->low) && reader_expect(reader, ","))) &&
                launch_reader_expression(text, &array->high) && reader_expect(reader, ")"));
    }
    return reader_fail(
        reader,
        "expected uniform(low, high), sorted(low, high), permutation, offsets(high) or @FILE here");
}

uint32_t launch_arrays_find(const struct launch_text *launch, const char *name, size_t length)
{
    uint32_t k = 0;

    while (k < launch->array_count && (strlen(launch->arrays[k].name) != length ||
                                       strncmp(launch->arrays[k].name, name, length) != 0))
        k++;
    return k;
}

uint32_t launch_arrays_first_view(const struct launch_text *launch, uint32_t array)
{
    uint32_t v = 0;

    while (v < launch->view_count && launch->views[v].array != array)
        v++;
    return v;
}

bool launch_arrays_read_name(struct launch_reader *text, struct launch_array *array)
{
    struct reader *reader = &text->reader;
    size_t length, closed;

    reader_skip_blanks(reader);
    length = reader_name_length(reader->at);
    while (length > 0 && strncmp(reader->at + length, "::", 2) == 0) /* the name of a variable */
        length += 2 + reader_name_length(reader->at + length + 2);
    closed = length + strcspn(reader->at + length, ">[;");
    if (length > 0 && reader->at[length] == '<' && reader->at[closed] == '>')
        length = closed + 1; /* the instance of a variable template */
    if (length == 0 || length >= sizeof array->name)
        return reader_fail(reader, "expected the array's name here, of at most %zu characters",
                           sizeof array->name - 1);
    if (launch_arrays_find(text->launch, reader->at, length) < text->launch->array_count)
        return reader_fail(reader, "another array already has the name '%.*s'", (int)length,
                           reader->at);
    memcpy(array->name, reader->at, length);
    array->name[length] = '\0';
    reader->at += length;
    return true;
}

struct launch_array *launch_arrays_add(struct launch_reader *text, enum role role)
{
    struct launch_array *array = &text->launch->arrays[text->launch->array_count];

    if (text->launch->array_count == MAX_ARRAYS) {
        reader_fail(&text->reader, "there are more than %d arrays", MAX_ARRAYS);
        return NULL;
    }
    *array = (struct launch_array){.role = role,
                                   .low = expression_constant(0),
                                   .high = expression_constant(0),
                                   .symbol = kept_text("", 0)};
    text->launch->array_count++;
    return array;
}

bool launch_arrays_read_contents(struct launch_reader *text, struct launch_array *array)
{
    struct reader *reader = &text->reader;
    bool has_values = array->role == ROLE_INPUT || array->role == ROLE_INOUT;

    if (array->type.is_bool && has_values) {
        array->fill = FILL_UNIFORM; /* 0 or 1 */
        array->high = expression_constant(2);
    }
    array->is_unordered = reader_take_word(reader, "unordered");
    if (array->is_unordered && (array->role == ROLE_INPUT || array->role == ROLE_SCRATCH))
        return reader_fail(reader, "'unordered' is for arrays that are compared: 'out', 'inout' "
                                   "and 'zeros'");
    if (!reader_take(reader, "="))
        return true;
    return has_values
               ? read_fill(text, array)
               : reader_fail(reader, "only 'in' and 'inout' arrays have initial values: remove '=' "
                                     "and what follows it");
}

/* ---- Pointers ---- */

/* Makes the array one of `rows` rows, each of which the struct of its index in `of` points to. */
static bool set_rows(struct launch_reader *text, struct launch_array *array, const char *of,
                     const char *name, const struct expression *rows)
{
    char own[sizeof array->name + 40];

    snprintf(own, sizeof own, "%s[]%s%s", of, name[0] != '\0' ? "." : "", name);
    if (strlen(own) >= sizeof array->name)
        return reader_fail(&text->reader, "the name %s is longer than %zu characters", own,
                           sizeof array->name - 1);
    strcpy(array->name, own);
    array->has_rows = true;
    array->rows = *rows;
    text->is_used[array - text->launch->arrays] = true;
    return true;
}

/* Adds a member with that number, before those of arrays that earlier members of the struct have
 * declared. Returns null if there are too many. */
static struct launch_member *add_member(struct launch_reader *text, uint32_t number)
{
    struct launch_text *launch = text->launch;
    struct launch_member *member = &launch->members[number];

    if (launch->member_count == MAX_ARGUMENTS) {
        reader_fail(&text->reader, "there are more than %d members", MAX_ARGUMENTS);
        return NULL;
    }
    memmove(member + 1, member, (launch->member_count++ - number) * sizeof *member);
    for (uint32_t a = 0; a < launch->array_count; a++)
        if (launch->arrays[a].members > 0 && launch->arrays[a].first >= number)
            launch->arrays[a].first++;
    *member = (struct launch_member){.count = 1};
    return member;
}

/* Reads the name and sizes of "in float *rows[m][n]": m pointers, to n elements each. */
static bool read_pointers(struct launch_reader *text, struct launch_array *table)
{
    struct reader *reader = &text->reader;
    struct launch_array *array;
    struct launch_member *member;

    if (!launch_arrays_read_name(text, table) || !reader_expect(reader, "[") ||
        !launch_reader_expression(text, &table->count) || !reader_expect(reader, "]"))
        return false;
    if (!reader_take(reader, "["))
        return reader_fail(reader,
                           "%s is an array of pointers: give the size of each row, as in "
                           "*%s[4][n], or remove the '*'",
                           table->name, table->name);
    reader->at--;
    table->first = text->launch->member_count;
    member = add_member(text, table->first);
    array = member != NULL ? launch_arrays_add(text, table->role) : NULL;
    if (array == NULL || !set_rows(text, array, table->name, "", &table->count) ||
        !read_count(text, array))
        return false;
    array->type = table->type;
    member->is_array = true;
    member->array = (uint32_t)(array - text->launch->arrays);
    member->element = ELEMENT_I64;
    table->role = ROLE_INPUT;
    table->members = 1;
    table->bytes = 8;
    table->has_pointers = true;
    return launch_arrays_read_contents(text, array);
}

static bool read_structs(struct launch_reader *text, struct launch_array *table);

bool launch_arrays_read(struct launch_reader *text, enum role role)
{
    struct reader *reader = &text->reader;
    struct launch_array *array = launch_arrays_add(text, role);

    if (array == NULL)
        return false;
    if (reader_take(reader, "{"))
        return read_structs(text, array);
    if (!launch_type_read(reader, &array->type))
        return false;
    if (reader_take(reader, "*"))
        return read_pointers(text, array);
    return launch_arrays_read_name(text, array) && read_count(text, array) &&
           launch_arrays_read_contents(text, array);
}

static const struct {
    const char *word;
    enum role role;
} roles[] = {{"in", ROLE_INPUT},
             {"out", ROLE_OUTPUT},
             {"inout", ROLE_INOUT},
             {"scratch", ROLE_SCRATCH},
             {"zeros", ROLE_LOG}};

bool launch_arrays_take_role(struct reader *reader, enum role *role)
{
    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++)
        if (reader_take_word(reader, roles[r].word)) {
            *role = roles[r].role;
            return true;
        }
    return false;
}

/* Returns whether an array without a role is at that place, such as "float x[n]". */
static bool is_bare_array(const char *at)
{
    char error[256] = "";
    struct reader tried = {at, error, sizeof error};
    struct launch_type type;
    size_t length;

    if (!launch_type_take(&tried, &type))
        return false;
    reader_take(&tried, "*");
    reader_skip_blanks(&tried);
    length = reader_name_length(tried.at);
    tried.at += length;
    return length > 0 && reader_take(&tried, "[");
}

bool launch_arrays_has_roles(struct reader *reader)
{
    char word[NEAR_NAME] = "";
    struct near_name near = {.word = word};
    size_t length;

    reader_skip_blanks(reader);
    length = reader_name_length(reader->at);
    if (length > 0 && is_bare_array(reader->at + length))
        snprintf(word, sizeof word, "%.*s", (int)length, reader->at);
    else if (!is_bare_array(reader->at))
        return true;
    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++)
        near_name_offer(&near, roles[r].word);
    return reader_fail(reader,
                       "expected 'in', 'out', 'inout', 'zeros' or 'scratch' here, how the kernel "
                       "uses the array%s",
                       near.text);
}

/* ---- Arrays as arguments and as members of structs ---- */

/* Takes the name of an earlier array if it is the whole argument. The name may also be that of a
 * role. Returns whether it did. */
static bool take_known_array(struct launch_reader *text, struct launch_argument *argument)
{
    struct reader *reader = &text->reader;
    const char *start;
    size_t length;

    reader_skip_blanks(reader);
    start = reader->at;
    length = reader_name_length(start);
    argument->array = launch_arrays_find(text->launch, start, length);
    if (argument->array == text->launch->array_count)
        return false;
    reader->at += length;
    reader_skip_blanks(reader);
    argument->is_array = *reader->at == ',' || *reader->at == ')' || *reader->at == '}';
    if (!argument->is_array)
        reader->at = start;
    return argument->is_array;
}

bool launch_arrays_read_any(struct launch_reader *text, bool *is_array, uint32_t *array)
{
    struct launch_text *launch = text->launch;
    struct launch_argument known = {.members = 0};
    enum role role;

    *is_array = take_known_array(text, &known);
    *array = known.array;
    if (!*is_array && launch_arrays_take_role(&text->reader, &role)) {
        *is_array = true;
        *array = launch->array_count;
        if (!launch_arrays_read(text, role))
            return false;
    }
    if (*is_array)
        text->is_used[*array % MAX_ARRAYS] = true;
    return *is_array || launch_arrays_has_roles(&text->reader);
}

/* Reads "[3]" after the type of a member: an array in the struct, whose elements are all equal. */
static bool read_member_count(struct reader *reader, struct launch_member *member)
{
    char *end;
    unsigned long count;

    if (!reader_take(reader, "["))
        return true;
    count = strtoul(reader->at, &end, 10);
    if (end == reader->at || count == 0 || count > MAX_ARGUMENT_BYTES)
        return reader_fail(reader,
                           "expected the number of elements of the member here, from 1 to %d",
                           MAX_ARGUMENT_BYTES);
    reader->at = end;
    member->count = (uint32_t)count;
    return reader_expect(reader, "]");
}

static bool read_member(struct launch_reader *text, struct launch_member *member)
{
    struct launch_argument object;
    struct launch_type type;

    if (!text->read_object(text, &object))
        return false;
    member->is_array = object.is_array;
    member->is_map = object.is_map;
    member->is_view = object.is_view;
    member->array = object.array;
    member->element = ELEMENT_I64;
    if (object.is_array || object.is_map || object.is_view)
        return true;
    if (reader_take_word(&text->reader, "nullptr")) {
        member->value = expression_constant(0);
        return true;
    }
    if (!launch_type_read(&text->reader, &type))
        return false;
    member->element = type.element;
    if (type.lanes > 1)
        return reader_fail(&text->reader,
                           "a member cannot be a vector: write each lane as a separate member");
    return read_member_count(&text->reader, member) &&
           launch_reader_expression(text, &member->value);
}

uint32_t launch_lay_out(struct launch_text *launch, uint32_t first, uint32_t members,
                        uint32_t map_alignment)
{
    uint32_t bytes = 0, most = 1;

    for (uint32_t m = first; m < first + members; m++) {
        struct launch_member *member = &launch->members[m];
        uint32_t size = member->is_map ? MAP_BYTES : (uint32_t)element_size(member->element),
                 alignment = member->is_map ? map_alignment : size;
        member->offset = (bytes + alignment - 1) / alignment * alignment;
        bytes = member->offset + size * member->count;
        most = alignment > most ? alignment : most;
    }
    return (bytes + most - 1) / most * most;
}

bool launch_arrays_read_members(struct launch_reader *text, uint32_t *members, uint32_t *bytes)
{
    struct reader *reader = &text->reader;
    uint32_t first = text->launch->member_count;

    do {
        struct launch_member *member = add_member(text, first + *members);
        if (member == NULL || !read_member(text, member))
            return false;
        ++*members;
    } while (reader_take(reader, ","));
    *bytes = launch_lay_out(text->launch, first, *members, MAP_BYTES);
    return reader_take(reader, "}") ||
           reader_fail(reader, "expected ',' and a member, or '}', here");
}

/* Reads an array of structs, such as "inout {int n, in float x[n]} jobs[m]", after its '{'. */
static bool read_structs(struct launch_reader *text, struct launch_array *table)
{
    struct launch_text *launch = text->launch;
    struct reader *reader = &text->reader;
    uint32_t next = launch->array_count;
    char name[sizeof table->name];

    table->first = launch->member_count;
    table->type = (struct launch_type){ELEMENT_I8, 1, false, false};
    if (table->role != ROLE_INPUT && table->role != ROLE_INOUT)
        return reader_fail(reader,
                           "an array of structs is 'in' or 'inout', because its members have "
                           "values at first");
    if (!launch_arrays_read_members(text, &table->members, &table->bytes) ||
        !launch_arrays_read_name(text, table) || !read_count(text, table))
        return false;
    for (; next < launch->array_count; next++) {
        struct launch_array *array = &launch->arrays[next];
        if (array->members > 0)
            return reader_fail(reader, "%s has pointers, and cannot be in an array of structs",
                               array->name);
        if (!array->is_opaque && launch_arrays_first_view(launch, next) < launch->view_count)
            return reader_fail(reader,
                               "each struct has an array %s, which cannot be a texture of linear "
                               "memory: declare it before the structs, which then share it",
                               array->name);
        strcpy(name, array->name);
        if (!set_rows(text, array, table->name, name, &table->count))
            return false;
    }
    return true;
}
