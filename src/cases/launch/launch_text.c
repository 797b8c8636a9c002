/* SPDX-License-Identifier: MIT */
#include "launch_maps.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MARKS = 9 };

/* The text, and what was read of it. */
struct launch_reader {
    struct reader reader;
    struct launch_text *launch;
    bool is_used[MAX_ARRAYS]; /* used by a launch */
    /* Streams and events, with the launches that must be complete before what follows in the stream
     * or waits for the event. The first stream is the default stream. */
    struct mark {
        char name[32];
        uint32_t launches;
    } streams[MAX_MARKS], events[MAX_MARKS];
    uint32_t stream_count, event_count;
    uint32_t host; /* the launches that the host has waited for */
};

static bool read_expression(struct launch_reader *text, struct expression *expression)
{
    reader_skip_blanks(&text->reader);
    return expression_read(&text->reader, &text->launch->names, expression);
}

/* ---- Arrays ---- */

/* Reads "[n]", or "[ny][nx]" for the product. Returns false on error. */
static bool read_count(struct launch_reader *text, struct launch_array *array)
{
    struct reader *reader = &text->reader;
    struct expression more;

    if (!reader_expect(reader, "[") || !read_expression(text, &array->count) ||
        !reader_expect(reader, "]") ||
        !launch_add_number(reader, text->launch, &array->sizes, &array->count))
        return false;
    while (reader_take(reader, "[")) {
        if (!read_expression(text, &more) || !reader_expect(reader, "]") ||
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
                 (read_expression(text, &array->low) && reader_expect(reader, ","))) &&
                read_expression(text, &array->high) && reader_expect(reader, ")"));
    }
    return reader_fail(
        reader,
        "expected uniform(low, high), sorted(low, high), permutation, offsets(high) or @FILE here");
}

/* Returns the array of that name, or array_count if it is unknown. */
static uint32_t find_array(const struct launch_text *launch, const char *name, size_t length)
{
    uint32_t k = 0;

    while (k < launch->array_count && (strlen(launch->arrays[k].name) != length ||
                                       strncmp(launch->arrays[k].name, name, length) != 0))
        k++;
    return k;
}

static bool read_array_name(struct launch_reader *text, struct launch_array *array)
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
    if (find_array(text->launch, reader->at, length) < text->launch->array_count)
        return reader_fail(reader, "another array already has the name '%.*s'", (int)length,
                           reader->at);
    memcpy(array->name, reader->at, length);
    array->name[length] = '\0';
    reader->at += length;
    return true;
}

/* Adds an array. Returns null if there are too many. */
static struct launch_array *add_array(struct launch_reader *text, enum role role)
{
    struct launch_array *array = &text->launch->arrays[text->launch->array_count];

    if (text->launch->array_count == MAX_ARRAYS) {
        reader_fail(&text->reader, "there are more than %d arrays", MAX_ARRAYS);
        return NULL;
    }
    *array = (struct launch_array){
        .role = role, .low = expression_constant(0), .high = expression_constant(0)};
    text->launch->array_count++;
    return array;
}

/* Reads what follows the sizes of an array: 'unordered', and the contents. */
static bool read_contents(struct launch_reader *text, struct launch_array *array)
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

static struct launch_member *add_member(struct launch_reader *text)
{
    struct launch_text *launch = text->launch;

    if (launch->member_count == MAX_ARGUMENTS) {
        reader_fail(&text->reader, "there are more than %d members", MAX_ARGUMENTS);
        return NULL;
    }
    launch->members[launch->member_count] = (struct launch_member){.count = 1};
    return &launch->members[launch->member_count++];
}

