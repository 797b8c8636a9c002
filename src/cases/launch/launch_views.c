/* SPDX-License-Identifier: MIT */
#include "launch_views.h"

#include "launch_arrays.h"

#include <string.h>

bool launch_views_take(struct reader *reader, bool *is_surface)
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

/* Reads a view of an array that is declared already: "texture x linear". */
static bool read_known_view(struct launch_reader *text, uint32_t array, bool is_surface)
{
    struct launch_text *launch = text->launch;
    const struct launch_array *seen = &launch->arrays[array];
    uint32_t first = launch_arrays_first_view(launch, array);
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
        if (!launch_reader_expression(text, size) || !reader_expect(reader, "]"))
            return false;
        if (view->size_count++ == 0)
            array->count = *size;
        else if (!expression_multiply(&array->count, size))
            return reader_fail(reader, "this size has more than %d operations", MAX_STEPS);
    } while (reader_take(reader, "["));
    return true;
}

bool launch_views_read(struct launch_reader *text, bool is_surface, uint32_t *number)
{
    struct reader *reader = &text->reader;
    struct launch_array *array;
    struct launch_view *view;
    enum role role = ROLE_INPUT;
    size_t length = reader_name_length(reader->at);
    uint32_t known = launch_arrays_find(text->launch, reader->at, length);
    bool has_role;

    *number = text->launch->view_count;
    if (known < text->launch->array_count) {
        reader->at += length;
        text->is_used[known] = true;
        return read_known_view(text, known, is_surface);
    }
    has_role = launch_arrays_take_role(reader, &role);
    if (!is_surface && role != ROLE_INPUT)
        return reader_fail(reader, "a kernel only reads a texture: remove '%s', or write 'surface'",
                           "out");
    if (is_surface && !has_role)
        return reader_fail(reader, "expected 'in', 'out', 'inout', 'zeros' or 'scratch' here: how "
                                   "the kernel uses the surface");
    array = launch_arrays_add(text, role);
    view = array != NULL ? add_view(text, text->launch->array_count - 1, is_surface) : NULL;
    if (view == NULL)
        return false;
    array->is_opaque = true;
    text->is_used[view->array] = true;
    return launch_type_read(reader, &array->type) && launch_arrays_read_name(text, array) &&
           read_extents(text, view, array) && launch_view_read(reader, &array->type, view) &&
           launch_arrays_read_contents(text, array);
}
