/* SPDX-License-Identifier: MIT */
#include "launch_catalogue.h"

#include "error_report.h"
#include "reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Makes the invocation. If a number is invalid, the launch is one that CUDA rejects. */
static void invoke_launch(const struct variant *variant, const struct shape *shape,
                          struct invocation *out)
{
    char error[1024];

    if (launch_invoke(variant->launch, shape, out, error, sizeof error))
        return;
    *out = (struct invocation){.kernel = variant->kernel};
    snprintf(out->refusal, sizeof out->refusal, "%.*s", (int)sizeof out->refusal - 1, error);
}

static bool has_floats(const struct launch_text *launch)
{
    for (uint32_t a = 0; a < launch->array_count; a++)
        if (launch->arrays[a].role != ROLE_OUTPUT && launch->arrays[a].role != ROLE_SCRATCH &&
            element_is_float(launch->arrays[a].type.element))
            return true;
    return false;
}

/* Makes an id of the letters, digits and '_' in the kernel's name. */
static void make_id(const char *kernel, char id[64])
{
    size_t used = 0;

    for (; *kernel != '\0' && *kernel != '(' && used < 63; kernel++)
        if (isalnum((unsigned char)*kernel) || *kernel == '_')
            id[used++] = *kernel;
    id[used] = '\0';
}

/* Makes the row check that the launch leaves in memory what it left there on the GPU. Returns false
 * with an error message in `error`. */
static bool take_image(struct launch_row *row, char *error, size_t error_size)
{
    row->launch.image = launch_image_open(row->launch.captured, error, error_size);
    if (row->launch.image == NULL)
        return false;
    row->variant.kernel = row->launch.image->kernel;
    row->variant.invoke = launch_image_invoke;
    if (row->launch.image->has_result)
        row->variant.contract = CONTRACT_EXPECTED;
    row->variant.expected = launch_image_expect;
    row->variant.may_abstain = true; /* schedules are compared with each other */
    row->variant.ulps = row->launch.reference.ulps;
    return true;
}

bool launch_catalogue_make(const struct launch_text *launch, struct launch_catalogue *result,
                           char *error, size_t error_size)
{
    struct launch_row *row = calloc(1, sizeof *row);

    *result = (struct launch_catalogue){.row = row};
    if (row == NULL)
        return error_write(error, error_size, "out of memory");
    row->launch = *launch;
    make_id(launch->calls[0].kernel, row->id);
    row->variant =
        (struct variant){.id = row->id,
                         .kind = VARIANT_CORRECTED,
                         .family = "launch",
                         .kernel = row->launch.calls[0].symbol,
                         .source = "",
                         .contract = CONTRACT_NONE,
                         .element = has_floats(launch) ? ELEMENT_F32 : ELEMENT_I32,
                         .elements_per_thread = 1,
                         .domain = &everywhere,
                         .invoke = invoke_launch,
                         .block_dimensions = launch_has(launch, VARIABLE_B) ? 1 : 0,
                         .size_dimensions = launch_size_dimensions(launch),
                         .sizes = launch_size_dimensions(launch) > 1 ? SIZES_MATRIX : SIZES_VECTOR,
                         .launch = &row->launch};
    if (row->launch.captured[0] != '\0'
            ? !take_image(row, error, error_size)
            : !reference_take(&row->launch.reference, &row->variant, error, error_size)) {
        launch_catalogue_free(result);
        return false;
    }
    result->catalogue = (struct catalogue){.variants = &row->variant, .count = 1};
    return true;
}

/* Calls visit() with each name of the launch that is not in the struct. */
static bool visit_names(struct launch_text *launch, bool (*visit)(FILE *file, const char **name),
                        FILE *file)
{
    bool good = true;

    for (uint32_t c = 0; c < launch->call_count && good; c++)
        good = visit(file, &launch->calls[c].kernel) && visit(file, &launch->calls[c].symbol);
    for (uint32_t a = 0; a < launch->array_count && good; a++)
        good = visit(file, &launch->arrays[a].symbol);
    return good;
}

static bool write_name(FILE *to, const char **name)
{
    return fwrite(*name, strlen(*name) + 1, 1, to) == 1;
}

static bool read_name(FILE *from, const char **name)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length = getdelim(&text, &size, '\0', from);

    if (length > 0)
        *name = kept_text(text, (size_t)length);
    free(text);
    return length > 0;
}

/* Writes the bytes of the struct, because the reader is this same program. */
bool launch_catalogue_write(FILE *to, const struct launch_text *launch)
{
    return fputs(LAUNCH_TAG, to) >= 0 && fwrite(launch, sizeof *launch, 1, to) == 1 &&
           visit_names((struct launch_text *)(uintptr_t)launch, write_name, to);
}

bool launch_catalogue_read(FILE *from, struct launch_catalogue *result, char *error,
                           size_t error_size)
{
    char line[sizeof LAUNCH_TAG];
    struct launch_text *launch = malloc(sizeof *launch);
    bool good = launch != NULL && fgets(line, sizeof line, from) != NULL &&
                strcmp(line, LAUNCH_TAG) == 0 && fread(launch, sizeof *launch, 1, from) == 1 &&
                visit_names(launch, read_name, from) &&
                launch_load_files(launch, error, error_size) &&
                launch_catalogue_make(launch, result, error, error_size);

    free(launch);
    return good;
}

void launch_catalogue_free(struct launch_catalogue *catalogue)
{
    if (catalogue->row != NULL) {
        reference_free(&catalogue->row->launch.reference);
        launch_image_close(catalogue->row->launch.image);
    }
    free(catalogue->row);
    *catalogue = (struct launch_catalogue){.row = NULL};
}