/* Reads the name and sizes of "in float *rows[m][n]": m pointers, to n elements each. */
static bool read_pointers(struct launch_reader *text, struct launch_array *table)
{
    struct reader *reader = &text->reader;
    struct launch_array *array;
    struct launch_member *member;

    if (!read_array_name(text, table) || !reader_expect(reader, "[") ||
        !read_expression(text, &table->count) || !reader_expect(reader, "]"))
        return false;
    if (!reader_take(reader, "["))
        return reader_fail(reader,
                           "%s is an array of pointers: give the size of each row, as in "
                           "*%s[4][n], or remove the '*'",
                           table->name, table->name);
    reader->at--;
    table->first = text->launch->member_count;
    member = add_member(text);
    array = member != NULL ? add_array(text, table->role) : NULL;
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
    return read_contents(text, array);
}

static bool read_structs(struct launch_reader *text, struct launch_array *table);

static bool read_array(struct launch_reader *text, enum role role)
{
    struct reader *reader = &text->reader;
    struct launch_array *array = add_array(text, role);

    if (array == NULL)
        return false;
    if (reader_take(reader, "{"))
        return read_structs(text, array);
    if (!launch_type_read(reader, &array->type))
        return false;
    if (reader_take(reader, "*"))
        return read_pointers(text, array);
    return read_array_name(text, array) && read_count(text, array) && read_contents(text, array);
}

/* Takes a role if one is next. Returns whether it did. */
static bool take_role(struct reader *reader, enum role *role)
{
    static const struct {
        const char *word;
        enum role role;
    } roles[] = {{"in", ROLE_INPUT},
                 {"out", ROLE_OUTPUT},
                 {"inout", ROLE_INOUT},
                 {"scratch", ROLE_SCRATCH},
                 {"zeros", ROLE_LOG}};

    for (size_t r = 0; r < sizeof roles / sizeof *roles; r++)
        if (reader_take_word(reader, roles[r].word)) {
            *role = roles[r].role;
            return true;
        }
    return false;
}

/* ---- Textures and surfaces ---- */

/* Takes "texture" or "surface" if it is that keyword. Returns whether it did. */
static bool take_view(struct reader *reader, bool *is_surface)
{
    const char *start = reader->at;

    *is_surface = reader_take_word(reader, "surface");
    if (!*is_surface && !reader_take_word(reader, "texture"))
        return false;
    reader_skip_blanks(reader);
    if (reader_name_length(reader->at) > 0)
        return true;
    reader->at = start;
    return false;
}

static struct launch_view *add_view(struct launch_reader *text, uint32_t array, bool is_surface)
{
    struct launch_text *launch = text->launch;
    struct launch_view *view = &launch->views[launch->view_count];

    if (launch->view_count == MAX_ARRAYS) {
        reader_fail(&text->reader, "there are more than %d textures and surfaces", MAX_ARRAYS);
        return NULL;
    }
    *view = (struct launch_view){.array = array, .view = {.is_surface = is_surface}};
    launch->view_count++;
    return view;
}

/* Returns the first view of the array, or view_count. */
static uint32_t view_of_array(const struct launch_text *launch, uint32_t array)
{
    uint32_t v = 0;

    while (v < launch->view_count && launch->views[v].array != array)
        v++;
    return v;
}

/* Reads a view of an array that is declared already: "texture x linear". */
static bool read_known_view(struct launch_reader *text, uint32_t array, bool is_surface)
{
    struct launch_text *launch = text->launch;
    const struct launch_array *seen = &launch->arrays[array];
    uint32_t first = view_of_array(launch, array);
    struct launch_view *view = add_view(text, array, is_surface);

    if (view == NULL)
        return false;
    if (!seen->is_opaque && (is_surface || seen->members > 0 || seen->has_rows))
        return reader_fail(&text->reader,
                           "%s is reached by pointers: declare it as a surface, such as surface "
                           "out float %s[h][w]",
                           seen->name, seen->name);
    if (seen->is_opaque) {
        view->size_count = launch->views[first].size_count;
        memcpy(view->sizes, launch->views[first].sizes, sizeof view->sizes);
        view->view.is_layered = launch->views[first].view.is_layered;
        view->view.is_cubemap = launch->views[first].view.is_cubemap;
    } else {
        view->view.is_memory = true;
        view->size_count = 1;
        view->sizes[0] = seen->count;
    }
    return launch_view_read(&text->reader, &seen->type, view);
}

