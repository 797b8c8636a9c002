/* SPDX-License-Identifier: MIT */
#include "launch_calls.h"

#include "launch_arrays.h"
#include "launch_maps.h"
#include "launch_streams.h"
#include "launch_views.h"
#include "reader.h"

#include <ctype.h>
#include <string.h>

/* ---- Arguments ---- */

bool launch_calls_read_object(struct launch_reader *text, struct launch_argument *argument)
{
    bool is_surface;

    *argument = (struct launch_argument){.value = expression_constant(0)};
    argument->is_map = launch_maps_take(&text->reader);
    if (argument->is_map)
        return launch_maps_read(text, &argument->array);
    argument->is_view = launch_views_take(&text->reader, &is_surface);
    if (argument->is_view)
        return launch_views_read(text, is_surface, &argument->array);
    if (!launch_arrays_read_any(text, &argument->is_array, &argument->array))
        return false;
    if (argument->is_array && text->launch->arrays[argument->array].is_opaque) {
        argument->is_array = false;
        argument->is_view = true;
        argument->array = launch_arrays_first_view(text->launch, argument->array);
    }
    return true;
}

bool launch_calls_read_argument(struct launch_reader *text)
{
    struct launch_text *launch = text->launch;
    struct launch_argument *argument = &launch->arguments[launch->argument_count];

    if (launch->argument_count == MAX_ARGUMENTS)
        return reader_fail(&text->reader, "there are more than %d arguments", MAX_ARGUMENTS);
    launch->argument_count++;
    if (!launch_calls_read_object(text, argument))
        return false;
    if (argument->is_array || argument->is_map || argument->is_view)
        return true;
    reader_skip_blanks(&text->reader);
    if (*text->reader.at == '[')
        return expression_read_lambda(&text->reader, &launch->names, &argument->value);
    argument->first = launch->member_count;
    return reader_take(&text->reader, "{")
               ? launch_arrays_read_members(text, &argument->members, &argument->bytes)
               : launch_reader_expression(text, &argument->value);
}

/* ---- Launches ---- */

/* Reads a number or, if `listed`, up to three, and the ')' after them. Returns false on error. */
static bool read_dimensions(struct launch_reader *text, bool listed, struct expression extent[3])
{
    struct reader *reader = &text->reader;

    for (int d = 0; d < 3; d++)
        extent[d] = expression_constant(1);
    for (int d = 0; d < 3; d++) {
        if (!launch_reader_expression(text, &extent[d]))
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
static bool read_kernel(struct reader *reader, const char **kernel)
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
    *kernel = kept_text(reader->at, length);
    reader->at = end + 3;
    return strstr(end, ">>>") != NULL ||
           reader_fail(reader, "'>>>' is missing: a launch is kernel<<<grid, block>>>(arguments)");
}

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
        if (!launch_reader_expression(text, &call->shared_bytes))
            return false;
    }
    if (reader_take(reader, ",") && (stream = launch_streams_read(text)) == NULL)
        return false;
    call->after = launch_streams_before(text, stream);
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

bool launch_calls_read(struct launch_reader *text)
{
    struct launch_text *launch = text->launch;
    struct launch_call *call = &launch->calls[launch->call_count];
    struct reader *reader = &text->reader;

    if (launch->call_count == MAX_LAUNCHES)
        return reader_fail(reader, "there are more than %d launches", MAX_LAUNCHES);
    call->symbol = kept_text("", 0);
    call->first_argument = launch->argument_count;
    call->is_cooperative = take_before_kernel(reader, "cooperative");
    call->is_nonportable = take_before_kernel(reader, "nonportable");
    if (!read_cluster(text, call) || !read_kernel(reader, &call->kernel) ||
        !read_configuration(text, call))
        return false;
    launch->call_count++;
    if (!reader_expect(reader, "("))
        return false;
    if (!reader_take(reader, ")")) {
        do
            if (!launch_calls_read_argument(text))
                return false;
        while (reader_take(reader, ","));
        if (!reader_take(reader, ")"))
            return reader_fail(reader, "expected ',' and an argument, or ')', here");
    }
    call->argument_count = launch->argument_count - call->first_argument;
    return true;
}
