/* SPDX-License-Identifier: MIT
 *
 * Reads the statements of a launch: arrays, launches, and calls that order them.
 */
#include "launch_text.h"

#include "launch_arrays.h"
#include "launch_calls.h"
#include "launch_streams.h"
#include "launch_views.h"

#include <stdio.h>
#include <string.h>

/* Reads a launch, an array, or a call that orders launches. Returns false on error. */
static bool read_statement(struct launch_reader *text)
{
    enum role role;
    bool is_ordering, is_surface;
    uint32_t view;

    if (launch_views_take(&text->reader, &is_surface)) {
        uint32_t count = text->launch->array_count;
        if (!launch_views_read(text, is_surface, &view))
            return false;
        text->is_used[count] = false; /* until a launch has it as an argument */
        return true;
    }
    if (launch_arrays_take_role(&text->reader, &role))
        return launch_arrays_read(text, role);
    return launch_arrays_has_roles(&text->reader) && launch_streams_read_call(text, &is_ordering) &&
           (is_ordering || launch_calls_read(text));
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
        else if (launch_arrays_find(launch, launch->names.name[k].text,
                                    strlen(launch->names.name[k].text)) < launch->array_count)
            return reader_fail(&text->reader,
                               "%s is an array: name it only after its declaration, "
                               "and as a whole argument",
                               launch->names.name[k].text);
    }
    for (int v = VARIABLE_N; launch->sizes.count > 0 && v <= VARIABLE_NY; v++)
        if (launch_has(launch, (enum variable)v))
            return reader_fail(&text->reader,
                               "the launch uses %s, but --size gives values to other names only: "
                               "add %s=1-33 to --size",
                               expression_sizes[v], expression_sizes[v]);
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
    struct launch_reader reading = {.reader = {text, error, error_size},
                                    .launch = launch,
                                    .read_object = launch_calls_read_object};
    struct launch_argument *at;

    error[0] = '\0';
    if (!launch_calls_read_argument(&reading) || !bind_names(&reading))
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
    struct launch_reader reading = {.reader = {text, error, error_size},
                                    .launch = launch,
                                    .read_object = launch_calls_read_object};
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