/* Reads the sizes of a texture or surface, which may be "[n]", "[h][w]" or "[d][h][w]". */
static bool read_extents(struct launch_reader *text, struct launch_view *view,
                         struct launch_array *array)
{
    struct reader *reader = &text->reader;

    if (!reader_expect(reader, "["))
        return false;
    do {
        struct expression *size = &view->sizes[view->size_count];
        if (view->size_count == MOST_EXTENTS)
            return reader_fail(reader, "a texture or surface has at most %d sizes", MOST_EXTENTS);
        if (!read_expression(text, size) || !reader_expect(reader, "]"))
            return false;
        if (view->size_count++ == 0)
            array->count = *size;
        else if (!expression_multiply(&array->count, size))
            return reader_fail(reader, "this size has more than %d operations", MAX_STEPS);
    } while (reader_take(reader, "["));
    return true;
}

static bool take_role(struct reader *reader, enum role *role);

/* Reads a texture or surface after that word, and sets *number to its number. */
static bool read_view(struct launch_reader *text, bool is_surface, uint32_t *number)
{
    struct reader *reader = &text->reader;
    struct launch_array *array;
    struct launch_view *view;
    enum role role = ROLE_INPUT;
    size_t length = reader_name_length(reader->at);
    uint32_t known = find_array(text->launch, reader->at, length);
    bool has_role;

    *number = text->launch->view_count;
    if (known < text->launch->array_count) {
        reader->at += length;
        text->is_used[known] = true;
        return read_known_view(text, known, is_surface);
    }
    has_role = take_role(reader, &role);
    if (!is_surface && role != ROLE_INPUT)
        return reader_fail(reader, "a kernel only reads a texture: remove '%s', or write 'surface'",
                           "out");
    if (is_surface && !has_role)
        return reader_fail(reader, "expected 'in', 'out', 'inout', 'zeros' or 'scratch' here: how "
                                   "the kernel uses the surface");
    array = add_array(text, role);
    view = array != NULL ? add_view(text, text->launch->array_count - 1, is_surface) : NULL;
    if (view == NULL)
        return false;
    array->is_opaque = true;
    text->is_used[view->array] = true;
    return launch_type_read(reader, &array->type) && read_array_name(text, array) &&
           read_extents(text, view, array) && launch_view_read(reader, &array->type, view) &&
           read_contents(text, array);
}

/* ---- Arguments ---- */

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
    argument->array = find_array(text->launch, start, length);
    if (argument->array == text->launch->array_count)
        return false;
    reader->at += length;
    reader_skip_blanks(reader);
    argument->is_array = *reader->at == ',' || *reader->at == ')' || *reader->at == '}';
    if (!argument->is_array)
        reader->at = start;
    return argument->is_array;
}

/* Takes an array if one is next, new or known, and sets *is_array and *array. Returns false with an
 * error message if the array is malformed. */
static bool read_any_array(struct launch_reader *text, bool *is_array, uint32_t *array)
{
    struct launch_text *launch = text->launch;
    struct launch_argument known = {.members = 0};
    enum role role;

    *is_array = take_known_array(text, &known);
    *array = known.array;
    if (!*is_array && take_role(&text->reader, &role)) {
        *is_array = true;
        *array = launch->array_count;
        if (!read_array(text, role))
            return false;
    }
    if (*is_array)
        text->is_used[*array % MAX_ARRAYS] = true;
    return true;
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
    struct launch_type type;

    if (!read_any_array(text, &member->is_array, &member->array))
        return false;
    member->element = ELEMENT_I64;
    if (member->is_array)
        return true;
    if (!launch_type_read(&text->reader, &type))
        return false;
    member->element = type.element;
    if (type.lanes > 1)
        return reader_fail(&text->reader,
                           "a member cannot be a vector: write each lane as a separate member");
    return read_member_count(&text->reader, member) && read_expression(text, &member->value);
}

/* Reads the members of a struct such as "{int n, float 0.5f, in float x[n]}" after its '{', with
 * the layout of C. Sets the number of members and the size. Returns false on error. */
static bool read_members(struct launch_reader *text, uint32_t *members, uint32_t *bytes)
{
    struct reader *reader = &text->reader;
    uint32_t alignment = 1;

    do {
        struct launch_member *member = add_member(text);
        uint32_t size;
        if (member == NULL || !read_member(text, member))
            return false;
        size = (uint32_t)element_size(member->element);
        member->offset = (*bytes + size - 1) / size * size;
        *bytes = member->offset + size * member->count;
        alignment = size > alignment ? size : alignment;
        ++*members;
    } while (reader_take(reader, ","));
    *bytes = (*bytes + alignment - 1) / alignment * alignment;
    return reader_take(reader, "}") ||
           reader_fail(reader, "expected ',' and a member, or '}', here");
}

/* Reads an array of structs, such as "in {int n, in float x[n]} jobs[m]", after its '{'. */
static bool read_structs(struct launch_reader *text, struct launch_array *table)
{
    struct launch_text *launch = text->launch;
    struct reader *reader = &text->reader;
    uint32_t next = launch->array_count;
    char name[sizeof table->name];

    table->first = launch->member_count;
    table->type = (struct launch_type){ELEMENT_I8, 1, false, false};
    if (table->role != ROLE_INPUT)
        return reader_fail(reader, "an array of structs is 'in': only arrays that its members "
                                   "point to may be written");
    if (!read_members(text, &table->members, &table->bytes) || !read_array_name(text, table) ||
        !read_count(text, table))
        return false;
    for (; next < launch->array_count; next++) {
        struct launch_array *array = &launch->arrays[next];
        if (array->members > 0)
            return reader_fail(reader, "%s has pointers, and cannot be in an array of structs",
                               array->name);
        strcpy(name, array->name);
        if (!set_rows(text, array, table->name, name, &table->count))
            return false;
    }
    return true;
}

/* Returns whether an array without a role is next, such as "float x[n]". */
static bool is_bare_array(const struct reader *reader)
{
    char error[256] = "";
    struct reader tried = {reader->at, error, sizeof error};
    struct launch_type type;

    if (!launch_type_take(&tried, &type))
        return false;
    reader_take(&tried, "*");
    reader_skip_blanks(&tried);
    tried.at += reader_name_length(tried.at);
    return reader_take(&tried, "[");
}

/* Takes "map(" if it is next. */
static bool take_map(struct reader *reader)
{
    const char *start = reader->at;

    if (reader_take_word(reader, "map") && reader_take(reader, "("))
        return true;
    reader->at = start;
    return false;
}

/* Reads a tensor map after its "map(". */
static bool read_map(struct launch_reader *text, struct launch_argument *argument)
{
    struct launch_text *launch = text->launch;
    struct launch_map *map = &launch->maps[launch->map_count];
    bool is_array;

    if (launch->map_count == MAX_MAPS)
        return reader_fail(&text->reader, "there are more than %d tensor maps", MAX_MAPS);
    *map = (struct launch_map){.array = 0};
    if (!read_any_array(text, &is_array, &map->array))
        return false;
    if (!is_array || launch->arrays[map->array].members > 0)
        return reader_fail(&text->reader, "expected an array of numbers here, as in map(in float "
                                          "x[ny][nx], box=[16, 8])");
    argument->is_map = true;
    argument->array = launch->map_count++;
    return launch_map_read(&text->reader, launch, map);
}

static bool read_argument(struct launch_reader *text)
{
    struct launch_text *launch = text->launch;
    struct launch_argument *argument = &launch->arguments[launch->argument_count];
    bool is_surface;

    if (launch->argument_count == MAX_ARGUMENTS)
        return reader_fail(&text->reader, "there are more than %d arguments", MAX_ARGUMENTS);
    *argument = (struct launch_argument){.array = launch->array_count};
    launch->argument_count++;
    if (take_map(&text->reader))
        return read_map(text, argument);
    if (take_view(&text->reader, &is_surface)) {
        argument->is_view = true;
        argument->value = expression_constant(0);
        return read_view(text, is_surface, &argument->array);
    }
    if (!read_any_array(text, &argument->is_array, &argument->array))
        return false;
    if (argument->is_array && launch->arrays[argument->array].is_opaque) {
        argument->is_array = false;
        argument->is_view = true;
        argument->value = expression_constant(0);
        argument->array = view_of_array(launch, argument->array);
    }
    if (argument->is_array || argument->is_view)
        return true;
    if (is_bare_array(&text->reader))
        return reader_fail(&text->reader, "expected 'in', 'out', 'inout', 'zeros' or 'scratch' "
                                          "here: how the kernel uses the array");
    reader_skip_blanks(&text->reader);
    if (*text->reader.at == '[')
        return expression_read_lambda(&text->reader, &launch->names, &argument->value);
    argument->first = launch->member_count;
    return reader_take(&text->reader, "{")
               ? read_members(text, &argument->members, &argument->bytes)
               : read_expression(text, &argument->value);
}

/* ---- Launches ---- */

/* Reads a number or, if `listed`, up to three, and the ')' after them. Returns false on error. */
static bool read_dimensions(struct launch_reader *text, bool listed, struct expression extent[3])
{
    struct reader *reader = &text->reader;

    for (int d = 0; d < 3; d++)
        extent[d] = expression_constant(1);
    for (int d = 0; d < 3; d++) {
        if (!read_expression(text, &extent[d]))
            return false;
        if (!listed)
            return true;
        if (reader_take(reader, ")"))
            return true;
        if (d < 2 && !reader_expect(reader, ","))
            return false;
    }
    return reader_expect(reader, ")");
}

/* Reads a number, or dim3(x, y, z). Returns false on error. */
static bool read_extent(struct launch_reader *text, struct expression extent[3])
{
    struct reader *reader = &text->reader;

    return read_dimensions(text, reader_take_word(reader, "dim3") && reader_expect(reader, "("),
                           extent);
}

/* Reads a kernel with its template arguments, up to "<<<". */
static bool read_kernel(struct reader *reader, char kernel[256])
{
    const char *end = strstr(reader->at, "<<<");
    size_t length;

    reader_skip_blanks(reader);
    if (reader_name_length(reader->at) == 0 && strncmp(reader->at, "::", 2) != 0)
        return reader_fail(reader, "expected the kernel's name here");
    if (end == NULL || memchr(reader->at, ';', (size_t)(end - reader->at)) != NULL)
        return reader_fail(reader,
                           "'<<<' is missing: a launch is kernel<<<grid, block>>>(arguments)");
    length = (size_t)(end - reader->at);
    while (length > 0 && isspace((unsigned char)reader->at[length - 1]))
        length--;
    if (length >= 256)
        return reader_fail(reader, "the kernel's name is longer than 255 characters");
    memcpy(kernel, reader->at, length);
    kernel[length] = '\0';
    reader->at = end + 3;
    return strstr(end, ">>>") != NULL ||
           reader_fail(reader, "'>>>' is missing: a launch is kernel<<<grid, block>>>(arguments)");
}

/* ---- Streams ---- */

/* Returns the stream or event of that name and adds it if it is new. Returns null if there are too
 * many. */
static struct mark *mark_of(struct mark *marks, uint32_t *count, const char *name, size_t length)
{
    uint32_t k = 0;

    while (k < *count &&
           (strlen(marks[k].name) != length || strncmp(marks[k].name, name, length) != 0))
        k++;
    if (k == MAX_MARKS || length >= sizeof marks->name)
        return NULL;
    if (k == *count) {
        snprintf(marks[k].name, sizeof marks->name, "%.*s", (int)length, name);
        marks[k].launches = 0;
        (*count)++;
    }
    return &marks[k];
}

/* Reads a stream: a name, or 0 for the default stream. Returns null on error. */
static struct mark *read_stream(struct launch_reader *text)
{
    struct reader *reader = &text->reader;
    size_t length;
    struct mark *stream = &text->streams[0];

    reader_skip_blanks(reader);
    length = reader_name_length(reader->at);
    if (length == 0 && reader_take(reader, "0"))
        return stream;
    if (reader_take_word(reader, "nullptr") || reader_take_word(reader, "NULL"))
        return stream;
    if (length == 0) {
        reader_fail(reader, "expected a stream here: a name, or 0");
        return NULL;
    }
    stream = mark_of(text->streams, &text->stream_count, reader->at, length);
    if (stream == NULL)
        reader_fail(reader, "there are more than %d streams, or this name is too long",
                    MAX_MARKS - 1);
    reader->at += length;
    return stream;
}

static struct mark *read_event(struct launch_reader *text)
{
    struct reader *reader = &text->reader;
    size_t length;
    struct mark *event;

    reader_skip_blanks(reader);
    length = reader_name_length(reader->at);
    event = length > 0 ? mark_of(text->events, &text->event_count, reader->at, length) : NULL;
    if (event == NULL)
        reader_fail(reader, "expected an event here: a name; at most %d", MAX_MARKS);
    reader->at += length;
    return event;
}

/* Returns the launches that come before what the stream does next. The default stream waits for all
 * others, and they wait for it. */
static uint32_t before(const struct launch_reader *text, const struct mark *stream)
{
    uint32_t all = (UINT32_C(1) << text->launch->call_count) - 1;

    return stream == &text->streams[0] ? all
                                       : text->host | stream->launches | text->streams[0].launches;
}

static bool record_event(struct launch_reader *text)
{
    struct mark *event = read_event(text), *stream = &text->streams[0];

    if (event == NULL)
        return false;
    if (reader_take(&text->reader, ",") && (stream = read_stream(text)) == NULL)
        return false;
    event->launches = before(text, stream);
    return true;
}

static bool wait_event(struct launch_reader *text)
{
    struct mark *stream = read_stream(text), *event;

    if (stream == NULL || !reader_expect(&text->reader, ","))
        return false;
    event = read_event(text);
    if (event == NULL)
        return false;
    stream->launches |= event->launches;
    if (reader_take(&text->reader, ",")) /* flags */
        return reader_expect(&text->reader, "0");
    return true;
}

static bool synchronize_event(struct launch_reader *text)
{
    struct mark *event = read_event(text);

    if (event != NULL)
        text->host |= event->launches;
    return event != NULL;
}

static bool synchronize_stream(struct launch_reader *text)
{
    struct mark *stream = read_stream(text);

    if (stream != NULL)
        text->host |= before(text, stream);
    return stream != NULL;
}

static bool synchronize_all(struct launch_reader *text)
{
    text->host = before(text, &text->streams[0]);
    return true;
}

/* Reads a call of the runtime that orders launches. Sets *is_call to whether one is next. */
static bool read_ordering(struct launch_reader *text, bool *is_call)
{
    static const struct {
        const char *name;
        bool (*read)(struct launch_reader *text);
    } calls[] = {{"cudaEventRecord", record_event},
                 {"cudaStreamWaitEvent", wait_event},
                 {"cudaEventSynchronize", synchronize_event},
                 {"cudaStreamSynchronize", synchronize_stream},
                 {"cudaDeviceSynchronize", synchronize_all}};

    *is_call = true;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        if (reader_take_word(&text->reader, calls[c].name))
            return reader_expect(&text->reader, "(") && calls[c].read(text) &&
                   reader_expect(&text->reader, ")");
    *is_call = false;
    return true;
}

/* ---- Calls ---- */

static bool read_configuration(struct launch_reader *text, struct launch_call *call)
{
    struct reader *reader = &text->reader;
    struct mark *stream = &text->streams[0];

    call->shared_bytes = expression_constant(0);
    if (!read_extent(text, call->grid) || !reader_expect(reader, ",") ||
        !read_extent(text, call->block))
        return false;
    if (reader_take(reader, ",")) {
        call->opts_in = reader_take_word(reader, "optin");
        if (!read_expression(text, &call->shared_bytes))
            return false;
    }
    if (reader_take(reader, ",") && (stream = read_stream(text)) == NULL)
        return false;
    call->after = before(text, stream);
    stream->launches = UINT32_C(1) << text->launch->call_count;
    return reader_expect(reader, ">>>");
}

/* Takes a word before the name of a kernel, which may have the same name. */
static bool take_before_kernel(struct reader *reader, const char *word)
{
    const char *start = reader->at;

    if (!reader_take_word(reader, word))
        return false;
    reader_skip_blanks(reader);
    if (reader_name_length(reader->at) > 0 || strncmp(reader->at, "::", 2) == 0)
        return true;
    reader->at = start;
    return false;
}

/* Reads "cluster(x, y, z)" before the name of a kernel, if it is next. A kernel may have that
 * name. */
static bool read_cluster(struct launch_reader *text, struct launch_call *call)
{
    struct reader *reader = &text->reader;
    const char *start = reader->at;

    if (!reader_take_word(reader, "cluster"))
        return true;
    call->has_cluster = reader_take(reader, "(");
    if (call->has_cluster)
        return read_dimensions(text, true, call->cluster);
    reader->at = start;
    return true;
}

static bool read_call(struct launch_reader *text)
{
    struct launch_text *launch = text->launch;
    struct launch_call *call = &launch->calls[launch->call_count];
    struct reader *reader = &text->reader;

    if (launch->call_count == MAX_LAUNCHES)
        return reader_fail(reader, "there are more than %d launches", MAX_LAUNCHES);
    call->first_argument = launch->argument_count;
    call->is_cooperative = take_before_kernel(reader, "cooperative");
    call->is_nonportable = take_before_kernel(reader, "nonportable");
    if (!read_cluster(text, call) || !read_kernel(reader, call->kernel) ||
        !read_configuration(text, call))
        return false;
    launch->call_count++;
    if (!reader_expect(reader, "("))
        return false;
    if (!reader_take(reader, ")")) {
        do
            if (!read_argument(text))
                return false;
        while (reader_take(reader, ","));
        if (!reader_take(reader, ")"))
            return reader_fail(reader, "expected ',' and an argument, or ')', here");
    }
    call->argument_count = launch->argument_count - call->first_argument;
    return true;
}

/* Reads a launch, an array, or a call that orders launches. Returns false on error. */
static bool read_statement(struct launch_reader *text)
{
    enum role role;
    bool is_ordering, is_surface;
    uint32_t view;

    if (take_view(&text->reader, &is_surface)) {
        uint32_t count = text->launch->array_count;
        if (!read_view(text, is_surface, &view))
            return false;
        text->is_used[count] = false; /* until a launch has it as an argument */
        return true;
    }
    if (take_role(&text->reader, &role))
        return read_array(text, role);
    return read_ordering(text, &is_ordering) && (is_ordering || read_call(text));
}

/* Returns the array whose size is that name because its file decides it, or array_count. */
static uint32_t array_of_name(const struct launch_text *launch, uint32_t name)
{
    uint32_t a = 0;

    while (a < launch->array_count &&
           !(launch->arrays[a].file[0] != '\0' &&
             expression_is(&launch->arrays[a].count, VARIABLE_OWN + name)))
        a++;
    return a;
}

/* Finds out what each name means. Returns false on error. */
static bool bind_names(struct launch_reader *text)
{
    struct launch_text *launch = text->launch;

    for (uint32_t k = 0; k < launch->names.count; k++) {
        struct launch_name *name = &launch->name[k];
        *name = (struct launch_name){.kind = NAME_CONSTANT, .value = {NUMBER_NONE, 0, 0}};
        name->index = array_of_name(launch, k);
        if (k < launch->sizes.count)
            *name = (struct launch_name){.kind = NAME_SIZE, .index = k};
        else if (name->index < launch->array_count)
            name->kind = NAME_FILE;
        else if (find_array(launch, launch->names.name[k].text,
                            strlen(launch->names.name[k].text)) < launch->array_count)
            return reader_fail(&text->reader,
                               "%s is an array: name it only after its declaration, "
                               "and as a whole argument",
                               launch->names.name[k].text);
    }
    if (launch->sizes.count > 0 &&
        (launch_has(launch, VARIABLE_N) || launch_has(launch, VARIABLE_NX) ||
         launch_has(launch, VARIABLE_NY)))
        return reader_fail(&text->reader, "the launch uses n, nx or ny, but --size gives values to "
                                          "other names: give values to all sizes");
    return true;
}

static bool read_launch(struct launch_reader *text)
{
    struct reader *reader = &text->reader;
    struct launch_text *launch = text->launch;

    do {
        if (!read_statement(text))
            return false;
        reader_skip_blanks(reader);
    } while (reader_take(reader, ";") && (reader_skip_blanks(reader), *reader->at != '\0'));
    if (*reader->at != '\0')
        return reader_fail(reader, "unexpected text after the launch: separate launches with ';'");
    if (launch->call_count == 0)
        return reader_fail(reader, "expected a launch here: kernel<<<grid, block>>>(arguments)");
    for (uint32_t a = 0; a < launch->array_count; a++)
        launch->arrays[a].is_variable = !text->is_used[a];
    return bind_names(text);
}

bool launch_add_argument(struct launch_text *launch, uint32_t call, const char *text, char *error,
                         size_t error_size)
{
    struct launch_reader reading = {.reader = {text, error, error_size}, .launch = launch};
    struct launch_argument *at;

    error[0] = '\0';
    if (!read_argument(&reading) || !bind_names(&reading))
        return false;
    at =
        &launch->arguments[launch->calls[call].first_argument + launch->calls[call].argument_count];
    if (at != &launch->arguments[launch->argument_count - 1]) {
        struct launch_argument added = launch->arguments[launch->argument_count - 1];
        memmove(at + 1, at,
                (size_t)(&launch->arguments[launch->argument_count - 1] - at) * sizeof *at);
        *at = added;
    }
    launch->calls[call].argument_count++;
    for (uint32_t c = call + 1; c < launch->call_count; c++)
        launch->calls[c].first_argument++;
    return true;
}

bool launch_parse(const char *text, const struct size_names *sizes, struct launch_text *launch,
                  size_t *column, char *error, size_t error_size)
{
    struct launch_reader reading = {.reader = {text, error, error_size}, .launch = launch};
    bool good;

    *launch = (struct launch_text){.sizes = *sizes};
    reading.stream_count = 1;
    for (uint32_t k = 0; k < sizes->count; k++) {
        snprintf(launch->names.name[k].text, NAME_TEXT, "%s", sizes->name[k]);
        launch->names.name[k].is_size = true;
    }
    launch->names.count = sizes->count;
    error[0] = '\0';
    good = read_launch(&reading);
    *column = (size_t)(reading.reader.at - text) + 1;
    return good;
}
